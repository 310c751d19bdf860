"""What is said of a model does not depend on the units in which it is written: every coordinate alone times a power of ten, and the time.
The scaled model is the text of the first one with expressions put in place of its names. The absolute error of a step belongs to the units, too."""
import json
import os
import random
import subprocess
import tempfile
import unittest
from pathlib import Path

SALTUS = os.environ["SALTUS"]
UNITS = random.Random(20266)


def scaled(text, x, y, t):
    """SX, SY and CT stand for the units of x, y and the time in the text: powers of ten, also broken ones."""
    smallest = min(0, x, y, x - t, y - t)
    for name, power in (("SX", x), ("SY", y), ("CT", t)):
        text = text.replace(name, repr(10.0**power))
    return text + f"\n[solver]\natol = {10.0 ** (-13 + smallest)!r}\n"


STOP = """
[parameters]
R = 0.5
omega = 3
[mechanics]
coordinates = ["X", "Y"]
mass  = [["1", "0"], ["0", "1"]]
force = ["SX*(cos(omega*t/CT) - X/SX - 0.1*CT*X'/SX)/CT^2", "SY*(cos(omega*t/CT) - Y/SY - 0.5*CT*Y'/SY)/CT^2"]
[[contact]]
name = "stop"
gap  = "-X"
restitution = "R"
[forcing]
period = "2*pi*CT/omega"
[initial]
X = "-0.2*SX"
"""

# Duffing's: folds of a smooth orbit.
DUFFING = """
[parameters]
omega = 0.8
[mechanics]
coordinates = ["X", "Y"]
mass  = [["1", "0"], ["0", "1"]]
force = ["SX*(0.3*cos(omega*t/CT) - X/SX - (X/SX)^3 - 0.1*CT*X'/SX)/CT^2", "SY*(X/SX - Y/SY - 0.5*CT*Y'/SY)/CT^2"]
[forcing]
period = "2*pi*CT/omega"
[initial]
X = 0
"""

# Coulomb's friction at a shaken mass: the larger it is, the longer the mass sticks in each period.
FRICTION = """
[parameters]
mu = 0.2
[mechanics]
coordinates = ["X", "Y"]
mass  = [["1", "0"], ["0", "1"]]
force = ["SX*(cos(0.5*t/CT) - X/SX - 0.1*CT*X'/SX - mu*sign(CT*X'/SX))/CT^2", "SY*(X/SX - Y/SY - 0.5*CT*Y'/SY)/CT^2"]
[forcing]
period = "2*pi*CT/0.5"
[initial]
X = "0.3*SX"
"""

# A block on a belt sticks and slips.
BELT = """
[parameters]
v = 0.3
[mechanics]
coordinates = ["X"]
mass  = [["1"]]
force = ["SX*(-X/SX + if(v - CT*X'/SX > 0, 1, -1)/(1 + abs(v - CT*X'/SX)))/CT^2"]
[section]
surface = "X - 0.5*SX"
direction = "up"
[initial]
X = "SX"
"""


class Units(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def answer(self, command, text, powers, *options):
        model = Path(self.folder.name) / "model.toml"
        model.write_text(scaled(text, *powers))
        done = subprocess.run([SALTUS, command, str(model), *(str(o) for o in options), "--json", "--quiet"],
                              capture_output=True, text=True, timeout=300)
        return json.loads(done.stdout)

    def powers(self, count):
        yield from ((9, 0, 0), (-9, 0, 0), (0, 9, 0), (0, -9, 0), (0, 0, 6), (0, 0, -6))
        for _ in range(count):
            yield UNITS.uniform(-4, 4), UNITS.uniform(-4, 4), UNITS.uniform(-3, 3)

    def labels(self, text, powers, *options):
        branch = self.answer("continue", text, powers, *options)
        special = sorted((s["p"], s["kind"]) for s in branch["special"])
        # Where a sequence of impacts is lost, Newton's method or the motion may be the first to tell.
        lost = {"refused": "no_convergence"}
        return special, sorted(lost.get(e["reason"], e["reason"]) for e in branch["ends"])

    def assert_same_branch(self, text, count, *options):
        special, ends = self.labels(text, (0, 0, 0), *options)
        self.assertTrue(special)
        for powers in self.powers(count):
            with self.subTest(powers=powers):
                found, reasons = self.labels(text, powers, *options)
                self.assertEqual(reasons, ends)
                self.assertEqual([kind for _, kind in found], [kind for _, kind in special])
                for (p, _), (q, _) in zip(found, special):
                    self.assertAlmostEqual(p, q, delta=1e-7 * abs(q))

    def test_a_smooth_branch_has_the_same_folds(self):
        self.assert_same_branch(DUFFING, 4, "--vary", "omega=0.8:2.2", "--transient", 200)

    def test_an_impacting_branch_has_the_same_labels(self):
        self.assert_same_branch(STOP, 4, "--vary", "omega=2.9:3.4", "--transient", 200)

    def test_a_branch_with_dry_friction_has_the_same_slides(self):
        self.assert_same_branch(FRICTION, 4, "--vary", "mu=0.05:0.7", "--transient", 200)

    def test_an_orbit_has_the_same_multipliers_and_starts_lead_to_the_same_orbits(self):
        def orbits(powers):
            found = self.answer("orbit", STOP, powers, "--starts", 6, "--period", 2, "--transient", 20)
            return [(o["returns"], round(max(m["abs"] for m in o["multipliers"]), 6)) for o in found["orbits"]]
        first = orbits((0, 0, 0))
        self.assertTrue(first)
        for powers in self.powers(2):
            with self.subTest(powers=powers):
                self.assertEqual(orbits(powers), first)

    def test_stick_and_slip_has_the_same_orbit(self):
        def orbit(powers):
            found = self.answer("orbit", BELT, powers, "--transient", 50 * 10.0 ** powers[2])
            return found["sequence"].split("(")[0], found["period"] / 10.0 ** powers[2], found["stable"]
        sequence, period, stable = orbit((0, 0, 0))
        for powers in self.powers(2):
            with self.subTest(powers=powers):
                got = orbit(powers)
                self.assertEqual((got[0], got[2]), (sequence, stable))
                self.assertAlmostEqual(got[1], period, delta=1e-8)


if __name__ == "__main__":
    unittest.main()
