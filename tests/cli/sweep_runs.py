"""What tests of sweeps have in common: small sweeps, the program alone and under mpirun, a folder, a small disk."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SALTUS = os.environ["SALTUS"]
ROOT = Path(__file__).resolve().parents[2]
OSCILLATOR = str(ROOT / "examples/impact_oscillator.toml")
MAP = ["map", OSCILLATOR, "--vary", "omega=2.5:3.1:24", "--vary", "e=0.4:0.9:16", "--periods", "40",
       "--transient", "10"]
SMALL_MAP = [*MAP[:2], "--vary", "omega=2.5:3.1:12", "--vary", "e=0.4:0.9:8", *MAP[6:]]
BASIN = ["basin", OSCILLATOR, "--set", "omega=2.72", "--vary", "x=-1.5:0.2:12", "--vary", "x'=-1.5:1.5:8", "--periods", "40",
         "--transient", "60"]
DIAGRAM = ["diagram", OSCILLATOR, "--vary", "omega=2.6:2.9:12", "--periods", "20", "--transient", "40", "--direction", "both",
           "--ramps", "2", "--lyapunov"]
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe"]


def saltus(*arguments, **options):
    return subprocess.run([SALTUS, *arguments], capture_output=True, text=True, timeout=200, check=False, **options)


def mpirun(processes, *arguments, **options):
    return subprocess.run([*MPIRUN, "-n", str(processes), SALTUS, *arguments], capture_output=True, text=True, timeout=200,
                          check=False, **options)


def worker_of(launcher):
    """The process of the last rank that mpirun started."""
    ranks = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])
            entries = (folder / "environ").read_bytes().split(b"\0")
        except (OSError, ValueError):
            continue
        if parent == launcher:
            ranks.update({int(entry[21:]): int(folder.name) for entry in entries if entry.startswith(b"OMPI_COMM_WORLD_RANK=")})
    return ranks[max(ranks)]


class SweepCase(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def file(self, name):
        return str(self.folder / name)

    def small_disk(self, size):
        disk = self.folder / "disk"
        disk.mkdir()
        mount = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "saltus_test", str(disk)],
                               capture_output=True, text=True, check=False)
        if mount.returncode != 0:
            self.skipTest("no right to mount: " + mount.stderr.strip())
        self.addCleanup(subprocess.run, ["umount", str(disk)], check=True)
        return disk
