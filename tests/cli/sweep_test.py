"""Sweeps seen from outside: diagram, map and basin; killed, resumed, on a full disk, under mpirun."""
import json
import math
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

SALTUS = os.environ["SALTUS"]
ROOT = Path(__file__).resolve().parents[2]
OSCILLATOR = str(ROOT / "examples/impact_oscillator.toml")
MAP = ["map", OSCILLATOR, "--vary", "omega=2.5:3.1:24", "--vary", "e=0.4:0.9:16", "--periods", "40",
       "--transient", "10"]


def saltus(*arguments, **options):
    return subprocess.run([SALTUS, *arguments], capture_output=True, text=True, timeout=200, check=False, **options)


class Sweeps(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def file(self, name):
        return str(self.folder / name)

    def test_killed_at_any_moment_and_resumed_gives_the_same_bytes(self):
        whole, parts = self.file("whole.nc"), self.file("parts.nc")
        self.assertEqual(saltus(*MAP, "--out", whole, "--quiet").returncode, 0)
        kills = 0
        for delay in (0.15, 0.3, 0.5, 0.8):
            process = subprocess.Popen([SALTUS, *MAP, "--out", parts, "--resume", "--quiet"])
            time.sleep(delay)
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
                kills += 1
            process.wait()
        self.assertGreater(kills, 0)
        result = saltus(*MAP, "--out", parts, "--resume", "--threads", "1", "--quiet")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(Path(whole).read_bytes(), Path(parts).read_bytes())
        self.assertFalse(Path(parts + ".journal").exists())

    def test_a_diagram_is_resumed_too(self):
        diagram = ["diagram", OSCILLATOR, "--vary", "omega=2.6:2.9:24", "--periods", "30", "--transient", "120",
                   "--direction", "both", "--lyapunov", "--quiet"]
        whole, parts = self.file("whole.json"), self.file("parts.json")
        self.assertEqual(saltus(*diagram, "--out", whole).returncode, 0)
        process = subprocess.Popen([SALTUS, *diagram, "--out", parts])
        deadline = time.time() + 60
        while not Path(parts + ".journal").exists() and process.poll() is None and time.time() < deadline:
            time.sleep(0.02)
        time.sleep(0.1)
        process.kill()
        process.wait()
        self.assertEqual(saltus(*diagram, "--out", parts, "--resume").returncode, 0)
        first, second = (json.loads(Path(name).read_text(encoding="utf-8")) for name in (whole, parts))
        for json_object in (first, second):
            json_object.pop("lane_use")
        self.assertEqual(first, second)

    def test_a_journal_of_other_work_is_refused(self):
        out = self.file("map.nc")
        process = subprocess.Popen([SALTUS, *MAP, "--out", out, "--quiet"])
        while not Path(out + ".journal").exists() and process.poll() is None:
            time.sleep(0.02)
        process.kill()
        process.wait()
        if not Path(out + ".journal").exists():
            self.skipTest("the map was finished before it could be killed")
        other = saltus(*MAP, "--rtol", "1e-8", "--out", out, "--resume")
        self.assertEqual(other.returncode, 2)
        self.assertIn("belongs to another computation", other.stderr)
        without = saltus(*MAP, "--out", out)
        self.assertEqual(without.returncode, 2)
        self.assertIn("add --resume to continue it", without.stderr)

    def test_a_full_disk_keeps_what_is_done_and_is_told(self):
        out = self.file("map.nc")
        limit = 16 * 1024
        result = saltus(*MAP, "--out", out, "--quiet",
                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertIn("File too large", result.stderr)
        self.assertIn("continue with --resume", result.stderr)
        self.assertGreater(Path(out + ".journal").stat().st_size, 5000)
        self.assertFalse(Path(out).exists())
        whole = self.file("whole.nc")
        self.assertEqual(saltus(*MAP, "--out", out, "--resume", "--quiet").returncode, 0)
        self.assertEqual(saltus(*MAP, "--out", whole, "--quiet").returncode, 0)
        self.assertEqual(Path(out).read_bytes(), Path(whole).read_bytes())

    def test_an_interrupt_writes_the_part_and_marks_it(self):
        out = self.file("map.json")
        long = [*MAP[:6], "--periods", "4000"]
        process = subprocess.Popen([SALTUS, *long, "--out", out, "--threads", "1"], stderr=subprocess.PIPE, text=True)
        while not Path(out + ".journal").exists():
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn("--resume continues it", errors)
        self.assertFalse(json.loads(Path(out).read_text(encoding="utf-8"))["complete"])

    @unittest.skipUnless(shutil.which("mpirun"), "needs openmpi-bin")
    def test_mpirun_gives_the_same_bytes(self):
        whole, shared = self.file("whole.nc"), self.file("shared.nc")
        small = [*MAP[:2], "--vary", "omega=2.5:3.1:12", "--vary", "e=0.4:0.9:8", *MAP[6:]]
        self.assertEqual(saltus(*small, "--out", whole, "--quiet").returncode, 0)
        mpirun = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "4"]
        result = subprocess.run([*mpirun, SALTUS, *small, "--out", shared, "--quiet", "--threads", "1"],
                                capture_output=True, text=True, timeout=200, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(Path(whole).read_bytes(), Path(shared).read_bytes())

    def test_measures_and_labels_are_in_the_json(self):
        shape = ["--vary", "omega=2.5:2.6:3", "--vary", "e=0.7:0.8:2"]
        result = json.loads(saltus("map", OSCILLATOR, *shape, "--periods", "60", "--transient", "60", "--measure",
                                   "period", "--json").stdout)
        self.assertEqual([len(row) for row in result["values"]], [3, 3])
        self.assertEqual(result["values"], [[1, 1, 1], [1, 1, 1]])
        self.assertEqual([axis["name"] for axis in result["axes"]], ["omega", "e"])
        basin = json.loads(saltus("basin", OSCILLATOR, "--set", "omega=2.6", "--vary", "x=-1:0.5:4", "--vary",
                                  "x'=-1:1:3", "--periods", "60", "--transient", "100", "--json").stdout)
        self.assertEqual([row[-1] for row in basin["labels"]], [-1, -1, -1])  # x = 0.5 is inside the stop
        self.assertEqual(basin["no_motion"], 3)
        attractors = basin["attractors"]
        self.assertAlmostEqual(sum(attractor["share"] for attractor in attractors), 1.0, places=12)
        labels = [label for row in basin["labels"] for label in row[:-1]]
        self.assertEqual([attractor["points"] for attractor in attractors],
                         [labels.count(attractor["label"]) for attractor in attractors])
        for attractor in attractors:  # the exponents of an oscillator struck once per period: ln e² − 2ζT over T
            self.assertEqual(attractor["verdict"], "periodic")
            self.assertAlmostEqual(sum(attractor["exponents"]), 2 * math.log(0.8) * 2.6 / (2 * math.pi) - 0.1, places=6)


if __name__ == "__main__":
    unittest.main()
