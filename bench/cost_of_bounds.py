#!/usr/bin/env python3
"""Instructions per step of the engine, by callgrind: the same on every machine that callgrind shows the same registers to (AVX2).
    bench/cost_of_bounds.py FOLDER [OTHER_FOLDER]     folders with bin/engine_bench; of two, the ratio to the first is printed
    bench/cost_of_bounds.py --only WORDS FOLDER [...] only rows that begin so, several apart by commas: "impacts state 4,sliding"
Counted is what the steps do, of motions that were made once before, so that nothing is compiled meanwhile. Each number is the difference of a
longer and a shorter run over the difference of their steps. The share is that of `LaneExclusion`: boxes, enclosures, bounds of forces, proofs, searches inside a step, and the bounds in the books; the few proofs that
a search asks for again are counted twice."""
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CASES = [("impacts", "state"), ("impacts", "tangent"), ("discs0", "state"), ("discs4", "state"), ("discs16", "state"),
         ("sliding", "state"), ("sliding", "tangent"), ("exact", "state")]
SHORT, LONG = 2, 10
STEPS = ["--toggle-collect=saltus::LaneFlow::step()", "--toggle-collect=saltus::ExactRoad::advance()", "--zero-before=*measured(*"]
EXCLUSION = re.compile(r"saltus::LaneExclusion::(bound|proof_of|first_inside|lowest_of)\b")


def counted(program: Path, case: str, width: int, carried: str, length: int) -> tuple[int, int, int]:
    """Instructions, those of the exclusion, steps."""
    with tempfile.NamedTemporaryFile() as out:
        words = [str(program), case, str(width), carried, str(length)]
        run = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out.name}", *STEPS, *words],
                             capture_output=True, text=True, check=True)
        total = int(re.search(r"Collected : (\d+)", run.stderr)[1])
        listing = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", out.name],
                                 capture_output=True, text=True, check=True).stdout
    bounds = 0
    for line in listing.splitlines():
        cost = re.match(r"\s*([\d,]+) \(", line)
        if cost and EXCLUSION.search(line):
            bounds += int(cost[1].replace(",", ""))
    return total, bounds, int(run.stdout.split()[0])


def per_step(folder: Path, case: str, width: int, carried: str) -> tuple[float, float]:
    ends = [counted(folder / "bin" / "engine_bench", case, width, carried, length) for length in (SHORT, LONG)]
    total, bounds, steps = (ends[1][k] - ends[0][k] for k in range(3))
    return total / steps, bounds / total


def main() -> int:
    words = sys.argv[1:]
    only = words[1].split(",") if words[:1] == ["--only"] else [""]
    folders = [Path(word) for word in (words[2:] if words[:1] == ["--only"] else words)]
    if not folders:
        print(__doc__)
        return 2
    print(f"{'case':10} {'carries':8} {'lanes':>5} " + " ".join(f"{f.name + ', share':>20}" for f in folders))
    jobs = [(case, carried, width) for case, carried in CASES for width in ([1, 4, 8] if case != "exact" else [1])
            if f"{case} {carried} {width}".startswith(tuple(only))]
    with ThreadPoolExecutor(2) as pool:
        rows = pool.map(lambda job: [per_step(folder, job[0], job[2], job[1]) for folder in folders], jobs)
        for (case, carried, width), row in zip(jobs, rows):
            numbers = " ".join(f"{cost:12.0f} {100 * share:5.1f} %" for cost, share in row)
            ratio = f"  {row[1][0] / row[0][0]:6.3f}" if len(row) == 2 else ""
            print(f"{case:10} {carried:8} {width:5} {numbers}{ratio}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
