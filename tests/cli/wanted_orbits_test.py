"""`saltus continue --at` and `--stop`: orbits at wanted values of what is varied, branches that end at a label."""
import json
import math
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SALTUS = os.environ["SALTUS"]
ROOT = Path(__file__).resolve().parents[2]
OSCILLATOR = str(ROOT / "examples/impact_oscillator.toml")
AT = ["--set", "omega=2.4", "--set", "sigma=0.12"]
GRAZING = 0.20981750456582512  # closed form: docs/method/impact_oscillator.md

# r' = r (p + r² − r⁴) turns with the angle: cycles r² = (1 ± sqrt(1 + 4 p))/2, a fold at p = −1/4, HB at p = 0.
CYCLES = """[parameters]
p = 0.5
[define]
g = "p + (x^2 + y^2) - (x^2 + y^2)^2"
[mechanics]
states = ["x", "y"]
rates = ["x*g - y", "y*g + x"]
[section]
surface = "y"
direction = "up"
[initial]
x = 1
"""


def saltus(*words, code=0, cwd=None):
    done = subprocess.run([SALTUS, *map(str, words)], capture_output=True, text=True, cwd=cwd)
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    return done


class Wanted(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.cycles = self.file("cycles.toml", CYCLES)

    def file(self, name, text):
        path = Path(self.folder.name) / name
        path.write_text(text)
        return str(path)

    def branch(self, *words, code=0):
        out = Path(self.folder.name) / "branch.json"
        saltus("continue", *words, "--out", out, "--quiet", code=code)
        return json.loads(out.read_text())

    def cycles_at(self, *words):
        return self.branch(self.cycles, "--vary", "p=-0.4:1", *words)

    def test_both_orbits_beside_a_fold_lie_exactly_at_the_value_and_on_the_closed_form(self):
        # At −1/4 + 1e-8 the two orbits are 1e-4 apart: Newton's method at a fixed parameter alone would mix them up.
        for value in (-0.2, -0.25 + 1e-4, -0.25 + 1e-8):
            result = self.cycles_at("--at", f"p={value!r}")
            radii = []
            for special in result["special"]:
                if special["kind"] != "UZ":
                    continue
                self.assertEqual(special["p"], value)
                radii.append(math.hypot(*special["x"]))
            root = math.sqrt(1 + 4 * value)
            exact = [math.sqrt((1 - root) / 2), math.sqrt((1 + root) / 2)]
            self.assertEqual(len(radii), 2, value)
            for found, wanted in zip(sorted(radii), exact):
                self.assertAlmostEqual(found, wanted, delta=1e-11 / root)

    def test_values_at_the_start_at_a_bound_and_in_between_have_one_label_each(self):
        result = self.cycles_at("--at", "p=0.5,1,0.75", "--at", "p=2*p/5", "--direction", "up")
        self.assertEqual([(s["label"], s["p"]) for s in result["special"]],
                         [("UZ1", 0.5), ("UZ2", 0.75), ("UZ3", 1)])
        self.assertEqual(result["unmet"], ["p = 0.2"])
        self.assertEqual([p["label"] for p in result["points"] if p["p"] in (0.5, 0.75, 1)], ["UZ1", "UZ2", "UZ3"])

    def test_values_beside_a_change_of_the_sequence_are_met(self):
        # The branch leaves a grazing by a step of its own: what lies within it is wanted, too.
        values = [GRAZING - 1e-9, GRAZING + 1e-9, GRAZING + 1e-5]
        result = self.branch(OSCILLATOR, *AT, "--vary", "sigma=0:0.3", "--at",
                             "sigma=" + ",".join(map(repr, values)))
        found = [s for s in result["special"] if s["kind"] == "UZ"]
        self.assertEqual([s["p"] for s in found], values)
        self.assertEqual([s["sequence"] for s in found], ["stop", "no events", "no events"])
        self.assertEqual([s["label"] for s in result["special"]], ["PD1", "UZ1", "GR1", "UZ2", "UZ3"])

    def test_an_orbit_at_a_value_is_the_one_that_orbit_finds(self):
        out = Path(self.folder.name) / "orbit.json"
        result = self.branch(OSCILLATOR, *AT, "--vary", "sigma=0:0.3", "--at", "sigma=0.1")
        saltus("orbit", OSCILLATOR, "--set", "omega=2.4", "--set", "sigma=0.1", "--transient", 60, "--out", out, "--quiet")
        orbit = json.loads(out.read_text())
        [wanted] = [s for s in result["special"] if s["kind"] == "UZ"]
        for a, b in zip(wanted["x"], orbit["x"]):
            self.assertAlmostEqual(a, b, delta=1e-9)

    def test_a_wanted_orbit_is_a_start_and_stands_in_every_output(self):
        words = [OSCILLATOR, *AT, "--vary", "sigma=0:0.3", "--at", "sigma=0.05,0.1"]
        whole = self.branch(*words)
        for ending in ("json", "nc"):
            out = Path(self.folder.name) / f"wanted.{ending}"
            saltus("continue", *words, "--out", out)
            again = self.branch(OSCILLATOR, "--from", out, "--point", "UZ2", "--vary", "sigma=0:0.3")
            self.assertEqual(again["points"][0]["p"], 0)
            self.assertIn(0.1, [p["p"] for p in again["points"]])
            self.assertEqual([s["kind"] for s in again["special"]], ["PD", "GR"])
            for one, other in zip(again["special"], [s for s in whole["special"] if s["kind"] != "UZ"]):
                self.assertAlmostEqual(one["p"], other["p"], delta=1e-10)
        csv, svg = (Path(self.folder.name) / name for name in ("wanted.csv", "wanted.svg"))
        text = saltus("continue", *words, "--out", csv, "--plot", svg).stdout
        self.assertIn("UZ1  sigma = 0.05 ", text)
        self.assertIn("UZ2", csv.read_text())
        self.assertIn("UZ2", svg.read_text())

    def test_each_direction_ends_at_the_label(self):
        result = self.cycles_at("--stop", "LP")
        self.assertEqual([e["reason"] for e in result["ends"]], ["stopped", "bound"])
        self.assertAlmostEqual(result["points"][0]["p"], -0.25, delta=1e-10)
        self.assertEqual(result["points"][0]["label"], "LP1")
        self.assertTrue(result["complete"])
        wanted = self.cycles_at("--at", "p=-0.2,0.1", "--stop", "UZ2,LP", "--direction", "down")
        self.assertEqual(wanted["points"][0]["label"], "UZ1")
        self.assertEqual(wanted["points"][0]["p"], -0.2)
        grazing = self.branch(OSCILLATOR, *AT, "--vary", "sigma=0:0.3", "--stop", "GR", "--direction", "up")
        self.assertEqual(grazing["ends"][0]["reason"], "stopped")
        self.assertEqual(grazing["special"][-1]["passage"], "persists")
        self.assertAlmostEqual(grazing["points"][-1]["p"], GRAZING, delta=1e-9)

    def test_what_is_no_value_and_no_label_is_refused(self):
        for words, message in ((["--at", "q=1"], "is no value of what is varied"),
                               (["--at", "p=2"], "lies outside of --vary p=-0.4:1"),
                               (["--at", "p="], "expected from 1 to 10000 values"),
                               (["--at", "p=0.1,,0.2"], "a number is missing"),
                               (["--at", "p=x"], "expected a number or a parameter (p)"),
                               (["--stop", "PDx"], "is no label"),
                               (["--stop", "PD0"], "is no label"),
                               (["--stop", "7"], "is no label")):
            done = saltus("continue", self.cycles, "--vary", "p=-0.4:1", *words, code=2)
            self.assertIn(message, done.stderr, words)


if __name__ == "__main__":
    unittest.main()
