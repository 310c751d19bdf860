"""Angles, cyclic coordinates and drift, seen from outside: what commands print where a motion repeats without coming back."""
import json
import math
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SALTUS = os.environ["SALTUS"]

CAPSULE = """
[parameters]
alpha = 1.6
w = 0.95
[define]
contact = "15*max(x1 - x2 - 0.02, 0)"
inner = "(x2 - x1) + 0.02*(x2' - x1')"
[mechanics]
coordinates = ["x1", "x2"]
mass = [["1", "0"], ["0", "5"]]
force = ["alpha*cos(w*t) + inner - contact", "-inner + contact - sign(x2')"]
[forcing]
period = "2*pi/w"
"""

# COCO Recipes 9.3: a support that sticks; y is cyclic, and the orbit grazes the wall at V = 0.5875162504
STICKING = """
[parameters]
V = 0.55
w = 0.92
[mechanics]
coordinates = ["y", "q"]
mass  = [["6", "1"], ["1", "1"]]
force = ["-5*3.17*sign(y')", "V^2*sin(w*t)^2/(1 - q)^2 - 0.04*q' - q"]
[[contact]]
name = "wall"
gap = "0.5 - q"
restitution = 0.8
[forcing]
period = "pi/w"
[initial]
q = 0.32
"""

ROTOR = """
[mechanics]
coordinates = ["phi"]
mass = [["1"]]
force = ["3 - phi' + 0.5*cos(phi/2)"]
[section]
surface = "phi"
modulo = "4*pi"
"""


CONVEYOR = """
[parameters]
mu = 0.3
g = 9.81
al = 0.1
a = 8.0
w = 10.0
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["-g*sin(al) - mu*g*cos(al)*sign(x' - a/w*sin(w*t))"]
[forcing]
period = "2*pi/w"
"""

# an angle whose period is 2 pi u
PENDULUM = """
[parameters]
u = 1e6
[mechanics]
coordinates = ["phi"]
mass = [["1"]]
force = ["-0.1*phi' - u*(1 + 1.2*cos(2*t))*sin(phi/u)"]
[forcing]
period = "pi"
[initial]
phi = "0.3*u"
"phi'" = "1.9*u"
"""


