"""Families of orbits in two parameters and at one value of one, and the multipliers of special points, against closed forms."""
import csv
import json
import math
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SALTUS = os.environ["SALTUS"]
ROOT = Path(__file__).resolve().parents[2]
TABLE = str(ROOT / "examples/vibrating_table.toml")

# A circle of radius sqrt(p), gone round with the frequency 1 + s p; z decays as exp(-k t).
CIRCLES = """[parameters]
p = 1
s = 0.5
k = 1
[define]
g = "p - x^2 - y^2"
w = "1 + s*(x^2 + y^2)"
[mechanics]
states = ["x", "y", "z"]
rates = ["x*g - w*y", "y*g + w*x", "-k*z"]
[section]
surface = "y"
direction = "up"
[initial]
x = 1
"""
# Circles r with p + c r^2 - r^4 = 0: a fold at p = -c^2/4 and, for c > 0, a Hopf point at p = 0 into which unstable ones shrink.
NEARLY_DEGENERATE = """[parameters]
p = 0.5
c = 0.01
[define]
g = "p + c*(x^2 + y^2) - (x^2 + y^2)^2"
[mechanics]
states = ["x", "y"]
rates = ["x*g - y", "y*g + x"]
[section]
surface = "y"
direction = "up"
[initial]
x = 0.8
"""
# The circle of radius 1, from which two others part at p = r^2; eps spoils it.
FORK = """[parameters]
p = -0.5
r = 0.5
eps = 0
[define]
g = "1 - x^2 - y^2"
[mechanics]
states = ["x", "y", "z"]
rates = ["x*g - y", "y*g + x", "z*(p - r^2 - z^2) + eps*(r - 0.5)"]
[section]
surface = "y"
direction = "up"
[initial]
x = 1
"""
# AUTO's demo phs: H = y²/2 + x²/2 − x³/3 at lam = 0, up to a homoclinic at H = 1/6.
CONSERVATIVE = """[parameters]
lam = 0
[mechanics]
states = ["x", "y"]
rates = ["-lam*x - y", "x*(1-x)"]
[section]
surface = "y"
direction = "up"
[initial]
x = 0.5
"""

ELASTIC = """[parameters]
d = 0
s = 0.5
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["-x - d*x'"]
[[contact]]
name = "wall"
gap = "x + s"
restitution = "1"
[section]
surface = "x'"
direction = "down"
[initial]
x = 1
"""


def complete_integral(k):
    a, b = 1.0, math.sqrt(1.0 - k * k)
    while abs(a - b) > 1e-15:
        a, b = (a + b) / 2, math.sqrt(a * b)
    return math.pi / (2 * a)


def period_at(energy):
    """Of the conservative model: the cubic's roots x1 < x2 < x3, T = 4 K(k) sqrt(3/2)/sqrt(x3 − x1)."""
    def root(left, right):
        f = lambda x: energy - x * x / 2 + x ** 3 / 3
        for _ in range(200):
            middle = (left + right) / 2
            left, right = (middle, right) if (f(middle) > 0) == (f(left) > 0) else (left, middle)
        return (left + right) / 2
    x1, x2, x3 = root(-1, 0), root(0, 1), root(1, 2)
    return 4 * math.sqrt(1.5) * complete_integral(math.sqrt((x2 - x1) / (x3 - x1))) / math.sqrt(x3 - x1)


