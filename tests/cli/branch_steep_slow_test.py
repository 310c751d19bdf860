"""Special points of branches along which a multiplier changes by thousands within a step, and ends in Hopf points from afar."""
import unittest

from branch_runs import ROOT, BranchRuns

MODELS = ROOT / "tests" / "truths" / "models"
# Koper's electrochemical oscillator.
KOPER = """[parameters]
eps = 0.1
k = -10
lam = -7
[mechanics]
states = ["x", "y", "z"]
rates = ["(k*y - x^3 + 3*x - lam)/eps", "x - 2*y + z", "y - z"]
[section]
surface = "x"
direction = "up"
[initial]
x = 1
y = 0.1
z = 0.1
"""
HOPF = (0.20418453570061365, 0.3462085216073892)


class SteepBranches(BranchRuns):
    def test_folds_and_doublings_towards_a_saddle_focus_are_all_found(self):
        # AUTO's demo chu. Truths by shooting with DOP853 and secants on the period, tests/nightly/orbit_judge.py; HB with 30 digits on the equilibrium.
        truth = [("HB", 6.804340054309084), ("PD", 8.195992121178282), ("PD", 11.672444191365974), ("LP", 11.672682916409407), ("LP", 10.902197625988371),
                 ("PD", 10.902201266845845), ("PD", 11.12083591680989), ("LP", 11.120835925892488), ("LP", 11.067280718477218),
                 ("PD", 11.067280718525394), ("PD", 11.081235055660185), ("LP", 11.081235055660398)]
        branch = self.branch(MODELS / "auto_chu.toml", "--set", "alpha=7", "--vary", "alpha=-1:15", "--stop", "LP5", seconds=600)
        self.assertEqual([s["kind"] for s in branch["special"]], [kind for kind, _ in truth])
        for found, (kind, p) in zip(branch["special"], truth):
            self.assertAlmostEqual(found["p"], p, delta=1e-10, msg=kind)
        self.assertEqual(branch["unexplained"], [])

    def test_a_doubling_beside_a_fold_is_found_where_the_multiplier_rises_by_hundreds_of_thousands_in_a_step(self):
        # Canards: −2e5 becomes 2e5 at lam = −6.930513, and is −1 and 1 on the way.
        model = self.folder / "koper.toml"
        model.write_text(KOPER, encoding="utf-8")
        branch = self.branch(model, "--transient", "400", "--vary", "lam=-10:0", "--stop", "LP", seconds=600)
        special = branch["special"]
        fold = next(s for s in special if s["kind"] == "LP" and abs(s["p"] + 6.930513) < 1e-6)
        beside = [s for s in special if s["kind"] == "PD" and abs(s["p"] - fold["p"]) < 1e-6]
        self.assertEqual(len(beside), 1, special)
        # The fold is the end of the interval of the parameter, to what a step leaves.
        self.assertLessEqual(beside[0]["p"], fold["p"] + 1e-10)
        self.assertEqual(branch["unexplained"], [])

    def test_a_relaxation_oscillation_that_shrinks_into_an_equilibrium_ends_there(self):
        # AUTO's demo abc. The Hopf points with 30 digits on the equilibrium; they are met wherever the branch begins.
        start = ["--set", "u1=0.9", "--set", "u2=0.3", "--set", "u3=6", "--transient", "200", "--surface", "u3 - 4"]
        for D in ("0.245", "0.3"):
            branch = self.branch(MODELS / "auto_abc.toml", "--set", f"D={D}", *start, "--vary", "D=0.1:0.4", seconds=600)
            self.assertEqual(sorted(s["kind"] for s in branch["special"]), ["HB", "HB", "LP", "LP"])
            self.assertEqual([end["reason"] for end in branch["ends"]], ["hopf", "hopf"])
            hopf = sorted(s["p"] for s in branch["special"] if s["kind"] == "HB")
            for found, p in zip(hopf, HOPF):
                self.assertAlmostEqual(found, p, delta=1e-11)


if __name__ == "__main__":
    unittest.main()
