"""`saltus orbit`, seen from outside: what it prints, writes and draws, and how it fails."""
import json
import math
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SALTUS = os.environ["SALTUS"]
ROOT = Path(__file__).resolve().parents[2]
OSCILLATOR = str(ROOT / "examples/impact_oscillator.toml")
TABLE = str(ROOT / "examples/vibrating_table.toml")


def saltus(*arguments, **options):
    return subprocess.run([SALTUS, *arguments], capture_output=True, text=True, timeout=120, check=False, **options)


class Orbit(unittest.TestCase):
    def test_json_holds_what_the_contract_promises(self):
        done = saltus("orbit", OSCILLATOR, "--transient", "50", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        orbit = json.loads(done.stdout)
        for key in ("x", "period", "multipliers", "stable", "sequence", "residual"):
            self.assertIn(key, orbit)
        self.assertEqual(len(orbit["x"]), 2)
        self.assertTrue(orbit["stable"])
        self.assertEqual(orbit["sequence"], "stop")
        self.assertLess(orbit["residual"], 1e-11)
        for multiplier in orbit["multipliers"]:
            self.assertAlmostEqual(abs(complex(multiplier["re"], multiplier["im"])), multiplier["abs"], places=15)

    def test_the_orbit_is_periodic_when_it_is_simulated(self):
        orbit = json.loads(saltus("orbit", TABLE, "--case", "period2", "--period", "2", "--transient", "100", "--json").stdout)
        self.assertEqual(orbit["returns"], 2)
        start = [f"--set={name}={value!r}" for name, value in zip(orbit["components"], orbit["x"])]
        run = json.loads(saltus("simulate", TABLE, "--case", "period2", *start, "--periods", "2", "--rtol", "1e-12",
                                "--json").stdout)
        for before, after in zip(orbit["x"], run["final"]["q"] + run["final"]["v"]):
            self.assertAlmostEqual(before, after, places=9)

    def test_multipliers_that_errors_hide_are_not_resolved_and_no_contact_is_said_to_annihilate_them(self):
        # The circle r = 1 in one turn of 2 pi: exp(-4 pi) across it, exp(-2 pi k) towards its plane.
        model = """[parameters]
k = 1000
[mechanics]
states = ["x", "y", "z"]
rates = ["x - y - x*(x^2+y^2)", "x + y - y*(x^2+y^2)", "-k*(z - x*y) + x"]
[section]
surface = "y"
direction = "up"
[initial]
x = 1
y = 0
z = 0.1
"""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "circle.toml"
            path.write_text(model, encoding="utf-8")
            for k, resolved in ((10, True), (500, True), (10000, False)):
                done = saltus("orbit", str(path), "--set", f"k={k}", "--json")
                self.assertEqual(done.returncode, 0, done.stderr)
                trivial, across, least = json.loads(done.stdout)["multipliers"]
                self.assertTrue(trivial["trivial"] and trivial["resolved"] and across["resolved"])
                self.assertAlmostEqual(across["log_abs"] / (-4 * math.pi), 1, 8)
                self.assertEqual(least["resolved"], resolved, k)
                self.assertFalse(least["annihilated"])
                if resolved:
                    self.assertAlmostEqual(least["log_abs"] / (-2 * math.pi * k), 1, 8)
            text = saltus("orbit", str(path), "--set", "k=10000").stdout
            self.assertIn("not resolved: smaller than errors of the tangent", text)
            self.assertNotIn("annihilated", text)

    def test_files_of_all_kinds_hold_the_orbit_and_its_recipe(self):
        with tempfile.TemporaryDirectory() as folder:
            for ending in (".json", ".csv", ".nc"):
                path = Path(folder) / f"orbit{ending}"
                done = saltus("orbit", OSCILLATOR, "--transient", "50", "--out", str(path))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertGreater(path.stat().st_size, 100)
            stored = json.loads((Path(folder) / "orbit.json").read_text())
            self.assertEqual(stored["parameters"]["omega"], 2)
            self.assertIn("recipe", stored)
            self.assertIn("saltus orbit", stored["recipe"]["command"])
            table = (Path(folder) / "orbit.csv").read_text()
            self.assertIn("t,x,x'", table)

    def test_the_picture_is_drawn(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "orbit.svg"
            done = saltus("orbit", OSCILLATOR, "--transient", "50", "--quiet", "--plot", str(path))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("<svg", path.read_text())

    def test_without_an_orbit_the_last_point_is_kept_and_marked(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "orbit.json"
            done = saltus("orbit", OSCILLATOR, "--case", "chaos", "--period", "3", "--iterations", "1", "--out", str(path))
            self.assertEqual(done.returncode, 1)
            stored = json.loads(path.read_text())
            self.assertFalse(stored["complete"])
            self.assertIsNone(stored["stable"])
            self.assertEqual(len(stored["x"]), 2)
            self.assertIn("no orbit found", stored["message"])


if __name__ == "__main__":
    unittest.main()
