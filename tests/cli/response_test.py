"""`saltus response` and `saltus orbit --method tfem` seen from outside: contract, files, resume, interrupts."""
import csv
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

SALTUS = os.environ["SALTUS"]
ROOT = Path(__file__).resolve().parents[2]
PAIR = str(ROOT / "examples/clearance_pair.toml")
GEARS = str(ROOT / "examples/gear_rattle.toml")
OSCILLATOR = """
[parameters]
eta = 0.7
zeta = 0.2
[mechanics]
coordinates = ["x"]
mass  = [["1"]]
force = ["cos(eta*t) - 2*zeta*x' - x"]
[forcing]
period = "2*pi/eta"
[observe]
double = "2*x"
"""


def saltus(*arguments, cwd=None):
    return subprocess.run([SALTUS, *arguments], capture_output=True, text=True, timeout=100, check=False, cwd=cwd)


class Response(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.model = str(self.folder / "oscillator.toml")
        Path(self.model).write_text(OSCILLATOR, encoding="utf-8")

    def response(self, *arguments, code=0):
        run = saltus("response", *arguments, "--json")
        self.assertEqual(run.returncode, code, run.stderr)
        return json.loads(run.stdout)

    def test_what_is_not_said_of_the_length_keeps_its_default(self):
        """The free oscillation, exp(-0.2 t), is gone after 96 periods, and not measured with them."""
        for length in (["--periods", "4"], ["--time", "60"], []):
            for point in self.response(self.model, "--vary", "eta=0.7:1.1:2", *length)["points"]:
                eta = point["parameter"]
                amplitude = 1 / ((1 - eta**2) ** 2 + (0.4 * eta) ** 2) ** 0.5
                self.assertAlmostEqual(point["amplitude"], amplitude, delta=1e-6, msg=f"{length} {point}")
        beginning = self.response(self.model, "--vary", "eta=0.7:1.1:2", "--periods", "4", "--transient", "0")["points"]
        self.assertGreater(abs(beginning[0]["amplitude"] - 1 / (0.51**2 + 0.28**2) ** 0.5), 1e-2)

    def test_every_road_gives_the_amplitude_of_the_linear_oscillator(self):
        for road in ([], ["--direction", "up"], ["--direction", "both"], ["--method", "rk"],
                     ["--method", "tfem", "--elements", "16", "--degree", "4"],
                     ["--direction", "none", "--continuation"]):
            vary = "eta=0.4:1.6:5"
            result = self.response(self.model, "--vary", vary, "--transient", "60", "--observe", "double", *road)
            self.assertTrue(result["points"])
            for point in result["points"]:
                eta = point["parameter"]
                amplitude = 2 / ((1 - eta**2) ** 2 + (0.4 * eta) ** 2) ** 0.5
                self.assertAlmostEqual(point["amplitude"], amplitude, delta=1e-5, msg=f"{road} {point}")
                self.assertAlmostEqual(point["effective"], amplitude, delta=1e-5, msg=f"{road} {point}")
                self.assertAlmostEqual(point["mean"], 0.0, delta=1e-5)
                self.assertIs(point["stable"], True)
                self.assertEqual(point["period"], 1)
            self.assertIsNone(result["message"])

    def test_continued_curve_passes_the_folds_between_the_sweeps(self):
        result = self.response(GEARS, "--vary", "eta=0.5:0.9:9", "--direction", "both", "--transient", "150",
                               "--continuation", "--step", "0.05")
        self.assertEqual([curve["name"] for curve in result["curves"]][:2], ["up", "down"])
        folds = [each["parameter"] for each in result["special"] if each["kind"] == "LP"]
        self.assertGreaterEqual(len(folds), 2)
        branch = [point for point in result["points"] if point["curve"] == "branch 1"]
        self.assertTrue(any(point["stable"] is False for point in branch))
        # Between the folds the curve has three values, and the two stable ones are those of the sweeps.
        middle = 0.5 * (min(folds) + max(folds))
        crossings = sum((a["parameter"] - middle) * (b["parameter"] - middle) < 0 for a, b in zip(branch, branch[1:]))
        self.assertEqual(crossings % 2, 1)
        self.assertGreaterEqual(crossings, 3)

    def test_files_hold_the_points_and_the_recipe(self):
        for name in ("r.nc", "r.csv", "r.json"):
            file = self.folder / name
            run = saltus("response", self.model, "--vary", "eta=0.5:1:3", "--out", str(file))
            self.assertEqual((run.returncode, run.stdout.splitlines()[-1][:9]), (0, "written  "), run.stderr)
            self.assertIn(str(file), run.stdout)
            self.assertFalse((self.folder / (name + ".journal")).exists())
        rows = list(csv.DictReader(line for line in (self.folder / "r.csv").read_text().splitlines()
                                   if not line.startswith("#")))
        points = json.loads((self.folder / "r.json").read_text())["points"]
        self.assertEqual([float(row["amplitude"]) for row in rows], [point["amplitude"] for point in points])
        run = saltus("response", self.model, "--vary", "eta=0.5:1:3", "--plot", str(self.folder / "r.svg"), "--quiet")
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "", ""))
        self.assertIn("effective", (self.folder / "r.svg").read_text())

    def test_ctrl_c_keeps_what_is_done_and_resume_completes_it(self):
        file = str(self.folder / "part.json")
        command = [PAIR, "--vary", "eta=0.5:1.1:200", "--method", "rk", "--transient", "4000", "--threads", "1",
                   "--out", file]
        with subprocess.Popen([SALTUS, "response", *command], stderr=subprocess.PIPE, text=True) as run:
            journal = Path(file + ".journal")
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline and (not journal.exists() or journal.stat().st_size < 6000):
                time.sleep(0.05)
            run.send_signal(signal.SIGINT)
            _, stderr = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130, stderr)
        self.assertIn("values are missing; --resume continues it", stderr)
        part = json.loads(Path(file).read_text())
        self.assertFalse(part["complete"])
        self.assertTrue(0 < len(part["points"]) < 200)


