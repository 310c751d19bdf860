"""Branches do not depend on how they are followed: the same special points and ends whatever the section, the step, the segments of the first orbit, the
tolerance, the orbit they begin with and the order of the directions. Eight models, choices from a fixed seed; SALTUS_CHOICES asks for more of them."""
import os
import random
import subprocess
import unittest

from branch_runs import ROOT, SALTUS, BranchRuns

EXAMPLES = ROOT / "examples"
TRUTHS = ROOT / "tests" / "truths" / "models"
CHOICES = int(os.environ.get("SALTUS_CHOICES", "4"))  # for each model

# A model, what is varied, how the first orbit is found, and sections that it meets.
MODELS = {
    "impacts": (EXAMPLES / "impact_oscillator.toml", "sigma=0.05:0.5", ["--set", "omega=2.4", "--set", "sigma=0.12"], []),
    "table": (EXAMPLES / "vibrating_table.toml", "A=0.36:1.2", ["--case", "period1"], []),
    "dry friction": (EXAMPLES / "dry_friction.toml", "A=1.05:3", [], []),
    "sliding": (EXAMPLES / "stick_slip.toml", "belt=0.2:1.5", [], ["x - 0.9", "x' - 0.1"]),
    "capsule": (TRUTHS / "capsule_without_drift.toml", "omega=0.7:0.9", ["--set", "omega=0.8"], []),
    "substrate": (TRUTHS / "auto_plp.toml", "rho=2.5:5.5", ["--transient", "200"], ["S - 30", "A - 95", "A - 3*S"]),
    "reaction": (TRUTHS / "auto_ab.toml", "p1=0.1:0.25", ["--transient", "60"], ["u - 0.7", "v - 4", "v - 3*u - 1.5"]),
    "extremal": (TRUTHS / "auto_ops.toml", "p3=0.8:1", [], ["z - p3", "x - z", "x + y - 2"]),
}


MODELS_WITHOUT_FORCING = {str(model) for model, _, _, surfaces in MODELS.values() if surfaces}


class BranchProperty(BranchRuns):
    def assert_same(self, branch, wanted, words):
        """Kinds and places, in either direction of travel, and how the branch ends."""
        found = sorted((s["kind"], s["p"]) for s in branch["special"])
        expected = sorted((s["kind"], s["p"]) for s in wanted["special"])
        self.assertEqual([kind for kind, _ in found], [kind for kind, _ in expected], (words, found, expected))
        for (kind, p), (_, truth) in zip(found, expected):
            self.assertAlmostEqual(p, truth, delta=1e-8, msg=(words, kind))
        self.assertEqual(sorted(e["reason"] for e in branch["ends"]), sorted(e["reason"] for e in wanted["ends"]), words)

    def other_start(self, rng, model, start, wanted, file):
        """The first orbit as it was, one found in other segments, or another orbit of the branch."""
        way = rng.choice(["the same", "segments", "another"])
        if way == "the same" or (way == "segments" and not MODELS_WITHOUT_FORCING & {str(model)}):
            return list(start)
        if way == "segments":
            found = self.folder / "segments.json"
            settled = start if "--transient" in start else [*start, "--transient", "300"]
            subprocess.run([SALTUS, "orbit", str(model), *settled, "--segments", str(rng.randint(1, 9)), "--out", str(found)], check=True,
                           capture_output=True, timeout=600)
            return ["--from", str(found)]
        ordinary = [i for i, point in enumerate(wanted["points"], 1) if not point["label"]]
        return ["--from", str(file), "--point", str(rng.choice(ordinary))]

    def followed(self, rng, model, varied, words):
        """In both directions at once, or one after the other."""
        if rng.random() < 0.7:
            return self.branch(model, "--vary", varied, *words, seconds=600)
        legs = [self.branch(model, "--vary", varied, *words, "--direction", way, seconds=600) for way in ("up", "down")]
        return {part: legs[0][part] + legs[1][part] for part in ("special", "ends")}

    def check(self, name):
        model, varied, start, surfaces = MODELS[name]
        rng = random.Random("branches " + name)
        file = self.folder / "first.json"
        wanted = self.branch(model, "--vary", varied, *start, "--out", str(file), seconds=600)
        self.assertGreater(len(wanted["special"]), 0)
        for _ in range(CHOICES):
            words = self.other_start(rng, model, start, wanted, file)
            words += ["--step", f"{rng.uniform(0.03, 0.15):.3f}", "--rtol", f"{10 ** rng.uniform(-12.5, -11):.3g}"]
            if surfaces and "--from" not in words:
                words += ["--surface", rng.choice(surfaces)]
            self.assert_same(self.followed(rng, model, varied, words), wanted, words)

    def test_impacts(self):
        self.check("impacts")

    def test_bouncing_ball_on_a_table(self):
        self.check("table")

    def test_dry_friction(self):
        self.check("dry friction")

    def test_slides_along_a_switch(self):
        self.check("sliding")

    def test_capsule_with_dry_friction_and_a_stop(self):
        self.check("capsule")

    def test_folds_between_hopf_points(self):
        self.check("substrate")

    def test_fold_beside_a_hopf_point(self):
        self.check("reaction")

    def test_folds_of_an_oscillator_in_three_states(self):
        self.check("extremal")


if __name__ == "__main__":
    unittest.main()
