"""Every command, asked to end at moments of its whole life, ends soon with exit code 130 and leaves no draft: while a model is read, derived,
checked and compiled, while files are read and written, while a motion, an orbit or a branch is computed, and while it is drawn.
A moment is a part of the work of the whole run. One of each command and way here; ./test nightly asks for more (SALTUS_MOMENTS)."""
import os
import random
import signal
import subprocess
import unittest
import zlib
from pathlib import Path

from hardened_runs import BALL, BRANCH, OSCILLATOR, ROOT, SALTUS, TABLE, Folder, many_switches, pendulums, saltus
from interrupted_runs import listens, of_children, processor_time, processor_time_of, wait_until

MOMENTS = int(os.environ.get("SALTUS_MOMENTS", "1"))
WATCHED = b"__asan_init" in Path(SALTUS).read_bytes()  # sanitizers take ten times as long
SOON = 12.0 if WATCHED else 1.3  # seconds of a processor; it is looked after twice in a second
HILL = str(ROOT / "examples/mathieu_stop.toml")
PAIR = str(ROOT / "examples/clearance_pair.toml")
GRID = ["--vary", "omega=2.5:3.1:16", "--vary", "e=0.4:0.9:12", "--periods", "20"]
START = "[initial]\na0 = 1\n"
FILES = ["--quiet", "--out", "FOLDER/out.nc", "--plot", "FOLDER/out.png"]


class Interrupts(Folder):
    def at_moments(self, *command):
        """Asked to end after each of some parts of its work, by both requests."""
        words = [word.replace("FOLDER", str(self.folder)) for word in command]
        before = self.names()
        whole = processor_time_of(*words)
        self.clear(before)
        rng = random.Random(zlib.crc32(" ".join(command).encode()))
        for moment in range(MOMENTS):
            part, request = (moment + rng.random()) / MOMENTS, rng.choice([signal.SIGINT, signal.SIGTERM])
            with self.subTest(command=" ".join(words)[:200], part=round(part, 3), request=request):
                self.asked(words, part * whole, request)
                self.assertEqual([name for name in self.names() if name.endswith(".part")], [])
            self.clear(before)

    def clear(self, kept):
        for name in self.names():
            if name not in kept:
                (self.folder / name).unlink()

    def asked(self, words, work, request):
        before = of_children()
        with subprocess.Popen([SALTUS, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as run:
            wait_until(run, lambda: listens(run.pid) and processor_time(run.pid) >= work)
            used = processor_time(run.pid) if run.poll() is None else None
            if used is not None:
                run.send_signal(request)
            try:
                _, said = run.communicate(timeout=200)
            except subprocess.TimeoutExpired:
                run.kill()
                self.fail("it does not hear that it is asked to end")
        if used is None:
            return  # it had ended
        self.assertLess(of_children() - before - used, SOON)
        if run.returncode != 0:  # 0: nothing was left to do
            self.assertEqual(run.returncode, 130, said)
            self.assertIn("interrupted", said)

    def test_reading_and_deriving_a_model(self):
        large = self.write("large.toml", pendulums(20) + START)
        self.at_moments("check", self.write("switches.toml", many_switches(1500)))
        self.at_moments("check", large, "--quiet")
        self.at_moments("equations", large)
        for stage in ("model", "expr", "kernel"):
            self.at_moments("show", stage, large)

    def test_compiling_and_following_a_large_model(self):
        self.at_moments("simulate", self.write("large.toml", pendulums(20) + START), "--time", "2", *FILES)

    def test_reading_large_files(self):
        starts = "x,x'\n" + "".join(f"{-1 - i * 1e-6!r},0.5\n" for i in range(300000))
        self.at_moments("lyapunov", OSCILLATOR, "--periods", "1", "--quiet", "--starts", self.write("starts.csv", starts))
        for name in ("branch.json", "branch.nc"):
            self.assertEqual(saltus(*BRANCH, "--quiet", "--out", self.file(name)).returncode, 0)
            self.at_moments("continue", TABLE, "--from", self.file(name), "--point", "PD1", "--vary", "A=0.9:1.2", *FILES)

    def test_writing_and_drawing(self):
        many = ["simulate", BALL, "--time", "3", "--quiet", "--samples"]
        for name in ("out.csv", "out.json", "out.nc"):
            self.at_moments(*many, "200000", "--out", "FOLDER/" + name)
        for name in ("out.svg", "out.pdf"):
            self.at_moments(*many, "200000", "--plot", "FOLDER/" + name)
        self.at_moments("section", OSCILLATOR, "--case", "chaos", "--periods", "20000", *FILES)

    def test_motions_and_sweeps(self):
        self.at_moments("lyapunov", OSCILLATOR, "--case", "chaos", "--periods", "2000", *FILES)
        for threads in ("1", "3"):
            self.at_moments("map", OSCILLATOR, *GRID, *FILES, "--threads", threads)
            self.at_moments("basin", OSCILLATOR, "--vary", "x=-1.5:0.2:16", "--vary", "x'=-1.5:1.5:10", "--periods", "12", *FILES,
                            "--threads", threads)
            self.at_moments("diagram", OSCILLATOR, "--vary", "omega=2.6:2.9:40", "--periods", "60", *FILES, "--threads", threads)
            self.at_moments("response", OSCILLATOR, "--vary", "omega=2.5:3.1:48", "--periods", "64", *FILES, "--threads", threads)
            self.at_moments("hill", HILL, "--vary", "alpha=-8:32:161", "--vary", "beta=0:12:121", *FILES, "--threads", threads)
        self.at_moments("hill", HILL, "--verify", *FILES)

    def test_orbits_and_branches_from_their_first_correction_on(self):
        large = self.write("large.toml", pendulums(10) + START)
        self.at_moments("orbit", large, "--surface", "a0", "--time", "6", "--iterations", "2", "--quiet")
        varied = pendulums(10).replace('*sin(a0)"', '*g*sin(a0)"')
        self.at_moments("continue", self.write("varied.toml", "[parameters]\ng = 1\n" + varied + START), "--surface", "a0", "--transient", "6",
                        "--vary", "g=0.9:1.1", "--quiet")
        self.at_moments("orbit", PAIR, "--case", "eta0772", "--method", "tfem", "--elements", "60", "--quiet")
        self.at_moments("orbit", OSCILLATOR, "--case", "chaos", "--starts", "64", "--period", "4", *FILES)
        self.at_moments("continue", OSCILLATOR, "--set", "omega=2.4", "--vary", "sigma=-0.3:0.3", "--step", "0.01", *FILES)

    def test_words_about_the_program(self):
        for words in (["completion", "bash"], ["completion", "zsh"], ["man"], ["--help"], ["--version"], ["map", "--help"]):
            self.at_moments(*words)


if __name__ == "__main__":
    unittest.main()
