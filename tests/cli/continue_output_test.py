"""What `saltus continue` writes and draws."""
import subprocess
import unittest
from pathlib import Path

from branch_runs import AT, CYCLE, GRAZING, OSCILLATOR, SALTUS, BranchRuns, saltus


class ContinueOutput(BranchRuns):
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

    def test_points_have_in_files_the_number_that_point_takes(self):
        branch = self.branch(OSCILLATOR, *AT, "--vary", "sigma=0.1:0.25")
        self.assertEqual([point["point"] for point in branch["points"]], list(range(1, len(branch["points"]) + 1)))
        for special in branch["special"]:
            self.assertEqual(branch["points"][special["point"] - 1]["label"], special["label"])
        file = self.folder / "branch.csv"
        run = saltus(OSCILLATOR, *AT, "--vary", "sigma=0.1:0.25", "--out", str(file))
        written = run.stdout.splitlines()[-1].removeprefix("written  ").split(", ")
        self.assertEqual(written[0], str(file))
        self.assertEqual(sorted(written), sorted(str(each) for each in self.folder.glob("branch*.csv")))
        rows = [line.split(",") for line in file.read_text().splitlines() if not line.startswith("#")]
        self.assertEqual((rows[0][0], rows[1][0], rows[-1][0]), ("point", "1", str(len(branch["points"]))))
        netcdf = str(self.folder / "branch.nc")
        saltus(OSCILLATOR, *AT, "--vary", "sigma=0.1:0.25", "--out", netcdf, "--quiet")
        chosen = branch["points"][4]
        again = self.branch(OSCILLATOR, "--from", netcdf, "--point", str(chosen["point"]), "--vary", "sigma=0.1:0.25",
                            "--direction", "up")
        self.assertAlmostEqual(again["points"][0]["p"], chosen["p"], delta=1e-12)

    def test_the_largest_value_over_an_orbit_is_the_stop_or_the_amplitude_without_it(self):
        """x <= sigma is reached at every impact; without impacts F/sqrt((1 - omega^2)^2 + (2 zeta omega)^2)."""
        picture = str(self.folder / "branch.svg")
        branch = self.branch(OSCILLATOR, *AT, "--vary", "sigma=0.1:0.25", "--observe", "max(x)", "--plot", picture)
        for point in branch["points"]:
            self.assertEqual(len(point["observed"]), 1)
            self.assertAlmostEqual(point["observed"][0], min(point["p"], GRAZING), delta=1e-10)
        self.assertIn("max(x)", Path(picture).with_suffix(".gp").read_text(encoding="utf-8"))
        branch = self.branch(OSCILLATOR, *AT, "--vary", "sigma=0.1:0.25", "--observe", "min(x')")
        free = [point for point in branch["points"] if point["sequence"] == "no events"]
        self.assertGreater(len(free), 1)
        for point in free:  # the speed of the same sinusoid
            self.assertAlmostEqual(point["observed"][0], -2.4 * GRAZING, delta=1e-9)
        # Without forcing: van der Pol's cycle at mu = 1; the number is SciPy's, by DOP853 at rtol 1e-13.
        (self.folder / "cycle.toml").write_text(CYCLE, encoding="utf-8")
        cycle = self.branch(str(self.folder / "cycle.toml"), "--vary", "mu=1:1.05", "--observe", "max(x)")
        self.assertEqual(cycle["points"][0]["p"], 1)
        self.assertAlmostEqual(cycle["points"][0]["observed"][0], 2.008619860875, delta=1e-9)


if __name__ == "__main__":
    unittest.main()
