"""Every result file reproduces itself: the command that it records writes the same bytes. All options of all commands are used."""
import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import xarray

SALTUS = os.environ["SALTUS"]
ROOT = Path(__file__).resolve().parents[2]
# Van der Pol: one attracting cycle, without forcing.
CYCLE = """[parameters]
mu = 1
[mechanics]
coordinates = ["x"]
mass  = [["1"]]
force = ["mu*(1 - x^2)*x' - x"]
[section]
surface = "x"
[initial]
"x'" = 2
[case.weak]
mu = 0.5
"""
# A circle of radius sqrt(p), gone round with the frequency 1 + s p.
CIRCLES = """[parameters]
p = 1
s = 0.5
[define]
g = "p - x^2 - y^2"
w = "1 + s*(x^2 + y^2)"
[mechanics]
states = ["x", "y"]
rates = ["x*g - w*y", "y*g + w*x"]
[section]
surface = "y"
[initial]
x = 1
"""
# The circle of radius 1, from which two others part at p = 0.
FORK = """[parameters]
p = -0.5
[define]
g = "1 - x^2 - y^2"
[mechanics]
states = ["x", "y", "z"]
rates = ["x*g - y", "y*g + x", "z*(p - z^2)"]
[section]
surface = "y"
[initial]
x = 1
"""
# Orbits about a centre, all at lam = 0.
CENTRE = """[parameters]
lam = 0
[mechanics]
states = ["x", "y"]
rates = ["-lam*x - y", "x*(1-x)"]
[section]
surface = "y"
[initial]
x = 0.5
"""
SOLVER = ["--rtol", "1e-9", "--atol", "1e-11"]
SHOWN = ["--quiet", "--plot", "picture.svg", "--threads", "1"]
AT = ["--set", "omega=2.4", "--set", "sigma=0.12"]
SWEEP = ["--method", "rk", *SOLVER, *SHOWN]

