"""AUTO-07p's demos by AUTO at tight tolerances, by Saltus, and by a third computation: the table of docs/method/continuation.md.
  SALTUS=... auto_demos.py [DEMO ...]    prints the table; fails if a point of Saltus is wrong by 1e-10, missing or false
It needs the Debian package auto-07p (the program, without its demos: the equations are read from the models here)."""
import json
import math
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy

from auto_demo_runs import DEMOS
from auto_model import equations
from orbit_judge import Judge

SALTUS = os.environ["SALTUS"]
MODELS = Path(__file__).resolve().parents[1] / "truths" / "models"
TIGHT = ("NTST=100, NCOL=4, IAD=3, ISP=2, ISW=1, ILP=1, NPR=1000000, MXBF=0, IID=2, ITMX=20, ITNW=9, NWTN=3, JAC=0, EPSL=1e-11, EPSU=1e-11,"
         " EPSS=1e-9, DSMIN=1e-10, IADS=1, THL={11:0.0}")
KINDS = {3: "HB", 5: "LP", 6: "BP", 7: "PD", 8: "NS"}  # AUTO's numbers


def processor_time():
    """Of all programs that have ended: compilers of equations among them, of AUTO's as of ours."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run_auto(demo, folder):
    """Its special points on families of orbits and its Hopf points, each once, and the time that it took."""
    model = MODELS / f"auto_{demo['model']}.toml"
    judge = None if demo.get("forced") else Judge(model, demo["first"][0], demo["auto_values"])
    state = demo.get("auto_state", {})
    if "orbit" in demo:
        x, T, p, turn = demo["orbit"]
        (folder / "eq.dat").write_text(judge.samples(x, T, p, turn))
    elif judge:
        state = dict(zip(state, judge.equilibrium(list(state.values()), demo["auto_values"][demo["first"][0]])))
    text, count = equations(model, demo["first"], demo["auto_values"], state, demo.get("forced"))
    (folder / "eq.f90").write_text(text)
    (folder / "eq.auto").write_text(demo["auto"].replace("TIGHT", f"NDIM={count}, {TIGHT}"))
    begun = processor_time()
    subprocess.run(["auto-07p", "eq.auto"], cwd=folder, capture_output=True, text=True, timeout=600, check=False,
                   env={**os.environ, "OMP_NUM_THREADS": "1"})
    seconds = processor_time() - begun
    found = {}
    for file in sorted(folder.glob("b.*")):
        for line in file.read_text().splitlines():
            words = line.split()
            if len(words) > 4 and words[0] != "0" and int(words[2]) in KINDS:
                kind = KINDS[int(words[2])]
                found.setdefault((kind, round(float(words[4]), 7)), (kind, float(words[4])))
    return sorted(found.values(), key=lambda f: (f[1], f[0])), seconds


def run_saltus(demo, folder):
    """The labelled points of all its runs, each once, the ends, and the time that it took."""
    model = str(MODELS / f"auto_{demo['model']}.toml")
    begun = processor_time()
    results = []
    for words in demo["saltus"]:
        words = [w.replace("FOLDER", str(folder)) for w in words]
        done = subprocess.run([SALTUS, words[0], model, *words[1:], "--json"], capture_output=True, text=True, timeout=600, check=False)
        if done.returncode not in (0, 1):  # 1: a branch that ended early, which `ends` has to say
            raise SystemExit(f"{' '.join(words)}: {done.stderr}")
        if words[0] == "continue":
            results.append(json.loads(done.stdout))
    seconds = processor_time() - begun
    points = []
    for result in results:
        for point in result["points"]:
            kind = re.match("[A-Z]*", point["label"] or "").group(0)
            if kind and not any(k == kind and abs(p["p"] - point["p"]) < 1e-9 * (1 + abs(p["p"])) for k, p in points):
                points.append((kind, point))
    return points, [end for result in results for end in result["ends"]], seconds


def judged(demo, kind, point):
    """The same point by a third computation; none where it is not made for it."""
    if demo.get("forced") or (kind in ("GR", "SL", "UZ")):
        return None
    judge = Judge(MODELS / f"auto_{demo['model']}.toml", demo["varied"], demo["judge_values"])
    turn = numpy.array(demo["orbit"][3] if "orbit" in demo else 0.0) * point["returns"]
    if kind == "HB":
        return judge.hopf(point["x"], point["p"])
    if kind == "BP":
        if "apart" in demo:
            return judge.crossing(point["x"], point["period"], point["p"], demo["apart"], turn)
        found = [judge.crossing_in_period(point["x"], point["period"], point["p"], part * point["period"], turn) for part in (1e-4, 5e-5)]
        return found[1] if abs(found[1] - found[0]) < 1e-10 else None  # undecided
    return judge.special(kind, point["x"], point["period"], point["p"], turn)


def matched(demo, points, found):
    """AUTO's point for each of ours, the nearest of its kind, and what is left of AUTO's."""
    left = list(found)
    pairs = []
    for kind, point in points:
        near = [f for f in left if f[0] == kind and abs(f[1] - point["p"]) < demo.get("near", 1e-5) * (1 + abs(f[1]))]
        best = min(near, key=lambda f: abs(f[1] - point["p"]), default=None)
        if best:
            left.remove(best)
        pairs.append((kind, point, best))
    return pairs, left


def table_of(name, demo):
    """Its rows, and whether all is as it should be."""
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        found, auto_seconds = run_auto(demo, folder)
        points, ends, seconds = run_saltus(demo, folder)
    pairs, left = matched(demo, points, found)
    right = sorted(kind for kind, _, _ in pairs) == sorted(demo["kinds"])
    rows = []
    for kind, point, best in sorted(pairs, key=lambda pair: pair[1]["p"]):
        third = judged(demo, kind, point)
        error = math.nan if third is None else abs(point["p"] - third)
        right = right and not error > 1e-10 * max(1.0, abs(point["p"]))
        rows.append(f"| {name} | {kind} | {f'{best[1]:.11g}' if best else 'not found'} | {point['p']:.13g} | {error:.0e} | | |")
    inner = [end["reason"] + (f" {end['limit']:.10g}" if end.get("limit") is not None else "") for end in ends]
    if sorted({end["reason"] for end in ends}) != sorted(set(demo["ends"])):
        right = False
    false = ", ".join(f"{kind} {p:.8g}" for kind, p in left) if len(left) < 5 else f"{len(left)} points"
    rows.append(f"| {name} | {', '.join(dict.fromkeys(inner))} | {'not ours: ' + false if left else ''} | | | {auto_seconds:.2f} s | {seconds:.2f} s |")
    return rows, right


def main():
    if not shutil.which("auto-07p"):
        print("auto-07p is not installed: nothing to compare with")
        return 0
    print("| demo | point | AUTO-07p | Saltus | Saltus − third | time of AUTO | of Saltus |\n|---|---|---|---|---|---|---|")
    wrong = []
    for name in sys.argv[1:] or DEMOS:
        rows, right = table_of(name, DEMOS[name])
        print("\n".join(rows), flush=True)
        if not right:
            wrong.append(name)
    print(f"FAILED  {', '.join(wrong)}" if wrong else "all as they should be", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
