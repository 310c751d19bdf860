#!/usr/bin/env python3
"""What the books of a row of lanes cost in a trial step of all its lanes: instructions, and conditional branches of which a processor guesses wrongly where they go.
    bench/books_of_a_step.py FOLDER [CASE WIDTH state|tangent LENGTH [MOST]]     a folder with bin/engine_bench; valgrind
By callgrind, whose guesses are those of a plain table of two bits: the same on every machine that shows it the same registers (AVX2), whatever else runs. Generated code is
field, sums over stages, event functions, bounds and impacts; everything else is books. Then the functions that cost most, MOST of them (12): a wrong guess takes some fifteen
cycles, and counts as sixty instructions, which might have been done in them."""
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

INSTRUCTIONS_OF_A_GUESS = 60
DEFAULT = ["impacts", "8", "state", "8"]
COLLECT = ["--branch-sim=yes", "--toggle-collect=saltus::LanePool::run()", "--zero-before=*measured(*"]


def costs_of(listing: str) -> dict[str, list[int]]:
    """Of each function alone: what `events:` names. Lines behind `calls=` are what the callee cost."""
    names, costs, now, of_callee = {}, defaultdict(lambda: [0] * 5), "", False
    for line in listing.splitlines():
        if named := re.match(r"c?fn=\((\d+)\)(?: (.*))?$", line):
            if named[2]:
                names[named[1]] = named[2]
            now = now if line.startswith("c") else named[1]
        elif line.startswith("calls="):
            of_callee = True
        elif re.match(r"[+\-*\d]", line):
            if not of_callee:
                for i, cost in enumerate(line.split()[1:]):
                    costs[now][i] += int(cost)
            of_callee = False
    return {names[key]: cost for key, cost in costs.items()}


def measured(program: Path, case: list[str]) -> tuple[dict[str, list[int]], float]:
    """Costs of functions, and how many steps a row made."""
    with tempfile.NamedTemporaryFile() as out:
        run = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out.name}", *COLLECT, program, *case], check=True,
                             capture_output=True, text=True)
        costs = costs_of(Path(out.name).read_text())
    return costs, int(run.stdout.split()[0]) / int(case[1])


def main() -> int:
    if len(sys.argv) not in (2, 6, 7):
        print(__doc__)
        return 2
    case = sys.argv[2:6] or DEFAULT
    most = int(sys.argv[6]) if len(sys.argv) == 7 else 12
    costs, steps = measured(Path(sys.argv[1]) / "bin" / "engine_bench", case)
    rows = {"generated code": [0.0, 0.0], "books": [0.0, 0.0]}
    functions = []
    for name, (instructions, _, wrong, _, _) in costs.items():
        row = "generated code" if name.startswith("0x") else "books"
        cost = [instructions / steps, wrong / steps]
        rows[row] = [a + b for a, b in zip(rows[row], cost)]
        if row == "books":
            functions.append((*cost, re.sub(r"\(.*", "", name.replace("(anonymous namespace)::", ""))))
    print(f"{' '.join(case[:3]) + ', a step of the row':44} {'instructions':>12} {'wrong guesses':>14}")
    for row, (instructions, wrong) in rows.items():
        print(f"{row:44} {instructions:12.0f} {wrong:14.1f}")
    functions.sort(key=lambda it: it[0] + INSTRUCTIONS_OF_A_GUESS * it[1], reverse=True)
    for instructions, wrong, name in functions[:most]:
        print(f"  {name:42} {instructions:12.0f} {wrong:14.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