class Families(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_saltus(self, model, *words, code=0, out="out.json"):
        path = Path(self.folder.name) / "model.toml"
        path.write_text(model)
        target = Path(self.folder.name) / out
        done = subprocess.run([SALTUS, "continue", str(path), *map(str, words), "--out", target],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return json.loads(target.read_text()) if out.endswith("json") and code < 2 else done

    def test_orbits_of_one_period_lie_on_their_closed_form(self):
        result = self.run_saltus(CIRCLES, "--vary", "p=0.3:3", "--vary", "s=0.1:2", "--fix", "period", "--at", "p=2")
        self.assertGreater(len(result["points"]), 8)
        for point in result["points"]:
            p, s = point["p"]
            self.assertAlmostEqual(s * p, 0.5, delta=1e-9)
            self.assertAlmostEqual(point["period"], 2 * math.pi / 1.5, delta=1e-10)
            self.assertAlmostEqual(math.hypot(*point["x"]), math.sqrt(p), delta=1e-9)
        self.assertEqual([(s["label"], s["p"][0]) for s in result["special"]], [("UZ1", 2)])
        self.assertAlmostEqual(result["special"][0]["p"][1], 0.25, delta=1e-10)
        self.assertEqual({e["reason"] for e in result["ends"]}, {"bound"})

    def test_a_period_is_fixed_in_two_parameters_without_forcing_only(self):
        done = self.run_saltus(CIRCLES, "--vary", "p=0.3:3", "--fix", "period", code=2)
        self.assertIn("expected --fix period with two --vary", done.stderr)

    def test_branch_points_in_two_parameters(self):
        words = ["--vary", "p=-1:2", "--vary", "r=-1:1.2", "--point", "BP1"]
        result = self.run_saltus(FORK, *words)
        self.assertGreater(len(result["points"]), 8)
        for point in result["points"]:
            self.assertAlmostEqual(point["p"][0], point["p"][1] ** 2, delta=1e-9)
        self.assertEqual([e["reason"] for e in result["ends"]], ["bound", "bound"])

    def test_branch_points_that_are_spoiled_end_in_words(self):
        # With eps the fork is one at r = 1/2 only.
        result = self.run_saltus(FORK, "--set", "eps=0.1", "--vary", "p=-1:2", "--vary", "r=-1:1.2", "--point", "BP1")
        for end in result["ends"]:
            self.assertEqual(end["reason"], "special")
            self.assertIn("they only come near each other", end["words"])

    def test_a_fold_beside_a_hopf_point_is_not_stepped_over(self):
        for c in (0.1, 0.03, 0.01, 0.003):
            branch = self.run_saltus(NEARLY_DEGENERATE, "--set", f"c={c}", "--vary", "p=-1:1", "--transient", "100")
            found = {s["kind"]: s["p"] for s in branch["special"]}
            self.assertEqual(sorted(s["kind"] for s in branch["special"]), ["HB", "LP"], c)
            self.assertAlmostEqual(found["LP"], -c * c / 4, delta=1e-10, msg=c)
            self.assertAlmostEqual(found["HB"], 0, delta=1e-10, msg=c)
            self.assertEqual(sorted(e["reason"] for e in branch["ends"]), ["bound", "hopf"])

    def test_orbits_that_are_wanted_beside_a_hopf_point_are_met(self):
        for p in (1e-2, 1e-3, 1e-5):
            branch = self.run_saltus(NEARLY_DEGENERATE, "--set", "c=-1", "--vary", "p=-1:1", "--at", f"p={p}", "--direction", "down")
            self.assertEqual(([s["kind"] for s in branch["special"]], branch["unmet"]), (["HB", "UZ"], []), p)
            wanted = branch["special"][1]
            self.assertAlmostEqual(wanted["p"], p, delta=1e-16)
            r2 = 2 * p / (1 + math.sqrt(1 + 4 * p))
            self.assertAlmostEqual(math.hypot(*wanted["x"]) / math.sqrt(r2), 1, 5)

    def test_a_conservative_family_from_its_centre_towards_its_homoclinic(self):
        result = self.run_saltus(CONSERVATIVE, "--vary", "lam=-1:1", "--family")
        energies = []
        for point in result["points"]:
            self.assertAlmostEqual(point["p"], 0, delta=1e-9)
            if point["label"] == "HB1":
                continue
            x, y = point["x"]
            energies.append(y * y / 2 + x * x / 2 - x ** 3 / 3)
            if energies[-1] < 1 / 6 - 1e-6:
                self.assertAlmostEqual(point["period"] / period_at(energies[-1]), 1, delta=1e-8)
        self.assertEqual(energies, sorted(energies))
        self.assertGreater(energies[-1], 1 / 6 - 1e-4)
        self.assertEqual([e["reason"] for e in result["ends"]], ["hopf", "homoclinic"])
        [[*saddle]] = result["ends"][1]["saddles"]
        self.assertAlmostEqual(math.dist(saddle, [1, 0]), 0, delta=1e-10)
        self.assertEqual({p["stability"] for p in result["points"]}, {"neutral"})
        self.assertIn("frequency 1", result["ends"][0]["words"])
        self.assertIn("the period grows", result["ends"][1]["words"])
        self.assertEqual([s["kind"] for s in result["special"]], ["HB"])

    def test_elastic_impacts_make_a_family_and_those_of_one_period_lie_on_their_closed_form(self):
        # x'' = −x beside an elastic wall at −s: amplitude A, period 2 (π − acos(s/A)); before the wall is met 2π.
        family = self.run_saltus(ELASTIC, "--vary", "d=-1:1", "--family", "--points", 25, code=1)
        for point in family["points"]:
            self.assertAlmostEqual(point["p"], 0, delta=1e-9)
            A = abs(point["x"][0])
            wanted = 2 * (math.pi - math.acos(0.5 / A)) if A > 0.5 + 1e-6 else 2 * math.pi
            self.assertAlmostEqual(point["period"], wanted, delta=1e-8)
            self.assertEqual(point["stability"], "neutral")
        self.assertEqual([s["kind"] for s in family["special"]], ["GR", "HB"])
        one = self.run_saltus(ELASTIC, "--transient", 0, "--period", 1, "--vary", "d=-1:1", "--vary", "s=0.1:0.9", "--fix", "period", "--family")
        self.assertEqual(one["special"], [])
        for point in one["points"]:
            self.assertAlmostEqual(point["x"][0], 2 * point["p"][1], delta=1e-9)
        self.assertEqual([e["reason"] for e in one["ends"]], ["bound", "bound"])

    def test_doubled_rotations_are_cut_anew_with_the_turns_of_each_half_where_they_are(self):
        """AUTO's demo pen. Places by shooting with SciPy (tests/nightly/orbit_judge.py)."""
        model = (ROOT / "tests/truths/models/auto_pen.toml").read_text()
        branch = self.run_saltus(model, "--vary", "I=0.1:1", "--switch", "PD1")
        found = [(s["kind"], s["p"]) for s in branch["special"]]
        wanted = [("LP", 0.3990743889538), ("BP", 0.331445240639), ("BP", 0.1755117132126), ("LP", 0.1585948572148)]
        self.assertEqual([kind for kind, _ in found], [kind for kind, _ in wanted])
        for (kind, p), (_, truth) in zip(found, wanted):
            self.assertAlmostEqual(p, truth, delta=1e-10, msg=kind)
        self.assertEqual([e["reason"] for e in branch["ends"]], ["homoclinic"])

    def test_without_the_word_a_conservative_family_is_named(self):
        done = self.run_saltus(CONSERVATIVE, "--vary", "lam=-1:1", "--transient", 0, "--period", 1, code=1)
        self.assertEqual(done["points"][0]["converged"], False)
        self.assertIn("--family", done["message"])

    def test_special_points_have_their_multipliers_in_every_output(self):
        words = ["continue", TABLE, "--case", "period1", "--vary", "A=0.36:1.2", "--out"]
        folder = Path(self.folder.name)
        for name in ("table.json", "table.csv"):
            done = subprocess.run([SALTUS, *words, folder / name], capture_output=True, text=True, check=True)
        self.assertRegex(done.stdout, r"floquet    PD1 +-1 ")
        [special] = json.loads((folder / "table.json").read_text())["special"]
        self.assertTrue(any(abs(m["re"] + 1) < 1e-9 and abs(m["log_abs"]) < 1e-9 for m in special["multipliers"]))
        text = [line for line in (folder / "table_special_multiplier.csv").read_text().splitlines() if line[:1] != "#"]
        rows = list(csv.DictReader(text))
        self.assertEqual({row["special"] for row in rows}, {"PD1"})
        self.assertTrue(any(abs(float(row["special_multiplier_re"]) + 1) < 1e-9 for row in rows))
        kinds = [line for line in (folder / "table_special.csv").read_text().splitlines() if line[:1] != "#"]
        [row] = list(csv.DictReader(kinds))
        self.assertEqual((row["special_kind"], float(row["special_value_A"])), ("PD", special["p"]))

    def test_a_multiplier_that_no_number_is_as_small_as_has_its_logarithm(self):
        # exp(−k T) with T = 2π/(1 + s p).
        result = self.run_saltus(CIRCLES, "--set", "k=300", "--vary", "p=0.9:1.1", "--at", "p=1.1", "--direction", "up")
        [special] = result["special"]
        smallest = min(m["log_abs"] for m in special["multipliers"])
        self.assertAlmostEqual(smallest / (-300 * 2 * math.pi / 1.55), 1, delta=1e-8)
        self.assertEqual(min(m["abs"] for m in special["multipliers"]), 0)


if __name__ == "__main__":
    unittest.main()
