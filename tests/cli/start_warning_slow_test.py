"""Motions that begin on a switching surface which they may leave to either side: every command says so, once."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SALTUS = os.environ["SALTUS"]
# From rest at x = 0 the push sign(x) leads to either of two wells.
MODEL = """
[parameters]
a = 1.0
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["-a*(x - sign(x)) - 0.3*x' + 0.01*cos(t)*x"]
[forcing]
period = "2*pi"
"""
COMMANDS = (
    ("simulate", "--periods", "2"),
    ("section", "--periods", "2"),
    ("lyapunov", "--periods", "20"),
    ("orbit", "--transient", "40"),
    ("continue", "--vary", "a=0.95:1.05", "--transient", "40"),
    ("diagram", "--vary", "a=0.9:1.1:3", "--periods", "4", "--transient", "4"),
    ("response", "--vary", "a=0.9:1.1:3", "--periods", "4", "--transient", "4"),
    ("map", "--vary", "a=0.9:1.1:2", "--vary", "x'=-0.1:0.1:3", "--periods", "4", "--transient", "4"),
    ("basin", "--vary", "x=-1:1:3", "--vary", "x'=-1:1:3", "--periods", "20", "--transient", "20"),
)


class StartWarning(unittest.TestCase):
    def warnings(self, command, x):
        with tempfile.TemporaryDirectory() as folder:
            model = Path(folder) / "wells.toml"
            model.write_text(MODEL + f"[initial]\nx = {x}\n", encoding="utf-8")
            run = subprocess.run([SALTUS, command[0], str(model), *command[1:]], capture_output=True, text=True,
                                 timeout=100, check=False, cwd=folder)
        self.assertIn(run.returncode, (0, 1), run.stderr)
        return run.stderr.count("which the motion may leave to either side")

    def test_every_command_that_begins_there_warns_once(self):
        for command in COMMANDS:
            self.assertEqual(self.warnings(command, 0), 1, command)

    def test_beside_the_surface_there_is_nothing_to_say(self):
        for command in COMMANDS[:2]:
            self.assertEqual(self.warnings(command, 0.5), 0, command)


if __name__ == "__main__":
    unittest.main()
