"""Large models: an interrupt is heard while they are compiled."""
import json
import os
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from hardened_runs import pendulums
from interrupted_runs import assert_interrupted, assert_interrupted_at_a_size

SALTUS = os.environ["SALTUS"]


class Compilation(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def model(self, text: str) -> str:
        file = Path(self.folder.name) / "large.toml"
        file.write_text(text)
        return str(file)

    def test_an_interrupt_is_heard_while_a_model_is_compiled(self):
        model = self.model(pendulums(20))
        for request in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(request=request):
                assert_interrupted(self, request, 1.0, "simulate", model, "--time", "1e6")

    def test_an_interrupt_is_heard_while_many_switches_are_compiled(self):
        force = "+".join(f"sign(x-{i})" for i in range(1500))
        model = self.model(f'[mechanics]\ncoordinates = ["x"]\nmass = [["1"]]\nforce = ["{force}"]\n')
        for after in (0.3, 2.5):  # while it is read, while it is compiled
            with self.subTest(after=after):
                assert_interrupted(self, signal.SIGINT, after, "simulate", model, "--time", "1e6")

    def test_an_interrupt_is_heard_while_an_orbit_of_many_returns_is_solved_for(self):
        table = str(Path(__file__).resolve().parents[2] / "examples/vibrating_table.toml")
        file = Path(self.folder.name) / "orbit.json"
        found = subprocess.run([SALTUS, "orbit", table, "--case", "period1", "--quiet", "--out", str(file)], check=False)
        self.assertEqual(found.returncode, 0)
        file.write_text(json.dumps(json.loads(file.read_text()) | {"returns": 1000}))
        for after in (0.2, 0.5, 0.8):  # two seconds in all
            with self.subTest(after=after):
                assert_interrupted(self, signal.SIGTERM, after, "continue", table, "--from", str(file), "--vary", "A=0.36:1.2", "--quiet")

    def test_an_interrupt_that_comes_as_a_computation_ends_is_not_forgotten_while_its_result_is_written(self):
        # A million states of one flight take less than a second, and their table many: the request was dropped between them.
        ball = str(Path(__file__).resolve().parents[2] / "examples/bouncing_ball.toml")
        for megabytes in (240, 270, 300):  # of three or four hundred
            with self.subTest(megabytes=megabytes):
                assert_interrupted_at_a_size(self, signal.SIGINT, megabytes, "simulate", ball, "--time", "0.3", "--samples", "1000000",
                                             "--quiet", "--out", str(Path(self.folder.name) / "states.csv"))

    def test_sums_that_share_their_parts_take_no_longer_than_they_are(self):
        # Each definition uses the one before twice: as a tree of expressions the last would have 2^60 leaves.
        define = "".join(f'd{i} = "0.5*d{i - 1}^2 - 0.3*d{i - 1}*x"\n' for i in range(1, 60))
        model = self.model(f"""[define]
d0 = "x"
{define}
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["sin(d59) + sin(d58) - x"]
[initial]
x = 0.5
""")
        run = subprocess.run([SALTUS, "simulate", model, "--time", "1"], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)


if __name__ == "__main__":
    unittest.main()
