"""Orbits of one energy while a parameter of the model moves, against closed forms."""
import math
import subprocess
import unittest

from branch_families_test import complete_integral
from branch_runs import SALTUS, BranchRuns

# Energy E: cos A = -E/w, T = 4 K(sin(A/2))/sqrt(w); it rests at w = -E and reaches the top at w = E.
PENDULUM = """[parameters]
d = 0
w = 1
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["-w*sin(x) - d*x'"]
[section]
surface = "x"
direction = "up"
[initial]
"x'" = 1.2
"""
ENERGY = "x'^2/2 - w*cos(x)"
# A body between elastic walls at -1 and s with a spring of stiffness k.
BETWEEN = """[parameters]
d = 0
k = 1
s = 1
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["-k*x - d*x'"]
[[contact]]
name = "wall"
gap = "s - x"
restitution = "1"
[section]
surface = "x"
direction = "up"
[initial]
"x'" = 1.5
"""


def pendulum_period(energy, w):
    return 4 * complete_integral(math.sqrt((1 + energy / w) / 2)) / math.sqrt(w)


class OneEnergy(BranchRuns):
    def model(self, text):
        path = self.folder / "model.toml"
        path.write_text(text)
        return path

    def curve(self, model, *words, code=0):
        return self.branch(self.model(model), "--transient", "0", "--period", "1", *words, code=code)

    def test_a_pendulum_of_one_energy_has_the_periods_of_elliptic_integrals_down_to_its_centre(self):
        result = self.curve(PENDULUM, "--vary", "d=-1:1", "--vary", "w=0.1:3", "--fix", f"{ENERGY}=-0.4", "--at", "w=0.7,2")
        self.assertEqual(result["fixed"], {"quantity": ENERGY, "value": -0.4})
        orbits = [p for p in result["points"] if p["label"] != "HB1"]
        self.assertGreater(len(orbits), 10)
        for point in orbits:
            d, w = point["p"]
            x, v = point["x"]
            self.assertAlmostEqual(d, 0, delta=1e-9)
            self.assertAlmostEqual(v * v / 2 - w * math.cos(x), -0.4, delta=1e-10)
            self.assertAlmostEqual(point["period"] / pendulum_period(-0.4, w), 1, delta=1e-9)
            self.assertEqual(point["stability"], "neutral")
        wanted = {s["p"][1] for s in result["special"] if s["kind"] == "UZ"}
        self.assertEqual(wanted, {0.7, 2})
        [centre] = [s for s in result["special"] if s["kind"] == "HB"]
        self.assertAlmostEqual(centre["p"][1], 0.4, delta=1e-10)
        self.assertAlmostEqual(centre["period"], 2 * math.pi / math.sqrt(0.4), delta=1e-8)
        self.assertEqual({e["reason"] for e in result["ends"]}, {"hopf", "bound"})
        self.assertEqual(result["unmet"], [])

    def test_towards_the_top_only_the_period_grows(self):
        # E = 0.5: at w = 0.5 the pendulum reaches its top, a saddle.
        result = self.curve(PENDULUM, "--vary", "d=-1:1", "--vary", "w=0.1:3", "--fix", f"{ENERGY} = 0.5")
        for point in result["points"]:
            w = point["p"][1]
            if w > 0.5 + 1e-4:
                self.assertAlmostEqual(point["period"] / pendulum_period(0.5, w), 1, delta=1e-7)
        [end] = [e for e in result["ends"] if e["reason"] != "bound"]
        self.assertIn(end["reason"], ("homoclinic", "heteroclinic"))
        for saddle in end["saddles"]:
            self.assertAlmostEqual(abs(saddle[0]), math.pi, delta=1e-9)
        self.assertAlmostEqual(min(p["p"][1] for p in result["points"]), 0.5, delta=1e-6)

    def test_without_a_value_it_is_that_of_the_first_orbit(self):
        result = self.curve(PENDULUM, "--vary", "d=-1:1", "--vary", "w=0.9:1.5", "--fix", ENERGY)
        energy = result["fixed"]["value"]
        for point in result["points"]:
            self.assertAlmostEqual(point["period"] / pendulum_period(energy, point["p"][1]), 1, delta=1e-9)
        self.assertEqual([e["reason"] for e in result["ends"]], ["bound", "bound"])

    def test_a_body_that_strikes_an_elastic_wall_keeps_its_energy(self):
        # x = A sin(t sqrt k) until s: E = k A²/2, T = (2 pi - 2 acos(s/A))/sqrt k.
        result = self.curve(BETWEEN, "--vary", "d=-1:1", "--vary", "k=0.5:2", "--fix", "x'^2/2 + k*x^2/2=1.5")
        self.assertGreater(len(result["points"]), 6)
        for point in result["points"]:
            k = point["p"][1]
            A = math.sqrt(3 / k)
            self.assertAlmostEqual(point["period"], (2 * math.pi - 2 * math.acos(1 / A)) / math.sqrt(k), delta=1e-9)
        self.assertEqual([e["reason"] for e in result["ends"]], ["bound", "bound"])

    def test_what_is_not_kept_and_what_is_not_there_is_said(self):
        words = ["--vary", "d=-1:1", "--vary", "w=0.5:2"]
        changing = self.curve(PENDULUM, *words, "--fix", "x'=1", code=1)
        self.assertIn("changes along the orbit", changing["message"])
        below = self.curve(PENDULUM, *words, "--fix", f"{ENERGY}=-7", code=1)
        self.assertIn("no orbit with", below["message"])
        constant = self.curve(PENDULUM, *words, "--fix", "w=1", code=1)
        self.assertIn("does not depend on the state", constant["message"])
        for wrong, said in ((["--fix", "x' +"], "--fix"), (["--fix", f"{ENERGY}=much"], "--fix"), (["--fix", "nothing=1"], "nothing"),
                            (["--fix", "=1"], "--fix")):
            done = subprocess.run([SALTUS, "continue", self.model(PENDULUM), *words, *wrong], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2, (wrong, done.stderr))
            self.assertIn(said, done.stderr)
        one = subprocess.run([SALTUS, "continue", self.model(PENDULUM), *words[:2], "--fix", ENERGY], capture_output=True, text=True, check=False)
        self.assertEqual(one.returncode, 2)
        self.assertIn("with two --vary", one.stderr)


if __name__ == "__main__":
    unittest.main()