class TimeElements(unittest.TestCase):
    def orbit(self, *arguments, code=0):
        run = saltus("orbit", PAIR, "--method", "tfem", *arguments, "--json")
        self.assertEqual(run.returncode, code, run.stderr)
        return json.loads(run.stdout)

    def check_printed(self, orbit, printed):
        found = [(m["re"], abs(m["im"])) for m in orbit["multipliers"]]
        for (re, im), (re_printed, im_printed) in zip(found[::2], printed):
            self.assertLessEqual(abs(re - re_printed), 0.5e-4)
            self.assertLessEqual(abs(im - im_printed), 0.5e-4)

    def test_ten_cubic_elements_give_every_digit_of_the_paper(self):
        before = self.orbit("--case", "eta0772")
        self.check_printed(before, [(-0.0527, 0.9939), (0.0266, 0.4267)])
        self.assertTrue(before["stable"])
        after = self.orbit("--case", "eta0773")
        self.check_printed(after, [(-0.0496, 0.9996), (0.0280, 0.4247)])
        self.assertFalse(after["stable"])
        self.assertEqual((after["elements"], after["degree"], after["method"]), (10, 3, "tfem"))

    def test_samples_of_the_elements_are_close_to_the_orbit_by_shooting(self):
        elements = self.orbit("--case", "eta0772", "--elements", "40", "--samples", "9")
        run = saltus("orbit", PAIR, "--case", "eta0772", "--samples", "9", "--json")
        shooting = json.loads(run.stdout)
        for a, b in zip(elements["samples"]["q1"], shooting["samples"]["q1"]):
            self.assertAlmostEqual(a, b, delta=1e-4)
        self.assertEqual(elements["sequence"], shooting["sequence"])


if __name__ == "__main__":
    unittest.main()
