"""Branches that begin at a special point of a stored one: at other values of the parameters, and to both sides of a branch point."""
import subprocess
import unittest

from branch_runs import ROOT, SALTUS, BranchRuns, saltus

# A circle of radius sqrt(p + b) with a fold at p = r²/4 − b: of  (p + b) − r ρ + ρ²  with ρ = x² + y².
FOLDED = """[parameters]
p = 0.1
b = 0
r = 1.2
[define]
rho = "x^2 + y^2"
g = "-(p + b - r*rho + rho^2)"
[mechanics]
states = ["x", "y"]
rates = ["x*g - y", "y*g + x"]
[section]
surface = "y"
direction = "up"
[initial]
x = 1.05
"""
TOR = ROOT / "tests/truths/models/auto_tor.toml"


class StoredBranch(BranchRuns):
    def stored(self):
        path, file = self.folder / "model.toml", self.folder / "branch.json"
        path.write_text(FOLDED)
        first = self.branch(path, "--vary", "p=0.01:0.5", "--at", "p=0.2", "--transient", 0, "--period", 1, "--out", file)
        self.assertEqual(sorted(s["label"] for s in first["special"] if s["kind"] != "HB"), ["LP1", "UZ1", "UZ2"])
        return path, file

    def symmetric(self):
        """AUTO's demo tor, up to where its symmetric orbits cross others."""
        orbit, file = self.folder / "orbit.json", self.folder / "branch.json"
        subprocess.run([SALTUS, "orbit", TOR, "--transient", "0", "--out", orbit, "--quiet"], check=True)
        self.branch(TOR, "--from", orbit, "--vary", "nu=-0.6:-0.58", "--stop", "BP1", "--out", file)
        return file

    def assert_on_curve(self, branch, b):
        for point in branch["points"]:
            rho = point["x"][0] ** 2
            self.assertAlmostEqual(point["p"] + b - 1.2 * rho + rho * rho, 0, delta=1e-10, msg=point)

    def test_an_orbit_of_a_file_is_solved_for_anew_where_another_parameter_is_changed(self):
        path, file = self.stored()
        again = self.branch(path, "--from", file, "--point", "UZ1", "--vary", "p=0.01:0.5", "--set", "b=0.03")
        self.assertTrue(any(p["p"] == 0.2 for p in again["points"]))
        self.assert_on_curve(again, 0.03)
        [fold] = [s for s in again["special"] if s["kind"] == "LP"]
        self.assertAlmostEqual(fold["p"], 0.33, delta=1e-10)

    def test_a_branch_goes_on_from_any_point_of_a_file_with_another_section(self):
        path, file = self.stored()
        for point in ("LP1", "UZ1", "UZ2", 2):
            again = self.branch(path, "--from", file, "--point", point, "--vary", "p=0.01:0.5", "--surface", "x - 0.3*y")
            self.assertEqual([e["reason"] for e in again["ends"]], ["bound", "bound"], point)
            [fold] = [s for s in again["special"] if s["kind"] == "LP"]
            self.assertAlmostEqual(fold["p"], 0.36, delta=1e-10)
            for each in again["points"]:
                x, y = each["x"]
                rho = x * x + y * y
                self.assertAlmostEqual(each["p"] - 1.2 * rho + rho * rho, 0, delta=1e-10, msg=point)
                self.assertAlmostEqual(x - 0.3 * y, 0, delta=1e-10, msg=point)

    def test_a_branch_that_begins_at_a_fold_has_both_of_its_halves(self):
        # The parameter stands still there: as a direction it is none, and the equations were called singular.
        path, file = self.stored()
        again = self.branch(path, "--from", file, "--point", "LP1", "--vary", "p=0.01:0.5")
        self.assert_on_curve(again, 0)
        self.assertEqual([s["kind"] for s in again["special"]], ["LP"])
        radii = [point["x"][0] ** 2 for point in again["points"]]
        self.assertIn(sorted(radii), (radii, radii[::-1]))
        self.assertLess(min(radii), 0.59)
        self.assertGreater(max(radii), 0.61)

    def test_a_label_of_a_file_does_not_stand_where_another_parameter_is_changed(self):
        path, file = self.stored()
        # With b = −0.03 the fold is at 0.39, and there are orbits at the old one's value.
        again = self.branch(path, "--from", file, "--point", "LP1", "--vary", "p=0.01:0.5", "--set", "b=-0.03")
        self.assert_on_curve(again, -0.03)
        self.assertAlmostEqual(next(s for s in again["special"] if s["kind"] == "LP")["p"], 0.39, delta=1e-10)
        # With b = 0.03 there are none.
        none = saltus(path, "--from", file, "--point", "LP1", "--vary", "p=0.01:0.5", "--set", "b=0.03")
        self.assertEqual(none.returncode, 1, none.stderr)
        self.assertIn("no periodic orbit near the stored orbit LP1", none.stderr)

    def test_no_branch_leaves_at_a_label_where_another_parameter_is_changed(self):
        file = self.symmetric()
        run = saltus(TOR, "--from", file, "--vary", "nu=-0.65:-0.5", "--switch", "BP1", "--set", "be=0.52")
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertIn("BP1 of the file is no special orbit at these values of the parameters", run.stderr)

    def test_both_halves_of_a_branch_that_leaves_a_symmetric_one_are_followed(self):
        file = self.symmetric()
        sides = self.branch(TOR, "--from", file, "--vary", "nu=-0.65:-0.5", "--switch", "BP1")
        self.assertEqual([e["reason"] for e in sides["ends"]], ["bound", "bound"])
        for kind in ("NS", "PD"):  # the one is the mirror image of the other
            first, second = [s for s in sides["special"] if s["kind"] == kind]
            self.assertAlmostEqual(first["p"], second["p"], delta=1e-11)
            self.assertAlmostEqual(first["period"], second["period"], delta=1e-9)


if __name__ == "__main__":
    unittest.main()