# Command, words, the form of its file. Files of earlier runs are those that later ones begin with.
RUNS = [
    ("simulate", ["oscillator.toml", "--set", "x'=-0.25", "--periods", "4", "--transient", "1.5", "--samples", "9", "--method",
                  "rk", *SOLVER, "--events", "--report", *SHOWN[:3], "--plot-kind", "phase", "--observe", "x,energy"], "nc"),
    ("simulate", ["cycle.toml", "--case", "weak", "--time", "3", "--json"], "json"),
    ("lyapunov", ["oscillator.toml", "--periods", "20", "--transient", "10", "--method", "rk", *SOLVER, "--base", "2", "--starts",
                  "3", "--seed", "7", "--spread", "0.5", *SHOWN], "csv"),
    ("lyapunov", ["cycle.toml", "--case", "weak", "--set", "mu=0.7", "--time", "60", "--surface", "-x'", "--direction", "down",
                  "--modulo", "4*pi", "--error", "0.5", "--tangent-check", "--json"], "json"),
    ("section", ["cycle.toml", "--case", "weak", "--set", "mu=0.7", "--time", "30", "--transient", "5", "--surface", "-x'",
                 "--direction", "both", "--modulo", "1.5", "--method", "rk", *SOLVER, "--starts", "2", "--seed", "5", "--spread",
                 "0.3", *SHOWN, "--x", "x", "--y", "x'", "--color", "t"], "nc"),
    ("section", ["oscillator.toml", "--periods", "9", "--at-impacts", "stop", "--json"], "json"),
    ("section", ["oscillator.toml", "--periods", "9", "--starts", "states.csv"], "csv"),
    ("diagram", ["oscillator.toml", "--set", "e=0.7", "--vary", "omega=2.6:2.8:3", "--periods", "8", "--transient", "6",
                 "--direction", "both", "--observe", "max(energy)", "--lyapunov", "--base", "2", "--settle", "9", "--starts",
                 "2", "--seed", "3", "--spread", "0.5", "--ramps", "2", "--resume", *SWEEP], "nc"),
    ("diagram", ["cycle.toml", "--case", "weak", "--vary", "mu=0.5:1:3", "--returns", "9", "--surface", "-x'", "--crossing",
                 "down", "--modulo", "6", "--json"], "json"),
    ("diagram", ["cycle.toml", "--vary", "mu=0.5:1:3", "--time", "30", "--extrema"], "csv"),
    ("diagram", ["oscillator.toml", "--vary", "omega=2.6:2.8:3", "--periods", "8", "--at-impacts", "stop"], "csv"),
    ("diagram", ["oscillator.toml", "--vary", "omega=2.6:2.8:3", "--periods", "8", "--impact-velocity", "stop"], "json"),
    ("map", ["oscillator.toml", "--set", "e=0.7", "--vary", "omega=2.6:2.8:3", "--vary", "zeta=0.05:0.1:2", "--periods", "8",
             "--transient", "6", "--measure", "impacts", "--resume", *SWEEP], "nc"),
    ("map", ["cycle.toml", "--case", "weak", "--vary", "mu=0.5:1:2", "--vary", "x=0.5:1:2", "--time", "20", "--surface", "-x'",
             "--crossing", "down", "--modulo", "6", "--json"], "json"),
    ("map", ["cycle.toml", "--vary", "mu=0.5:1:2", "--vary", "x=0.5:1:2", "--returns", "5"], "csv"),
    ("basin", ["oscillator.toml", "--set", "omega=2.72", "--vary", "x=-1:0.5:3", "--vary", "x'=-1:1:2", "--periods", "16",
               "--transient", "20", "--base", "2", "--resume", *SWEEP], "nc"),
    ("basin", ["cycle.toml", "--case", "weak", "--vary", "x=0.5:1:2", "--vary", "x'=0:1:2", "--time", "40", "--surface", "-x'",
               "--crossing", "down", "--modulo", "6", "--json"], "json"),
    ("basin", ["cycle.toml", "--vary", "x=0.5:1:2", "--vary", "x'=0:1:2", "--returns", "8"], "csv"),
    ("orbit", ["oscillator.toml", *AT, "--transient", "40", "--period", "1", "--segments", "2", "--method", "rk", "--residual",
               "1e-9", "--iterations", "30", "--samples", "7", *SOLVER, "--report", "--observe", "x,x'", *SHOWN], "json"),
    ("orbit", ["cycle.toml", "--case", "weak", "--transient", "20", "--surface", "-x'", "--direction", "down", "--modulo", "50",
               "--json"], "nc"),
    ("orbit", ["free.toml", "--time", "6.6", "--transient", "20"], "csv"),
    ("orbit", ["oscillator.toml", *AT, "--starts", "3", "--seed", "4", "--spread", "0.5"], "csv"),
    ("orbit", ["pair.toml", "--case", "eta0772", "--method", "tfem", "--elements", "8", "--degree", "4", "--transient", "30"],
     "json"),
    ("continue", ["oscillator.toml", *AT, "--vary", "sigma=0.1:0.14", "--transient", "200", "--step", "0.05", "--points", "9",
                  "--direction", "up", "--at", "sigma=0.125,0.13", "--stop", "UZ2", "--period", "1", "--method", "rk",
                  *SOLVER, "--observe", "max(x)", *SHOWN[:3], "--over", "picture.nc"], "json"),
    ("continue", ["cycle.toml", "--case", "weak", "--vary", "mu=0.4:0.6", "--surface", "-x'", "--modulo", "50", "--longest", "20",
                  "--json"], "nc"),
    ("continue", ["oscillator.toml", "--vary", "sigma=0.1:0.14", "--from", "first_continue.json", "--point", "2"], "csv"),
    ("continue", ["circles.toml", "--vary", "p=0.7:1.4", "--vary", "s=0.3:0.8", "--fix", "period"], "json"),
    ("continue", ["fork.toml", "--vary", "p=-0.6:0.4", "--switch", "BP1"], "json"),
    ("continue", ["centre.toml", "--vary", "lam=-1:1", "--family", "--points", "8"], "json"),
    ("response", ["pair.toml", "--set", "zeta11=0.06", "--vary", "eta=0.6:0.7:2", "--periods", "12", "--transient", "0", "--observe",
                  "-q1", "--direction", "up", "--samples", "64", "--method", "rk", "--resume", *SOLVER, *SHOWN], "nc"),
    ("response", ["pair.toml", "--case", "trilinear", "--vary", "eta=0.6:0.7:2", "--method", "tfem", "--elements", "8", "--degree", "4",
                  "--json"], "json"),
    ("response", ["pair.toml", "--vary", "eta=0.6:0.7:2", "--time", "90"], "csv"),
    ("response", ["oscillator.toml", *AT[:2], "--vary", "sigma=0.11:0.13", "--direction", "none", "--continuation", "--from",
                  "first_continue.json", "--point", "1", "--step", "0.1"], "json"),
    ("hill", ["mathieu.toml", "--case", "second_tongue", "--set", "beta=0.3", "--block", "7", "--verify", *SOLVER, *SHOWN], "nc"),
    ("hill", ["mathieu.toml", "--vary", "alpha=0.5:1:3", "--vary", "beta=0:0.5:2", "--approximations", "--json"], "json"),
    ("hill", ["mathieu.toml", "--chart"], "csv"),
]


