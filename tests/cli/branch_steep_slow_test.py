"""Special points of branches along which a multiplier changes by thousands within a step, and ends in Hopf points from afar."""
import unittest

from branch_runs import ROOT, BranchRuns

MODELS = ROOT / "tests" / "truths" / "models"
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