class Drift(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def saltus(self, command, text, *arguments):
        path = Path(self.folder.name) / "model.toml"
        path.write_text(text)
        return subprocess.run([SALTUS, command, str(path), *arguments], capture_output=True, text=True, timeout=120, check=False)

    def result(self, command, text, *arguments):
        done = self.saltus(command, text, *arguments, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def assert_walks(self, drift):
        self.assertEqual(set(drift), {"x1", "x2"})
        for gain in drift.values():
            self.assertAlmostEqual(gain, 1.15815, places=4)

    def test_every_command_tells_the_drift_of_a_walk(self):
        orbit = self.result("orbit", CAPSULE, "--transient", "100")
        self.assert_walks(orbit["drift"])
        self.assertEqual(orbit["stability"], "stable")
        self.assertEqual([m["cyclic"] for m in orbit["multipliers"]].count(True), 1)
        run = ("--periods", "40", "--transient", "150")
        spectrum = self.result("lyapunov", CAPSULE, *run)
        self.assertEqual((spectrum["verdict"], spectrum["period"]), ("periodic", 1))
        self.assert_walks(spectrum["drift"])
        section = self.result("section", CAPSULE, *run)
        self.assertEqual((section["verdict"], section["period"]), ("periodic", 1))
        self.assert_walks(section["drift"])
        branch = self.result("continue", CAPSULE, "--vary", "alpha=1.599:1.601", "--transient", "100")
        for point in branch["points"]:
            self.assertEqual(set(point["drift"]), {"x1", "x2"})
            self.assertEqual(point["stability"], "stable")
        response = self.result("response", CAPSULE, "--vary", "alpha=1.6:1.601:2", "--periods", "40", "--transient", "150",
                               "--observe", "x1 - x2")
        self.assert_walks(response["points"][0]["drift"])
        self.assertEqual(response["points"][0]["stability"], "stable")

    def test_the_text_says_it_too(self):
        self.assertIn("x1 gains 1.15815, x2 gains 1.15815 per period", self.saltus("orbit", CAPSULE, "--transient", "100").stdout)
        self.assertIn("but for a drift", self.saltus("lyapunov", CAPSULE, "--periods", "40", "--transient", "150").stdout)

    def test_a_support_that_sticks_somewhere_has_an_orbit(self):
        orbit = self.result("orbit", STICKING, "--transient", "100")
        self.assertEqual(orbit["stability"], "stable")
        self.assertAlmostEqual(orbit["drift"]["y"], 0.0, places=12)

    def test_a_rotor_of_period_four_pi_is_no_orbit_of_period_zero(self):
        orbit = self.result("orbit", ROTOR)
        self.assertAlmostEqual(orbit["period"], 4.20688712413, places=8)
        self.assertAlmostEqual(orbit["turns"][0], 4 * math.pi, places=10)
        self.assertEqual(orbit["drift"], {})
        self.assertEqual(self.result("lyapunov", ROTOR, "--time", "200", "--transient", "50")["verdict"], "periodic")

    def test_the_amplitude_of_what_drifts_does_not_depend_on_the_length_of_the_run_nor_on_the_road(self):
        vary = ("--vary", "mu=0.3:0.31:2")
        runs = [self.result("response", CONVEYOR, *vary, "--periods", str(periods))["points"] for periods in (16, 32, 64)]
        for points in runs:
            for point, first in zip(points, runs[0]):
                self.assertAlmostEqual(point["amplitude"], first["amplitude"], places=9)
                self.assertIsNone(point["mean"])
                self.assertGreater(abs(point["drift"]["x"]), 0.01)
        # Less than a drift of one period moves it: that is taken off.
        self.assertLess(runs[0][0]["amplitude"], 0.5 * abs(runs[0][0]["drift"]["x"]))
        both = self.result("response", CONVEYOR, *vary, "--continuation")["points"]
        curves = {}
        for point in both:
            curves.setdefault(point["curve"], []).append(point)
        self.assertEqual(set(curves), {"fresh", "branch 1"})
        ends = [point for point in curves["branch 1"] if abs(point["parameter"] - 0.3) < 1e-9]
        self.assertAlmostEqual(ends[0]["amplitude"], runs[0][0]["amplitude"], places=7)

    def test_an_angle_is_counted_in_its_own_turns(self):
        # either way round: the pendulum has a mirror image
        self.assertRegex(self.saltus("orbit", PENDULUM, "--transient", "300").stdout, r"phi turns -?1 times of 6\.28319e\+06\n")
        self.assertRegex(self.saltus("orbit", PENDULUM, "--set", "u=1", "--transient", "300").stdout, r"phi turns -?1 times\n")


class DriftInSweeps(unittest.TestCase):
    def test_diagrams_and_basins_tell_the_drift_and_count_periods_without_it(self):
        with tempfile.TemporaryDirectory() as folder:
            model = Path(folder) / "capsule.toml"
            model.write_text(CAPSULE)
            def answer(*words):
                done = subprocess.run([SALTUS, words[0], str(model), *words[1:], "--json", "--quiet"],
                                      capture_output=True, text=True, timeout=120)
                return json.loads(done.stdout)
            alone = answer("lyapunov", "--periods", "100", "--transient", "300")
            self.assertEqual(alone["period"], 1)
            diagram = answer("diagram", "--vary", "w=0.95:0.96:2", "--periods", "60", "--transient", "300",
                             "--direction", "fresh")
            self.assertEqual(diagram["period"][0], 1)
            for coordinate in ("x1", "x2"):
                self.assertAlmostEqual(diagram["drift"][0][coordinate], alone["drift"][coordinate], delta=1e-6)
            # Starts that differ by a translation lead to one attractor.
            basin = answer("basin", "--vary", "x1=0:20:3", "--vary", "x2=0:20:3", "--periods", "60", "--transient", "300")
            diagonal = [basin["labels"][i][i] for i in range(3)]
            self.assertEqual(len(set(diagonal)), 1)
            drifts = [a["drift"]["x1"] for a in basin["attractors"] if a["label"] == diagonal[0]]
            self.assertAlmostEqual(drifts[0], alone["drift"]["x1"], delta=1e-6)


if __name__ == "__main__":
    unittest.main()
