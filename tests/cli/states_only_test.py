"""Models without coordinates, made of states of the first order: every command has something to show of them by default."""
import json
import math
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SALTUS = os.environ["SALTUS"]

# x' = cos(omega t) − x: |x| = 1/√(1 + omega²) in the steady state.
FORCED = """
[parameters]
omega = 2
[mechanics]
states = ["x"]
rates = ["cos(omega*t) - x"]
[forcing]
period = "2*pi/omega"
"""
# x = cos t, y = sin t on the circle, which attracts with the rate 2.
CIRCLE = """
[parameters]
size = 1
[mechanics]
states = ["x", "y"]
rates = ["-y + x*(size - x^2 - y^2)", "x + y*(size - x^2 - y^2)"]
[section]
surface = "y"
[initial]
x = 0.5
"""


class StatesOnly(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, name, text=None):
        path = Path(self.folder.name) / name
        if text is not None:
            path.write_text(text, encoding="utf-8")
        return str(path)

    def run_json(self, *words):
        done = subprocess.run([SALTUS, *words, "--json", "--quiet"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_a_diagram_and_a_response_show_the_first_state(self):
        forced = self.file("forced.toml", FORCED)
        diagram = self.run_json("diagram", forced, "--vary", "omega=1:3:5", "--periods", "8", "--transient", "20", "--extrema")
        self.assertEqual(diagram["observed"], "x")
        for omega, points in zip(diagram["parameter"]["values"], diagram["points"]):
            self.assertAlmostEqual(max(points), 1 / math.sqrt(1 + omega**2), delta=1e-8)
        response = self.run_json("response", forced, "--vary", "omega=1:3:5")
        for point in response["points"]:
            self.assertAlmostEqual(point["amplitude"], 1 / math.sqrt(1 + point["parameter"] ** 2), delta=1e-8)

    def test_a_branch_and_a_section_do(self):
        circle = self.file("circle.toml", CIRCLE)
        section = self.run_json("section", circle, "--time", "40", "--transient", "20")
        self.assertAlmostEqual(section["points"][-1][0], 1.0, delta=1e-8)
        diagram = self.run_json("diagram", circle, "--vary", "size=1:4:3", "--time", "30", "--transient", "30")
        for size, points in zip(diagram["parameter"]["values"], diagram["points"]):
            self.assertAlmostEqual(points[-1], math.sqrt(size), delta=1e-8)
        branch = self.run_json("continue", circle, "--transient", "20", "--vary", "size=1:2")
        for point in branch["points"]:
            self.assertAlmostEqual(point["x"][0], math.sqrt(point["p"]), delta=1e-8)

    def test_pictures_are_drawn_of_states(self):
        for name, text in (("forced", FORCED), ("circle", CIRCLE)):
            model = self.file(name + ".toml", text)
            for kind in ("time", "phase"):
                picture = self.file(f"{name}_{kind}.svg")
                done = subprocess.run([SALTUS, "simulate", model, "--time", "9", "--plot", picture, "--plot-kind", kind, "--quiet"],
                                      capture_output=True, text=True, timeout=60)
                if (name, kind) == ("forced", "phase"):  # one component makes no plane
                    self.assertEqual(done.returncode, 2)
                    self.assertIn("a phase portrait needs two components", done.stderr)
                else:
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertGreater(Path(picture).stat().st_size, 1000)


if __name__ == "__main__":
    unittest.main()
