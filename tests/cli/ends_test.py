"""Runs end: trials in stiff regions are bounded, lengths that resolve nothing are refused, and an interrupt is heard."""
import os
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from interrupted_runs import assert_interrupted

SALTUS = os.environ["SALTUS"]

# Two rates 1e7 apart: explicit steps are no longer than 6e-7, so that a return to the section takes ten million of them.
STIFF = """
[mechanics]
states = ["u", "v", "w"]
rates = ["v", "-u", "-1e7*(w - u)"]
[section]
surface = "u"
direction = "up"
[initial]
u = 1
w = 1
"""

# A circle of radius sqrt(mu) and a slave with a rate of 3e5: one turn takes half a million steps, a point of a branch some dozen turns.
STIFF_CYCLE = """
[parameters]
mu = 1
[mechanics]
states = ["x", "y", "w"]
rates = ["mu*x - y - x*(x^2+y^2)", "x + mu*y - y*(x^2+y^2)", "-3e5*(w - x)"]
[section]
surface = "y"
direction = "up"
[initial]
x = 1
w = 1
"""


class Ends(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.model = Path(self.folder.name) / "stiff.toml"
        self.model.write_text(STIFF)

    def test_an_interrupt_ends_the_search_for_orbits(self):
        for options in (("--transient", "100"), ("--time", "6")):
            with self.subTest(options=options):
                assert_interrupted(self, signal.SIGINT, 2.0, "orbit", str(self.model), *options)

    def test_an_interrupt_is_heard_in_every_phase_of_a_branch(self):
        self.model.write_text(STIFF_CYCLE)
        for seconds in (2.0, 5.0, 9.0):
            with self.subTest(seconds=seconds):
                assert_interrupted(self, signal.SIGINT, seconds, "continue", str(self.model), "--vary", "mu=0.5:2", "--transient", "0")

    def test_random_starts_in_a_stiff_region_are_given_up(self):
        done = subprocess.run([SALTUS, "orbit", str(self.model), "--starts", "3", "--quiet"], capture_output=True, text=True,
                              timeout=120)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no orbit", done.stderr)

    def test_lengths_without_sense_are_refused(self):
        for words in (["continue", "--vary", "u=0:1", "--transient", "nan"], ["lyapunov", "--time", "1e300"],
                      ["section", "--time", "1e300"], ["orbit", "--transient", "nan"], ["orbit", "--time", "inf"]):
            with self.subTest(words=words):
                done = subprocess.run([SALTUS, words[0], str(self.model), *words[1:]], capture_output=True, text=True,
                                      timeout=60)
                self.assertEqual(done.returncode, 2, done.stderr)


if __name__ == "__main__":
    unittest.main()
