"""`saltus hill` seen from outside: contract, exit codes, files, threads, Ctrl-C."""
import csv
import json
import os
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from interrupted_runs import started, wait_for_work

SALTUS = os.environ["SALTUS"]
ROOT = Path(__file__).resolve().parents[2]
MATHIEU = str(ROOT / "examples/mathieu_stop.toml")
MEISSNER = str(ROOT / "examples/hill_meissner.toml")
GRID = ["--vary", "alpha=-8:32:81", "--vary", "beta=0:12:49"]


def saltus(*words, code=0):
    done = subprocess.run([SALTUS, *words], capture_output=True, text=True, timeout=120)
    assert done.returncode == code, f"exit {done.returncode}: {done.stderr}"
    return done


def result(*words):
    return json.loads(saltus(*words, "--json").stdout)


class Hill(unittest.TestCase):
    def test_every_case_of_the_examples_has_the_critical_restitution_of_its_title(self):
        for model in (MATHIEU, MEISSNER):
            text = Path(model).read_text()
            for block in text.split("[case.")[1:]:
                name = block.split("]")[0]
                printed = block.split("epsilon_c = ")[1].split('"')[0]
                found = result("hill", model, "--case", name)["critical_restitution"]
                self.assertAlmostEqual(found, float(printed), delta=0.5e-4, msg=f"{model} {name}")

    def test_damping_decides_with_the_multiplier_whether_anything_grows_without_the_stop(self):
        """|trace| > 2, but |lambda1| e^(-aT/2) = 0.43: stable, for elastic impacts as well; the chart counts likewise."""
        with tempfile.TemporaryDirectory() as folder:
            model = str(Path(folder) / "damped.toml")
            Path(model).write_text(
                '[parameters]\nalpha = 1\nbeta = 0.5\na = 1\n[hill]\ng = "alpha + 2*beta*cos(2*t)"\nperiod = "pi"\n'
                'damping = "a"\nrestitution = 1\n', encoding="utf-8")
            damped = result("hill", model, "--verify")
            self.assertGreater(abs(damped["discriminant"]), 2)
            self.assertAlmostEqual(damped["growth_without_stop"], 0.432632, delta=1e-6)
            self.assertEqual(damped["critical_restitution"], 1)
            self.assertEqual(damped["verdict"], "asymptotically stable")
            text = saltus("hill", model).stdout
            self.assertIn("stable without the stop", text)
            self.assertNotIn("unstable without the stop", text)
            self.assertIn("unstable without the stop", saltus("hill", model, "--set", "a=0.1").stdout)
            self.assertIn("unstable without the stop", saltus("hill", model, "--set", "a=-0.1", "--set", "alpha=2.5").stdout)
            grid = ["--vary", "alpha=0:4:21", "--vary", "beta=0:2:11"]
            chart = result("hill", model, *grid)
            unstable = sum(g > 1 for row in chart["growth_without_stop"] for g in row)
            beyond = sum(abs(d) > 2 for row in chart["discriminant"] for d in row)
            self.assertTrue(0 < unstable < beyond)
            self.assertIn(f"231, of which {231 - unstable} are stable without the stop", saltus("hill", model, *grid).stdout)

    def test_verify_confirms_decay_below_and_growth_above(self):
        for case in ("first_tongue", "second_tongue"):
            below, above = result("hill", MATHIEU, "--case", case, "--verify")["verification"]
            self.assertLess(below["growth_per_period"], 1)
            self.assertGreater(above["growth_per_period"], 1)
            for each in (below, above):
                self.assertAlmostEqual(each["growth_per_period"], each["predicted"], delta=1e-6)

    def test_a_chart_is_the_same_file_for_any_number_of_threads(self):
        with tempfile.TemporaryDirectory() as folder:
            texts = []
            for threads in ("1", "2", "5"):
                file = Path(folder) / f"{threads}.csv"
                saltus("hill", MEISSNER, *GRID, "--threads", threads, "--out", str(file))
                texts.append(file.read_text())
            self.assertEqual(texts[0], texts[1])
            self.assertEqual(texts[0], texts[2])
            rows = list(csv.DictReader(line for line in texts[0].splitlines() if not line.startswith("#")))
            self.assertEqual(len(rows), 81 * 49)
            self.assertEqual(list(rows[0])[:3], ["beta", "alpha", "critical_restitution"])
            row = next(r for r in rows if float(r["alpha"]) == 4 and float(r["beta"]) == 2)
            self.assertAlmostEqual(float(row["critical_restitution"]),
                                   result("hill", MEISSNER, "--set", "alpha=4", "--set", "beta=2")["critical_restitution"],
                                   delta=1e-15)

    def test_a_chart_in_netcdf_holds_its_recipe_and_a_picture_can_be_drawn(self):
        with tempfile.TemporaryDirectory() as folder:
            file, plot = Path(folder) / "chart.nc", Path(folder) / "chart.png"
            saltus("hill", MATHIEU, *GRID, "--out", str(file), "--plot", str(plot))
            self.assertGreater(file.stat().st_size, 1000)
            self.assertIn(b"--vary alpha=-8:32:81", file.read_bytes())
            self.assertGreater(plot.stat().st_size, 1000)

    def test_json_of_a_chart_has_axes_and_rows(self):
        chart = result("hill", MATHIEU, "--vary", "alpha=0:4:5", "--vary", "beta=0:1:3")
        self.assertEqual([axis["name"] for axis in chart["axes"]], ["alpha", "beta"])
        self.assertEqual(len(chart["critical_restitution"]), 3)
        self.assertEqual(len(chart["critical_restitution"][0]), 5)
        self.assertEqual(chart["zeros"][0], [0, 1, 1, 1, 2])  # alpha = 1 and 4: y2 is zero at the end of the period

    def test_ctrl_c_keeps_the_rows_that_are_done(self):
        run = started("hill", MATHIEU, "--vary", "alpha=-8:32:500", "--vary", "beta=0:12:6000", "--threads", "1")
        wait_for_work(run, 1.0)
        run.send_signal(signal.SIGINT)
        text, message = run.communicate(timeout=100)
        self.assertEqual(run.returncode, 130, message)
        self.assertIn("interrupted", message)
        known = int(text.split("points")[1].split(",")[0])
        self.assertEqual(known % 500, 0)  # whole rows
        self.assertLess(known, 500 * 6000)


if __name__ == "__main__":
    unittest.main()
