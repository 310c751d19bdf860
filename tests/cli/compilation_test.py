"""Large models and large problems: an interrupt is heard in every phase, and what shares its parts takes no longer than they are."""
import json
import os
import signal
import subprocess
import time
import unittest
from pathlib import Path

from hardened_runs import BALL, ORBIT, OSCILLATOR, SALTUS, TABLE, Folder, many_switches, pendulums, saltus
from interrupted_runs import assert_ends, assert_interrupted, memory, processor_time_of, started, wait_until

ENDLESS = ["--time", "1e9"]  # of something that swings: hours on any machine


class Compilation(Folder):
    def test_an_interrupt_is_heard_while_a_model_is_compiled(self):
        model = self.write("large.toml", pendulums(20) + "[initial]\na0 = 1\n")
        for request in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(request=request):
                assert_interrupted(self, request, 0.9, "simulate", model, *ENDLESS)  # read after 0.7, compiled after 1.6

    def test_an_interrupt_is_heard_while_many_switches_are_compiled(self):
        model = self.write("large.toml", many_switches(1500))
        for seconds in (0.0, 0.3, 1.2):  # as it begins, while it is read (0.6) and while it is compiled (5.7)
            with self.subTest(seconds=seconds):
                assert_interrupted(self, signal.SIGINT, seconds, "simulate", model, *ENDLESS)

    def test_an_interrupt_is_heard_while_an_orbit_of_many_returns_is_solved_for(self):
        file = self.folder / "orbit.json"
        self.assertEqual(saltus(*ORBIT, "--quiet", "--out", str(file)).returncode, 0)
        file.write_text(json.dumps(json.loads(file.read_text()) | {"returns": 1000}))
        command = ["continue", TABLE, "--from", str(file), "--vary", "A=0.36:1.2", "--quiet"]
        whole = processor_time_of(*command)
        for part in (0.1, 0.35, 0.6):
            with self.subTest(part=part):
                assert_interrupted(self, signal.SIGTERM, part * whole, *command)

    def test_an_interrupt_before_there_is_anything_to_draw_is_no_mistake_of_the_command_line(self):
        assert_interrupted(self, signal.SIGINT, 0.5, "lyapunov", OSCILLATOR, "--transient", "1e9", "--periods", "3", "--quiet",
                           "--plot", self.file("a.svg"))
        self.assertEqual(self.names(), [])

    def test_what_draws_ends_with_the_program(self):
        drawing = self.folder / "drawing"
        gnuplot = Path(self.write("gnuplot", f"#!/bin/sh\necho $$ >{drawing}\nexec sleep 1000\n"))
        gnuplot.chmod(0o700)
        for request in (signal.SIGINT, signal.SIGTERM):
            path = f"{self.folder}:{os.environ['PATH']}"
            with subprocess.Popen([SALTUS, "simulate", BALL, "--time", "1", "--quiet", "--plot", self.file("a.svg")],
                                  env={**os.environ, "PATH": path}) as run:
                wait_until(run, lambda: drawing.exists() and drawing.read_text().strip() and self.state(run.pid) == "S")  # S: waits for it
                run.send_signal(request)
                self.assertEqual(run.wait(timeout=100), 130)
            for _ in range(1000):
                if self.state(drawing.read_text().strip()) in ("Z", "none"):  # Z: nobody has taken note of its end
                    break
                time.sleep(0.01)
            else:
                self.fail("it goes on drawing")
            drawing.unlink()

    def state(self, process):
        try:
            return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return "none"

    def test_an_interrupt_that_comes_as_a_computation_ends_is_not_forgotten_while_its_result_is_written(self):
        # A million states of one flight take less than a second, and their table many: the request was dropped between them.
        command = ["simulate", BALL, "--time", "0.3", "--samples", "1000000", "--quiet", "--out", self.file("states.csv")]
        begun = started(*command)
        wait_until(begun, lambda: any(each.stat().st_size > 0 for each in self.folder.glob(".saltus-*.part")))
        bytes_then = memory(begun.pid)  # when the first lines of the table are written
        assert_ends(self, begun, signal.SIGINT)
        self.assertEqual(self.names(), [])  # not the draft of the table either
        for part in (0.8, 0.95):
            with self.subTest(part=part):
                run = started(*command)
                wait_until(run, lambda enough=part * bytes_then, run=run: memory(run.pid) >= enough)
                assert_ends(self, run, signal.SIGINT, soon=60.0)  # what was computed may be all of it, and is written

    def test_sums_that_share_their_parts_take_no_longer_than_they_are(self):
        # Each definition uses the one before twice: as a tree of expressions the last would have 2^60 leaves.
        define = "".join(f'd{i} = "0.5*d{i - 1}^2 - 0.3*d{i - 1}*x"\n' for i in range(1, 60))
        model = self.write("large.toml", f"""[define]
d0 = "x"
{define}
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["sin(d59) + sin(d58) - x"]
[initial]
x = 0.5
""")
        run = subprocess.run([SALTUS, "simulate", model, "--time", "1"], capture_output=True, text=True, timeout=100, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)


if __name__ == "__main__":
    unittest.main()
