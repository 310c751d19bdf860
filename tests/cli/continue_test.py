"""`saltus continue` seen from outside: contract, files, restart, failures."""
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SALTUS = os.environ["SALTUS"]
ROOT = Path(__file__).resolve().parents[2]
OSCILLATOR = str(ROOT / "examples/impact_oscillator.toml")
TABLE = str(ROOT / "examples/vibrating_table.toml")
AT = ["--set", "omega=2.4", "--set", "sigma=0.12"]


def saltus(*arguments):
    return subprocess.run([SALTUS, "continue", *arguments], capture_output=True, text=True, timeout=100, check=False)


class Continue(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def branch(self, *arguments, code=0):
        run = saltus(*arguments, "--json")
        self.assertEqual(run.returncode, code, run.stderr)
        return json.loads(run.stdout)

    def test_points_and_special_points_have_the_promised_keys(self):
        branch = self.branch(OSCILLATOR, *AT, "--vary", "sigma=0.1:0.25")
        for point in branch["points"]:
            self.assertTrue({"p", "x", "period", "multipliers", "stable", "label"} <= set(point))
        special = {each["label"]: each for each in branch["special"]}
        self.assertAlmostEqual(special["PD1"]["p"], 0.12931160748337225, delta=1e-9)
        self.assertAlmostEqual(special["GR1"]["p"], 0.20981750456582512, delta=1e-9)
        self.assertEqual(special["GR1"]["passage"], "persists")
        self.assertEqual(special["GR1"]["sequence"], "stop")
        self.assertEqual(special["GR1"]["sequence_beyond"], "no events")
        self.assertEqual(branch["points"][0]["p"], 0.1)
        self.assertEqual(branch["points"][-1]["p"], 0.25)
        self.assertTrue(branch["complete"])

    def test_branch_goes_on_from_every_form_of_file(self):
        for name in ("branch.json", "branch.nc"):
            file = str(self.folder / name)
            run = saltus(OSCILLATOR, *AT, "--vary", "sigma=0.1:0.25", "--out", file)
            self.assertEqual((run.returncode, run.stdout), (0, ""), run.stderr)
            doubled = self.branch(OSCILLATOR, "--from", file, "--vary", "sigma=0.1:0.14", "--switch", "PD1")
            self.assertEqual(doubled["points"][-1]["returns"], 2)
            self.assertEqual(doubled["points"][-1]["p"], 0.14)
            again = self.branch(OSCILLATOR, "--from", file, "--vary", "sigma=0.1:0.25", "--point", "3",
                                "--direction", "up")
            self.assertIn("PD1", [each["label"] for each in again["special"]])
            curve = self.branch(OSCILLATOR, "--from", file, "--point", "GR1", "--vary", "sigma=0:0.4",
                                "--vary", "omega=2.3:2.5")
            for point in curve["points"]:
                sigma, omega = point["p"]
                amplitude = 1.0 / ((1 - omega**2) ** 2 + (0.1 * omega) ** 2) ** 0.5
                self.assertAlmostEqual(sigma, amplitude, delta=1e-8)

    def test_clearance_pair_loses_its_stability_to_a_torus_at_the_known_frequencies(self):
        pair = str(ROOT / "examples/clearance_pair.toml")
        for slope, known in (("0.01", 0.77285), ("0", 0.76634)):  # trilinear, ideal: by exact propagation
            branch = self.branch(pair, "--case", "eta0772", "--set", "eta=0.76", "--set", f"slope={slope}",
                                 "--transient", "400", "--vary", "eta=0.758:0.776")
            special = [(each["label"], each["p"]) for each in branch["special"]]
            self.assertEqual([label for label, _ in special], ["NS1"])
            self.assertAlmostEqual(special[0][1], known, delta=5e-6)

    def test_table_can_be_written_as_csv_and_the_branch_drawn_over_a_diagram(self):
        table = str(self.folder / "branch.csv")
        diagram = str(self.folder / "diagram.nc")
        picture = str(self.folder / "branch.svg")
        made = subprocess.run([SALTUS, "diagram", OSCILLATOR, *AT, "--vary", "sigma=0.1:0.25:16", "--observe", "x",
                               "--periods", "20", "--transient", "50", "--out", diagram],
                              capture_output=True, text=True, timeout=100, check=False)
        self.assertEqual(made.returncode, 0, made.stderr)
        run = saltus(OSCILLATOR, *AT, "--vary", "sigma=0.1:0.25", "--out", table, "--plot", picture, "--over", diagram)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("value_sigma", Path(table).read_text())
        script = (self.folder / "branch.gp").read_text()
        for words in ("stable", "unstable", "simulated"):
            self.assertIn(words, script)
        self.assertTrue(Path(picture).exists())

    def test_what_cannot_be_done_is_said(self):
        cases = [
            ((OSCILLATOR, "--vary", "sigma=0.1:0.25"), 2, "outside of --vary"),
            ((OSCILLATOR, *AT, "--vary", "sigma=0.1:0.25", "--switch", "PD7"), 2, "its special points: PD1, GR1"),
            ((OSCILLATOR, *AT, "--vary", "sigma=0.1:0.25", "--switch", "GR1"), 2, "branches can be changed at PD and BP"),
            ((OSCILLATOR, *AT, "--vary", "sigma=0.1:0.25", "--vary", "omega=2:3"), 2, "add --point LABEL"),
            ((OSCILLATOR, *AT, "--vary", "sigma=0.1:0.25", "--from", str(ROOT / "README.md")), 4, "no result of"),
            ((OSCILLATOR, "--set", "omega=2.8", "--vary", "sigma=-0.1:0.1"), 1, "is not periodic"),
            ((TABLE, "--case", "resting", "--vary", "A=0.2:0.4", "--period", "1", "--transient", "0"), 1, "the Jacobian is singular"),
        ]
        for arguments, code, words in cases:
            run = saltus(*arguments)
            self.assertEqual(run.returncode, code, (arguments, run.stdout, run.stderr))
            self.assertIn(words, run.stderr)

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
