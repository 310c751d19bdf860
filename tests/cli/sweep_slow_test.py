"""Sweeps seen from outside, at length: under mpirun, with a dead rank, and the memory of a map, which does not grow with its points."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from sweep_runs import BASIN, DIAGRAM, MAP, MPIRUN, SALTUS, SMALL_MAP, SweepCase, mpirun, saltus, worker_of

FREE_OSCILLATOR = """
[parameters]
k = 1
c = 0.1
[mechanics]
coordinates = ["x"]
mass  = [["1"]]
force = ["cos(t) - k*x - c*x'"]
[forcing]
period = "2*pi"
"""
MEASURE = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); " \
          "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"


@unittest.skipUnless(shutil.which("mpirun"), "needs openmpi-bin")
class Ranks(SweepCase):
    def test_mpirun_gives_the_same_bytes(self):
        kinds = {"map.nc": SMALL_MAP, "basin.csv": BASIN, "diagram.nc": DIAGRAM}
        for name, words in kinds.items():
            with self.subTest(name):
                whole, shared = self.file("whole_" + name), self.file("shared_" + name)
                self.assertEqual(saltus(*words, "--out", whole, "--quiet").returncode, 0)
                result = mpirun(4, *words, "--out", shared, "--quiet", "--threads", "1")
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual(Path(whole).read_bytes(), Path(shared).read_bytes())
                self.assertFalse(Path(shared + ".journal").exists())

    def test_the_work_of_a_dead_rank_is_not_lost(self):
        # mpirun ends all processes when one of them dies; what was done is in the journal, and the dead one's part is not.
        whole, shared = self.file("whole.nc"), self.file("shared.nc")
        words = [*MAP[:2], "--vary", "omega=2.5:3.1:24", "--vary", "e=0.4:0.9:16", "--periods", "400"]
        process = subprocess.Popen([*MPIRUN, "-n", "3", SALTUS, *words, "--out", shared, "--quiet", "--threads", "1"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        journal = Path(shared + ".journal")
        deadline = time.time() + 60
        while not (journal.exists() and journal.stat().st_size > 5000) and time.time() < deadline:
            time.sleep(0.02)
        os.kill(worker_of(process.pid), signal.SIGKILL)
        self.assertNotEqual(process.wait(timeout=60), 0)
        self.assertTrue(journal.exists())
        result = mpirun(3, *words, "--out", shared, "--quiet", "--threads", "1", "--resume")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(saltus(*words, "--out", whole, "--quiet").returncode, 0)
        self.assertEqual(Path(whole).read_bytes(), Path(shared).read_bytes())

    def test_a_full_disk_ends_all_ranks(self):
        out = str(self.small_disk("16k") / "map.nc")
        result = mpirun(3, *MAP, "--out", out, "--quiet", "--threads", "1")
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertIn("continue with --resume", result.stderr)


class Progress(SweepCase):
    def test_is_told_on_lines_with_rate_and_time_left_elsewhere_than_on_a_terminal(self):
        words = [*MAP[:2], "--vary", "omega=2.5:3.1:100", "--vary", "e=0.4:0.9:100", "--periods", "4000", "--measure", "impacts"]
        process = subprocess.Popen([SALTUS, *words, "--out", self.file("map.nc")], stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        begin = time.time()
        self.assertRegex(process.stderr.readline(), r"^[0-9]+ of 10000 \([0-9]+ %\), [0-9.e+]+ per second, [0-9.]+ (s|min|h) left$")
        self.assertGreater(time.time() - begin, 9.0)


class Memory(unittest.TestCase):
    def test_does_not_grow_with_the_points_of_a_map(self):
        with tempfile.TemporaryDirectory() as folder:
            model = Path(folder) / "oscillator.toml"
            model.write_text(FREE_OSCILLATOR, encoding="utf-8")

            def peak(side):
                words = [SALTUS, "map", str(model), "--vary", f"k=1:2:{side}", "--vary", f"c=0.1:1:{side}", "--periods", "1", "--rtol",
                         "1e-4", "--measure", "impacts", "--out", f"{folder}/map_{side}.nc", "--quiet", "--threads", "1"]
                result = subprocess.run([sys.executable, "-c", MEASURE, *words], capture_output=True, text=True, check=True)
                return int(result.stdout) / 1024

            small, large = peak(100), peak(500)
            # 240,000 points more with five numbers each are 9.2 MB.
            self.assertLess(large - small, 4.5, f"{small} MB, {large} MB")


if __name__ == "__main__":
    unittest.main()
