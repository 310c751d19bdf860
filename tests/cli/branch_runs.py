"""What tests of branches have in common: the program, a folder, a branch as JSON."""
import json
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
CYCLE = """[parameters]
mu = 1
[mechanics]
coordinates = ["x"]
mass  = [["1"]]
force = ["mu*(1 - x^2)*x' - x"]
[section]
surface = "x"
direction = "up"
[initial]
"x'" = 2
"""


def saltus(*arguments, seconds=100):
    return subprocess.run([SALTUS, "continue", *map(str, arguments)], capture_output=True, text=True, timeout=seconds, check=False)


class BranchRuns(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def branch(self, *arguments, code=0, seconds=100):
        run = saltus(*arguments, "--json", seconds=seconds)
        self.assertEqual(run.returncode, code, (arguments, run.stderr))
        return json.loads(run.stdout)
