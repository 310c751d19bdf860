"""`saltus lyapunov` and `saltus section` seen from outside: contract, files, pictures, lists of starts."""
import csv
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SALTUS = os.environ["SALTUS"]
ROOT = Path(__file__).resolve().parents[2]
TABLE = str(ROOT / "examples/vibrating_table.toml")


def saltus(*arguments, **options):
    return subprocess.run([SALTUS, *arguments], capture_output=True, text=True, timeout=120, check=False, **options)


class InAFolder(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = Path(self.scratch.name)

    def run_here(self, *arguments):
        return saltus(*arguments, cwd=self.folder)

    def table(self, name):
        lines = (self.folder / name).read_text(encoding="utf-8").splitlines()
        return [line for line in lines if line.startswith("#")], list(
            csv.DictReader(line for line in lines if not line.startswith("#")))


class Lyapunov(InAFolder):
    LENGTH = ("--case", "period1", "--periods", "40", "--transient", "40")

    def test_json_has_the_members_of_the_contract(self):
        done = self.run_here("lyapunov", TABLE, *self.LENGTH, "--json", "--tangent-check")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        result = json.loads(done.stdout)
        self.assertLessEqual({"exponents", "standard_errors", "trivial_zero", "kaplan_yorke", "verdict", "period",
                              "impacts_per_unit_time", "sliding_fraction", "sum_rule_residual", "tangent_check"},
                             set(result))
        self.assertEqual((result["verdict"], result["period"], result["trivial_zero"]), ("periodic", 1, True))
        self.assertLess(result["tangent_check"]["agreement"], 1e-6)

    def test_files_and_picture_are_written_together(self):
        done = self.run_here("lyapunov", TABLE, *self.LENGTH, "--out", "history.csv", "--plot", "history.svg")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.startswith("motion        periodic, period 1"))
        self.assertEqual(done.stdout.splitlines()[-1], "written  history.csv, history_exponent.csv, history.svg")
        recipe, rows = self.table("history.csv")
        self.assertTrue(any("command: saltus lyapunov" in line and "--periods 40" in line for line in recipe))
        self.assertEqual(list(rows[0]), ["t", "exponent_1", "exponent_2", "error_1", "error_2"])
        self.assertEqual(len(rows), 40)
        self.assertTrue((self.folder / "history_exponent.csv").exists())
        self.assertIn("<svg", (self.folder / "history.svg").read_text(encoding="utf-8")[:400])
        self.assertTrue((self.folder / "history.gp").exists())

    def test_netcdf_holds_the_recipe(self):
        done = self.run_here("lyapunov", TABLE, *self.LENGTH, "--out", "history.nc")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(b"saltus lyapunov", (self.folder / "history.nc").read_bytes())

    def test_points_of_a_section_are_a_list_of_starts(self):
        done = self.run_here("section", TABLE, "--case", "period1", "--periods", "5", "--out", "points.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.run_here("lyapunov", TABLE, *self.LENGTH, "--starts", "points.csv", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual(result["starts"], 5)
        self.assertEqual(sum(len(attractor["starts"]) for attractor in result["attractors"]), 5)


class Section(InAFolder):
    def test_points_go_to_standard_output_and_the_verdict_to_standard_error(self):
        done = self.run_here("section", TABLE, "--case", "period2", "--periods", "60", "--transient", "60")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(len(done.stdout.splitlines()), 61)
        self.assertTrue(done.stdout.startswith("t,z,z'"))
        self.assertTrue(done.stderr.startswith("periodic: "))

    def test_the_picture_shows_what_is_asked_for(self):
        done = self.run_here("section", TABLE, "--case", "chaos", "--periods", "200", "--at-impacts", "table", "--plot",
                             "section.png", "--x", "height", "--y", "z'", "--color", "energy")
        self.assertEqual((done.returncode, done.stdout), (0, "written  section.png\n"))
        script = (self.folder / "section.gp").read_text(encoding="utf-8")
        self.assertIn('set xlabel "height"', script)
        self.assertIn('set cblabel "energy"', script)
        self.assertGreater((self.folder / "section.png").stat().st_size, 4000)

    def test_what_the_picture_cannot_show_is_told_before_the_motion_is_computed(self):
        done = self.run_here("section", TABLE, "--periods", "1000000000", "--plot", "a.png", "--x", "heigt")
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean 'height'?", done.stderr)


if __name__ == "__main__":
    unittest.main()
