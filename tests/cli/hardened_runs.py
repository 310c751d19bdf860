"""What tests of hostile files, streams and outputs have in common: the program, a folder, small models."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SALTUS = os.environ["SALTUS"]
ROOT = Path(__file__).resolve().parents[2]
BALL = str(ROOT / "examples/bouncing_ball.toml")
TABLE = str(ROOT / "examples/vibrating_table.toml")
OSCILLATOR = str(ROOT / "examples/impact_oscillator.toml")
BRANCH = ["continue", TABLE, "--case", "period1", "--vary", "A=0.36:1.2"]
ORBIT = ["orbit", TABLE, "--case", "period1"]


def saltus(*arguments, **options):
    options.setdefault("timeout", 100)
    options.setdefault("stdin", subprocess.DEVNULL)
    if "input" in options:
        del options["stdin"]
    return subprocess.run([SALTUS, *arguments], capture_output=True, check=False, **options)


def pendulums(n: int) -> str:
    """A chain in absolute angles: every entry of M depends on the state."""
    names = ", ".join(f'"a{i}"' for i in range(n))
    mass = ", ".join("[" + ", ".join(f'"{n - max(i, j)}*cos(a{i} - a{j})"' for j in range(n)) + "]" for i in range(n))
    force = ", ".join('"' + "".join(f" - {n - max(i, j)}*sin(a{i} - a{j})*a{j}'^2" for j in range(n) if j != i)
                      + f' - {n - i}*sin(a{i})"' for i in range(n))
    return f"[mechanics]\ncoordinates = [{names}]\nmass = [{mass}]\nforce = [{force}]\n"


def many_switches(n: int) -> str:
    """One force that switches at n places, beside a pendulum that swings for ever."""
    switches = "+".join(f"sign(x-{i})" for i in range(n))
    return f"""[mechanics]
coordinates = ["x", "y"]
mass = [["1", "0"], ["0", "1"]]
force = ["{switches}", "-sin(y)"]
[initial]
y = 1
"""


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, name):
        return str(self.folder / name)

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")
        return self.file(name)

    def names(self):
        return sorted(entry.name for entry in self.folder.iterdir())

    def expect(self, code, words, *arguments, **options):
        """The program ends with this code and says these words; never with a fault or a signal."""
        run = saltus(*arguments, **options)
        said = (run.stderr + run.stdout).decode(errors="replace")
        self.assertEqual(run.returncode, code, said)
        self.assertIn(words, said)
        return said
