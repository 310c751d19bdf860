#!/usr/bin/env python3
"""What a row of lanes spends its time on, and what that means beside the hand-written program, on this machine:
    bench/share_of_books.py FOLDER [SECONDS]     a folder with bin/flow_bench; needs Linux perf
Generated code is field, sums over stages, event functions, bounds and impacts, of which a program by hand needs all but the bounds; the rest are books: what each lane
decides for itself. The share is that of samples of the processor's clock, without those in the compiler; the ratio is the one that flow_bench prints. The last column is
what the ratio would be without any books at all, in a program that the hand-written one is not: it has books too."""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

COMPILER = ("libLLVM", "saltus_codegen")
CARRIED = {"state": "trajectory only", "tangent": "with tangent"}


def share_of_generated(program: Path, width: int, carried: str, seconds: str) -> float:
    with tempfile.NamedTemporaryFile() as out:
        run = [str(program), "profile", str(width), carried, seconds]
        subprocess.run(["perf", "record", "-q", "-e", "cpu-clock", "-F", "2000", "-o", out.name, *run], check=True,
                       stdout=subprocess.DEVNULL)
        listing = subprocess.run(["perf", "report", "-i", out.name, "--sort", "dso", "--stdio"], check=True,
                                 capture_output=True, text=True).stdout
    parts = {name: float(part) for part, name in re.findall(r"^\s*([\d.]+)%\s+(\S.*?)\s*$", listing, re.M)}
    computing = {name: part for name, part in parts.items() if not name.startswith(COMPILER)}
    return sum(part for name, part in computing.items() if name.startswith("[JIT]")) / sum(computing.values())


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    program = Path(sys.argv[1]) / "bin" / "flow_bench"
    seconds = sys.argv[2] if len(sys.argv) > 2 else "4"
    table = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    print(f"{'':26} {'saltus':>8} {'by hand':>8} {'ratio':>7} {'generated':>10} {'without books':>14}")
    for carried, words in CARRIED.items():
        for width in (4, 8):
            ours, hand = re.search(rf"^W = {width}, {words} +([\d.]+) +([\d.]+)", table, re.M).groups()
            ratio = float(ours) / float(hand)
            share = share_of_generated(program, width, carried, seconds)
            print(f"W = {width}, {words:19} {ours:>8} {hand:>8} {ratio:7.2f} {100 * share:8.0f} % {share * ratio:14.2f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
