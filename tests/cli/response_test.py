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
BLOW = """
[parameters]
k = 1e6
[mechanics]
coordinates = ["x"]
mass  = [["1"]]
force = ["cos(2*t) - x - 0.1*x' - if(x > 0, k*x + 100*x', 0)"]
[forcing]
period = "pi"
[observe]
blow = "if(x > 0, k*x, 0)"
[initial]
x = -0.2
"""
TONGUE = """
[parameters]
d = 1
q = 0.25
[mechanics]
coordinates = ["x"]
mass  = [["1"]]
force = ["-(d - 2*q*cos(2*t))*x"]
[forcing]
period = "pi"
[initial]
x = 1
"""
CAPSULE = """
[parameters]
alpha = 1.6
omega = 1.1
xi    = 0.01
delta = 0.02
beta  = 15
gamma = 5
[define]
S  = "r + 2*xi*r' + if(r > delta, beta*(r-delta), 0)"
a1 = "alpha*cos(omega*t) - S"
a2 = "(S - sign(u))/gamma"
[mechanics]
coordinates = ["r"]
mass   = [["1"]]
force  = ["a1 - a2"]
states = ["u"]
rates  = ["a2"]
[forcing]
period = "2*pi/omega"
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

    def written(self, text):
        path = self.folder / "model.toml"
        path.write_text(text, encoding="utf-8")
        return str(path)

    def test_a_blow_of_a_thousandth_of_the_period_has_its_height_on_every_road(self):
        """Largest force 4238.784, amplitude 2119.392, whatever --samples says."""
        model = self.written(BLOW)
        vary = ["--vary", "k=1e6:1.01e6:2"]
        for options in ([], ["--samples", "8192"], ["--samples", "8"], ["--method", "rk"], ["--continuation"]):
            for point in self.response(model, *vary, "--observe", "blow", *options)["points"]:
                if point["parameter"] == 1e6:
                    self.assertAlmostEqual(point["amplitude"], 2119.392, delta=1e-3, msg=f"{options} {point}")
        run = saltus("continue", model, "--vary", "k=1e6:1.01e6", "--observe", "max(blow)", "--json")
        first = json.loads(run.stdout)["points"][0]
        self.assertEqual(first["p"], 1e6)
        self.assertAlmostEqual(first["observed"][0], 4238.784, delta=1e-3)
        lengths = ["--periods", "4", "--transient", "100"]
        run = saltus("diagram", model, *vary, "--observe", "max(blow)", *lengths, "--json")
        self.assertAlmostEqual(json.loads(run.stdout)["points"][0][0], 4238.784, delta=1e-3)
        run = saltus("diagram", model, *vary, "--observe", "blow", "--extrema", *lengths, "--json")
        extrema = json.loads(run.stdout)["points"][0]
        self.assertEqual(len(extrema), 7)  # four blows, and zero between them
        for k, value in enumerate(extrema):
            self.assertAlmostEqual(value, 4238.784 if k % 2 == 0 else 0, delta=1e-3)

    def test_extrema_of_a_velocity_are_those_of_its_jumps_too(self):
        """x' of x = cos t against an elastic stop at x = 0: from -1 before each impact to 1 behind it."""
        model = self.written("""
[parameters]
e = 1
[mechanics]
coordinates = ["x"]
mass  = [["1"]]
force = ["-x"]
[[contact]]
name = "stop"
gap = "x"
restitution = "e"
[forcing]
period = "pi"
[initial]
x = 1
""")
        run = saltus("diagram", model, "--vary", "e=0.999999999999:1:2", "--observe", "x'", "--extrema", "--periods", "4",
                     "--transient", "2", "--json")
        extrema = json.loads(run.stdout)["points"][1]
        self.assertEqual(len(extrema), 8)
        for k, value in enumerate(extrema):
            self.assertAlmostEqual(value, -1 if k % 2 == 0 else 1, delta=1e-8)

    def test_amplitudes_of_a_continued_curve_are_those_of_its_orbits(self):
        """At the end of a slide a motion from the orbit's point would go on along the wrong side: 0.667 instead of 0.5857."""
        found = self.response(self.written(CAPSULE), "--vary", "omega=0.776:0.876:6", "--direction", "up", "--observe", "u",
                              "--continuation")
        curve = [p for p in found["points"] if p["curve"] == "branch 1"]
        ends = [p["amplitude"] for p in curve if abs(p["parameter"] - 0.85355942) < 1e-6]
        self.assertEqual(len(ends), 1)
        self.assertAlmostEqual(ends[0], 0.58565, delta=1e-4)
        for a, b in zip(curve, curve[1:]):
            self.assertLess(abs(a["amplitude"] - b["amplitude"]), 0.02, msg=f"{a} {b}")

    def test_the_mean_of_a_motion_of_three_periods_is_taken_over_whole_motions(self):
        found = self.response(self.written(CAPSULE), "--vary", "omega=0.776:0.777:2", "--direction", "up", "--observe", "u",
                              "--continuation")
        simulated = found["points"][0]
        self.assertEqual(simulated["period"], 3)  # 32 periods are measured
        orbit = next(p for p in found["points"] if p["curve"] != "up" and p["parameter"] == simulated["parameter"])
        for number in ("amplitude", "effective", "mean"):
            self.assertAlmostEqual(simulated[number], orbit[number], delta=1e-8, msg=number)

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

    def test_a_motion_that_grows_without_bound_has_no_amplitude(self):
        """Mathieu's first tongue lies between d = 0.742 and 1.243 at q = 1/4; e^(0.39 k) after k periods at d = 1."""
        model = self.written(TONGUE)
        file = self.folder / "tongue.csv"
        vary = ["--vary", "d=0.5:1.5:3"]
        run = saltus("response", model, *vary, "--out", str(file))
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("1 motion has no amplitude of 'x'", run.stderr)
        row = [line for line in run.stdout.splitlines() if "growing; it has no amplitude" in line]
        self.assertEqual(len(row), 1, run.stdout)
        self.assertEqual(row[0].split()[:3], ["fresh", "1", "1"])
        self.assertTrue(row[0].endswith("growing; it has no amplitude"), row)
        outside, inside, beyond = self.response(model, *vary, code=1)["points"]
        self.assertEqual(inside["motion"], "growing; it has no amplitude")
        self.assertEqual([inside[key] for key in ("amplitude", "effective", "mean", "largest", "smallest")], [None] * 5)
        self.assertTrue(all(0 < point["amplitude"] < 10 for point in (outside, beyond)))
        rows = list(csv.DictReader(line for line in file.read_text().splitlines() if not line.startswith("#")))
        self.assertEqual([row["amplitude"] == "" or row["amplitude"].lower() == "nan" for row in rows],
                         [False, True, False], rows)
        # What is kept in a journal says it, too.
        journal = self.folder / "part.json"
        for _ in range(2):
            run = saltus("response", model, *vary, "--out", str(journal), "--resume")
            self.assertEqual(json.loads(journal.read_text())["points"][1]["motion"], inside["motion"], run.stderr)

    def test_no_command_says_of_a_motion_that_grows_that_it_does_not_repeat(self):
        model = self.written(TONGUE)
        run = saltus("section", model, "--periods", "100", "--json")
        verdict = json.loads(run.stdout)
        self.assertEqual(verdict["verdict"], "undecided")
        self.assertIn("the motion grows, by e^", verdict["reason"])
        lengths = ["--periods", "64", "--transient", "20"]
        run = saltus("diagram", model, "--vary", "d=0.9:1.1:3", *lengths, "--json")
        self.assertEqual(json.loads(run.stdout)["verdict"], ["undecided"] * 3)
        run = saltus("map", model, "--vary", "d=0.9:1.1:3", "--vary", "q=0.25:0.3:2", "--measure", "period", *lengths)
        self.assertIn("undecided  100.00 %", run.stdout)
        run = saltus("basin", model, "--vary", "x=0.5:1:2", "--vary", "x'=0:1:2", *lengths, "--json")
        self.assertEqual([each["verdict"] for each in json.loads(run.stdout)["attractors"]], ["undecided"])

    def test_resonance_without_damping_is_not_said_to_be_settled(self):
        """x'' + x = cos t from rest: amplitude t/2 for ever."""
        model = self.written(OSCILLATOR)
        for length in (["--transient", "0"], []):
            point = self.response(model, "--set", "zeta=0", "--vary", "eta=1:1:1", *length)["points"][0]
            self.assertTrue(point["motion"].startswith("undecided"), point["motion"])

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
