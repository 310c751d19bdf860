"""The way of AUTO's demo lrz to its homoclinic orbit: the family of orbits of the Lorenz equations from their Hopf point, rho = 470/19, until the period is long,
by `saltus continue` and, where the Debian package auto-07p is installed, by AUTO with EPSL = EPSU = 1e-11, EPSS = 1e-9.
  SALTUS=... bench/lorenz_homoclinic.py [PERIOD]     default 45
The homoclinic orbit is at rho = 13.926557407520."""
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/nightly"))
from auto_demo_runs import LORENZ, from_hopf  # noqa: E402
from auto_model import equations  # noqa: E402

MODEL = ROOT / "tests/truths/models/auto_lor.toml"
SALTUS = os.environ.get("SALTUS", str(ROOT / "build/release/bin/saltus"))
TRUTH = 13.926557407520
TIGHT = ("NTST=100, NCOL=4, IAD=3, ISP=2, ISW=1, ILP=1, NPR=1000000, MXBF=0, IID=2, ITMX=20, ITNW=9, NWTN=3, JAC=0, EPSL=1e-11, EPSU=1e-11,"
         " EPSS=1e-9, DSMIN=1e-10, IADS=1, THL={11:0.0}")


def timed(command, folder, **more):
    """The processor time of a program and of those that it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, check=True, capture_output=True, **more)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def saltus(folder, longest):
    """The first orbit and the branch from it down."""
    seconds = timed([SALTUS, "orbit", MODEL, *LORENZ, "--out", "orbit.json"], folder)
    words = ["--from", "orbit.json", "--vary", "rho=13:30", "--longest", str(longest), "--out", "branch.json"]
    seconds += timed([SALTUS, "continue", MODEL, *words], folder)
    branch = json.loads((folder / "branch.json").read_text())
    end = next(end for end in branch["ends"] if end["reason"] == "homoclinic")
    return seconds, max(point["period"] for point in branch["points"]), end["limit"], len(branch["points"])


def auto_orbits(folder, most):
    """The equilibrium from rho = 20 and at most so many orbits of the family from its Hopf point: time, and period and rho of each."""
    text, count = equations(MODEL, ["rho"], {"rho": 20}, {"x": 7.1180521680208741, "y": 7.1180521680208741, "z": 19})
    (folder / "eq.f90").write_text(text)
    way = from_hopf((10.0, 30.0), step=0.5, first=0.02, longest=1e9, equilibria=1.0).replace("NMX=400", f"NMX={most}")
    (folder / "eq.auto").write_text(way.replace("TIGHT", f"NDIM={count}, {TIGHT}"))
    seconds = timed(["auto-07p", "eq.auto"], folder, env={**os.environ, "OMP_NUM_THREADS": "1"})
    rows = [line.split() for line in (folder / "b.po0").read_text().splitlines()]
    return seconds, [(float(row[-1]), float(row[4])) for row in rows if len(row) > 5 and row[0] != "0"]


def auto(folder, longest):
    """Until the first orbit that is as long: it steps over a period that is wanted, and is asked for as many orbits as it needs."""
    _, orbits = auto_orbits(folder, 400)
    needed = next(i for i, (period, _) in enumerate(orbits, 1) if period >= longest)
    seconds, orbits = auto_orbits(folder, needed)
    return seconds, *max(orbits), len(orbits)


def main():
    longest = float(sys.argv[1]) if len(sys.argv) > 1 else 45.0
    print("| program | longest period | rho there | off | orbits | processor time |\n|---|---|---|---|---|---|")
    for name, run in (("saltus", saltus), ("AUTO-07p", auto)):
        if run is auto and not shutil.which("auto-07p"):
            print("AUTO-07p is not installed")
            continue
        with tempfile.TemporaryDirectory() as text:
            seconds, period, rho, count = run(Path(text), longest)
        print(f"| {name} | {period:.2f} | {rho:.12f} | {abs(rho - TRUTH):.0e} | {count} | {seconds:.2f} s |")


if __name__ == "__main__":
    main()