def options_of(command):
    text = subprocess.run([SALTUS, command, "--help"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"(?m)^  (--[a-z-]+)", text)) - {"--help"}


def command_in(file):
    if file.suffix == ".json":
        return json.loads(file.read_text())["recipe"]["command"]
    if file.suffix == ".csv":
        return re.search(r"(?m)^# command: (.*)$", file.read_text()).group(1)
    with xarray.open_dataset(file) as data:
        return data.attrs["command"]


class Recipes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        for name, example in (("oscillator", "impact_oscillator"), ("pair", "clearance_pair"), ("mathieu", "mathieu_stop")):
            shutil.copy(ROOT / "examples" / f"{example}.toml", cls.folder / f"{name}.toml")
        for name, text in (("cycle", CYCLE), ("circles", CIRCLES), ("fork", FORK), ("centre", CENTRE),
                           ("free", CYCLE.replace('[section]\nsurface = "x"\n', ""))):
            (cls.folder / f"{name}.toml").write_text(text)
        (cls.folder / "states.csv").write_text("x,x'\n-0.5,0\n-0.25,0.125\n")
        cls.saltus("diagram", "oscillator.toml", *AT[:2], "--vary", "sigma=0.1:0.14:2", "--periods", "4", "--out", "picture.nc")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def saltus(cls, *words):
        return subprocess.run([SALTUS, *words], capture_output=True, text=True, cwd=cls.folder, timeout=200, check=False)

    def files(self, name):
        """By what follows the name: a CSV file has others beside it."""
        return {each.name[len(name):]: each.read_bytes() for each in self.folder.glob(f"{name}*")}

    def reproduce(self, number, command, words, ending):
        name = f"{number}_{command}"
        if command == "continue" and not (self.folder / "first_continue.json").exists():
            name = "first_continue"
        first = self.saltus(command, *words, "--out", f"{name}.{ending}")
        self.assertIn(first.returncode, (0, 1), (command, words, first.stderr))
        recorded = shlex.split(command_in(self.folder / f"{name}.{ending}"))
        self.assertEqual(recorded[:2], ["saltus", command])
        for each in self.folder.glob("again*"):
            each.unlink()
        again = self.saltus(*recorded[1:], "--out", f"again.{ending}")
        self.assertEqual(again.returncode, first.returncode, (recorded, again.stderr))
        before, after = self.files(f"{name}"), self.files("again")
        self.assertEqual(before.keys(), after.keys())
        for each in before:
            self.assertTrue(before[each] == after[each], f"{' '.join(recorded)} does not reproduce {name}{each}")

    def test_the_command_of_every_file_writes_the_same_file(self):
        for number, (command, words, ending) in enumerate(RUNS):
            with self.subTest(command=command, number=number):
                self.reproduce(number, command, words, ending)

    def test_every_option_is_in_one_of_these_runs(self):
        for command in dict(run[:2] for run in RUNS):
            used = {word for name, words, _ in RUNS if name == command for word in words if word.startswith("--")}
            self.assertEqual(options_of(command) - used - {"--out"}, set(), command)


if __name__ == "__main__":
    unittest.main()
