#!/usr/bin/env python3
"""Two builds of the program against each other, in one run:
    bench/compare_builds.py OLD_PROGRAM NEW_PROGRAM [WORD]     only the cases whose name contains WORD
Each case runs in turn with both, seven times; the least processor time counts. Printed is new/old: below 1 is faster. Exit 1
if a case is slower by more than 3 %."""
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 7
SLOWER = 1.03
BARRIER = "examples/triple_pendulum_barrier.toml"
CASES = {
    "motion with impacts": ["simulate", BARRIER, "--case", "fig3a", "--periods", "4000"],
    "motion with sliding": ["simulate", BARRIER, "--case", "fig4cd", "--periods", "2000"],
    "free flight": ["simulate", "examples/triple_pendulum_torque.toml", "--case", "q1_1063", "--time", "20000"],
    "spectrum": ["lyapunov", BARRIER, "--case", "fig3a", "--periods", "1500"],
    "sweep in lanes": ["diagram", BARRIER, "--case", "fig3a", "--vary", "q1=0.7:0.72:64", "--direction", "fresh",
                       "--periods", "40", "--transient", "40", "--threads", "1"],
    "spectra in lanes": ["diagram", BARRIER, "--case", "fig3a", "--vary", "q1=0.7:0.72:64", "--direction", "fresh",
                         "--periods", "40", "--transient", "40", "--threads", "1", "--lyapunov"],
    "closed form": ["lyapunov", "examples/clearance_pair.toml", "--periods", "200000"],
    "four gaps": ["simulate", "examples/piston_crank.toml", "--time", "4"],
}


def seconds(program: str, words: list[str]) -> float:
    before = os.times()
    subprocess.run([program, *words, "--json", "--quiet"], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = os.times()
    return after.children_user - before.children_user


def main() -> int:
    if len(sys.argv) < 3:
        print(__doc__)
        return 2
    programs = [str(Path(word).resolve()) for word in sys.argv[1:3]]
    word = sys.argv[3] if len(sys.argv) > 3 else ""
    slower = 0
    for name, words in CASES.items():
        if word not in name:
            continue
        runs = [[seconds(program, words) for program in programs] for _ in range(ROUNDS)]
        old, new = (min(run[side] for run in runs) for side in (0, 1))
        slower += new > SLOWER * old
        print(f"{new / old:6.3f}  {name}  ({old:.2f} s, {new:.2f} s)", flush=True)
    return slower > 0


if __name__ == "__main__":
    sys.exit(main())
