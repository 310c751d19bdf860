"""`saltus continue` where it cannot go on: it says where and why, and keeps what it has."""
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SALTUS = os.environ["SALTUS"]
ROOT = Path(__file__).resolve().parents[2]
OSCILLATOR = str(ROOT / "examples/impact_oscillator.toml")
AT = ["--set", "omega=2.4", "--set", "sigma=0.12"]
FAMILY = """# Every motion is periodic: no orbit is alone.
[parameters]
p = 1
[mechanics]
coordinates = ["x"]
mass  = [["1"]]
force = ["-x"]
[forcing]
period = "2*pi"
[initial]
x = 1
"""
CLOCK = """# The rate of w has no value behind t = 20.
[parameters]
p = 1
[mechanics]
states = ["x", "y", "z", "w"]
rates = ["p*y", "-p*x", "1", "sqrt(20 - z) - w"]
[section]
surface = "y"
[initial]
x = 1
"""


def saltus(*arguments):
    return subprocess.run([SALTUS, "continue", *arguments], capture_output=True, text=True, timeout=100, check=False)


class ContinueFailures(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_what_cannot_be_done_is_said(self):
        family = str(self.folder / "family.toml")
        Path(family).write_text(FAMILY)
        cases = [
            ((OSCILLATOR, "--vary", "sigma=0.1:0.25"), 2, "outside of --vary"),
            ((OSCILLATOR, *AT, "--vary", "sigma=0.1:0.25", "--switch", "PD7"), 2, "its special points: PD1, GR1"),
            ((OSCILLATOR, *AT, "--vary", "sigma=0.1:0.25", "--switch", "GR1"), 2, "branches can be changed at PD and BP"),
            ((OSCILLATOR, *AT, "--vary", "sigma=0.1:0.25", "--vary", "omega=2:3"), 2, "add --point LABEL"),
            ((OSCILLATOR, *AT, "--vary", "sigma=0.1:0.25", "--from", str(ROOT / "README.md")), 4, "no JSON at line 1"),
            ((OSCILLATOR, "--set", "omega=2.8", "--vary", "sigma=-0.1:0.1"), 1, "is not periodic"),
            ((family, "--vary", "p=0:2", "--period", "1", "--transient", "0"), 1, "the Jacobian is singular\n  the motion misses"),
            ((family, "--vary", "p=0:2", "--period", "1", "--transient", "0", "--method", "rk"), 1,
             "the equations of the orbit are singular, and no test function says why"),
        ]
        for arguments, code, words in cases:
            run = saltus(*arguments)
            self.assertEqual(run.returncode, code, (arguments, run.stdout, run.stderr))
            self.assertIn(words, run.stderr)

    def test_a_motion_that_stops_before_it_shows_a_period_says_so(self):
        # It leaves the domain of its rates at t = 20: whether it would have been periodic nobody knows, and Newton's method was never asked.
        model = self.folder / "clock.toml"
        model.write_text(CLOCK)
        run = saltus(str(model), "--vary", "p=0.5:2", "--transient", "15", "--json")
        self.assertEqual(run.returncode, 1)
        result = json.loads(run.stdout)
        self.assertIn("ends before it shows a period", result["message"])
        self.assertIn("stopped at t = 20", result["message"])
        self.assertIn("ends before it shows a period", result["ends"][0]["words"])

    def test_newton_beyond_the_fold_says_where_it_was_and_what_to_do(self):
        file = str(self.folder / "orbit.json")
        made = subprocess.run([SALTUS, "orbit", OSCILLATOR, "--set", "omega=1.6", "--set", "sigma=1.8", "--set", "x=-3.19",
                               "--set", "x'=3.24", "--out", file], capture_output=True, text=True, timeout=100, check=False)
        self.assertEqual(made.returncode, 0, made.stderr)
        run = saltus(OSCILLATOR, "--from", file, "--set", "sigma=1.82", "--vary", "sigma=1.808:1.95")  # the fold is at 1.8073
        self.assertEqual(run.returncode, 1)
        for words in ("no periodic orbit near the stored orbit: the corrections grow", "the motion misses its start by ",
                      "the last point, just behind an event: x = 1.82, x' = -3.4", "give a better start: --from FILE"):
            self.assertIn(words, run.stderr)

    def test_search_for_the_first_orbit_that_fails_is_stored_and_marked(self):
        orbit = str(self.folder / "orbit.json")
        made = subprocess.run([SALTUS, "orbit", OSCILLATOR, "--set", "omega=1.6", "--set", "sigma=1.8", "--set", "x=-3.19",
                               "--set", "x'=3.24", "--out", orbit], capture_output=True, text=True, timeout=100, check=False)
        self.assertEqual(made.returncode, 0, made.stderr)
        beyond = (OSCILLATOR, "--from", orbit, "--set", "sigma=1.82", "--vary", "sigma=1.7:1.95")  # the fold is at 1.8073
        file = self.folder / "none.json"
        run = saltus(*beyond, "--out", str(file))
        self.assertEqual(run.returncode, 1)
        stored = json.loads(file.read_text())
        self.assertFalse(stored["complete"])
        self.assertIn("no periodic orbit near the stored orbit", stored["message"])
        self.assertEqual([point["converged"] for point in stored["points"]], [False])
        self.assertEqual(stored["points"][0]["p"], 1.82)
        self.assertEqual(len(stored["points"][0]["x"]), 2)
        self.assertEqual(saltus(*beyond, "--out", str(self.folder / "none.nc")).returncode, 1)
        self.assertEqual(saltus(*beyond, "--json").returncode, 1)
        # What is stored can be begun with, at another value too.
        for name in ("none.json", "none.nc"):
            again = saltus(OSCILLATOR, "--from", str(self.folder / name), "--set", "sigma=1.75", "--vary", "sigma=1.7:1.95",
                           "--json")
            self.assertIn(again.returncode, (0, 1), again.stderr)
            self.assertTrue(json.loads(again.stdout)["points"])

    def test_orbit_that_loses_its_sequence_during_newton_says_so_and_is_stored(self):
        # The one-impact orbit that Newton's method finds here would pass through the stop.
        file = self.folder / "lost.json"
        run = saltus(OSCILLATOR, "--set", "omega=1.6", "--set", "sigma=-0.35", "--set", "x=-0.39", "--set", "x'=0.17",
                     "--transient", "0", "--period", "1", "--vary", "sigma=-0.4:-0.3", "--out", str(file))
        self.assertEqual(run.returncode, 1, run.stderr)
        for words in ("it lost its sequence of events: impact at t = ", "the last point, just behind an event: x = -0.35",
                      "give a better start: --from FILE"):
            self.assertIn(words, run.stderr)
        stored = json.loads(file.read_text())
        self.assertEqual([point["converged"] for point in stored["points"]], [False])

    def test_branch_that_cannot_leave_its_start_says_so_once(self):
        family = str(self.folder / "family_once.toml")
        Path(family).write_text(FAMILY)
        run = saltus(family, "--vary", "p=0:2", "--period", "1", "--transient", "0", "--method", "rk")
        self.assertEqual(run.returncode, 1)
        self.assertEqual(run.stderr.count("the branch ends at"), 1, run.stderr)
        self.assertEqual(run.stdout.count("p = 1: the equations of the orbit are singular"), 1, run.stdout)

    def test_branch_ends_where_the_model_loses_its_meaning_and_keeps_what_it_has(self):
        file = self.folder / "part.json"
        run = saltus(OSCILLATOR, "--set", "omega=2.4", "--set", "sigma=0.1", "--vary", "e=0.7:1.5", "--out", str(file))
        self.assertEqual(run.returncode, 1)
        self.assertIn("the branch ends at e = 0.99999", run.stderr)
        self.assertIn("beyond, the restitution of contact 'stop' is ", run.stderr)
        self.assertIn("try a smaller --step", run.stderr)
        stored = json.loads(file.read_text())
        self.assertFalse(stored["complete"])
        self.assertAlmostEqual(stored["points"][-1]["p"], 1.0, delta=1e-6)

    def test_branch_that_runs_out_of_points_says_where_and_keeps_what_it_has(self):
        file = self.folder / "part.json"
        run = saltus(OSCILLATOR, *AT, "--vary", "sigma=0.1:0.25", "--points", "4", "--out", str(file))
        self.assertEqual(run.returncode, 1)
        self.assertIn("the branch ends at sigma = ", run.stderr)
        self.assertIn("allow more with --points", run.stderr)
        stored = json.loads(file.read_text())
        self.assertFalse(stored["complete"])
        self.assertGreaterEqual(len(stored["points"]), 4)


if __name__ == "__main__":
    unittest.main()
