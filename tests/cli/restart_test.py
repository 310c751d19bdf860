"""`saltus continue --from FILE` in another parameter than the file's: what the file varied stays where it was."""
import json
import math
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SALTUS = os.environ["SALTUS"]
ROOT = Path(__file__).resolve().parents[2]
TABLE = str(ROOT / "examples/vibrating_table.toml")


class Restart(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = str(Path(folder.name) / "table.json")
        self.netcdf = str(Path(folder.name) / "table.nc")

    def run_continue(self, *arguments):
        run = subprocess.run([SALTUS, "continue", TABLE, *arguments], capture_output=True, text=True, timeout=100,
                             check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(run.stdout) if "--json" in arguments else None

    def fold(self, file, *arguments):
        branch = self.run_continue("--from", file, "--vary", "e=0.3:0.9", "--json", *arguments)
        folds = [special for special in branch["special"] if special["label"].startswith("LP")]
        self.assertEqual(len(folds), 1)
        return folds[0]["p"]

    def test_the_branch_in_another_parameter_keeps_the_value_of_its_first_point(self):
        """The period-1 orbits of the table fold where A = pi (1 - e)/(1 + e)."""
        for file in (self.file, self.netcdf):
            self.run_continue("--case", "period1", "--vary", "A=0.36:1.2", "--out", file)
        with open(self.file, encoding="utf-8") as stream:
            points = json.load(stream)["points"]
        for number in (2, 4):
            A = points[number - 1]["p"]
            self.assertGreater(abs(A - 0.5), 1e-3)  # the model's value
            exact = (math.pi - A) / (math.pi + A)
            self.assertAlmostEqual(self.fold(self.file, "--point", str(number)), exact, delta=1e-9)
            self.assertAlmostEqual(self.fold(self.netcdf, "--point", str(number)), exact, delta=1e-9)

    def test_the_command_line_has_the_last_word(self):
        self.run_continue("--case", "period1", "--vary", "A=0.36:1.2", "--out", self.file)
        exact = (math.pi - 0.45) / (math.pi + 0.45)
        self.assertAlmostEqual(self.fold(self.file, "--point", "3", "--set", "A=0.45"), exact, delta=1e-9)


if __name__ == "__main__":
    unittest.main()
