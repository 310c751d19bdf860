"""kills.py COUNT [SEED [COMMAND[/WAY]...]]: runs killed at random moments are resumed or repeated with the same bytes, and leave nothing behind.

Each of map, diagram, basin, response, continue and hill --chart, with 1 thread, 2 threads and 3 processes of mpirun (or those that are
named: map, map/2, map/ranks), is killed COUNT times with SIGKILL at a moment drawn uniformly from its whole work. Runs take some tenths of a second: kernels are
interpreted (saltus/kernel/interpreted_code.cpp), to the same bits, and every tenth run and every result to compare with is compiled as users' are.
"""
import math
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import deque
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SALTUS = os.environ.get("SALTUS", str(ROOT / "build/release/bin/saltus"))
OSCILLATOR, TABLE = str(ROOT / "examples/impact_oscillator.toml"), str(ROOT / "examples/vibrating_table.toml")
INTERPRETED = {**os.environ, "SALTUS_CODEGEN": str(Path(SALTUS).parents[1] / "lib/saltus_interpreted.so")}
PROCESSES = 3
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(PROCESSES)]
COMMANDS = {  # of maps and basins some ten tiles
    "map": ["map", OSCILLATOR, "--vary", "omega=2.5:3.1:16", "--vary", "e=0.4:0.9:12", "--periods", "12", "--transient", "4"],
    "diagram": ["diagram", OSCILLATOR, "--vary", "omega=2.6:2.9:20", "--periods", "20", "--transient", "20", "--direction", "both",
                "--ramps", "4"],
    "basin": ["basin", OSCILLATOR, "--set", "omega=2.72", "--vary", "x=-1.5:0.2:16", "--vary", "x'=-1.5:1.5:10", "--periods", "6",
              "--transient", "6"],
    "response": ["response", OSCILLATOR, "--vary", "omega=2.5:3.1:24", "--periods", "16"],
    "continue": ["continue", TABLE, "--case", "period1", "--vary", "A=0.36:1.2", "--step", "0.02"],
    "hill": ["hill", str(ROOT / "examples/mathieu_stop.toml"), "--vary", "alpha=-8:32:41", "--vary", "beta=0:12:31"],
}
RESUMED = ("map", "diagram", "basin", "response")
ENDINGS = (".nc", ".csv", ".json")


def line(command, mode, out, resume):
    words = [SALTUS, *command, "--quiet", "--out", str(out)] + (["--resume"] if resume else [])
    if mode == "ranks":
        return [*MPIRUN, *words]
    return words if command[0] == "continue" else [*words, "--threads", mode]


def processes(where, number):
    """Those whose status has this number: 1 the parent, 3 the session."""
    found = []
    for folder in os.listdir("/proc"):
        if not folder.isdigit():
            continue
        try:
            state = Path("/proc", folder, "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        if state[0] != "Z" and int(state[where]) == number:
            found.append(int(folder))
    return found


def work_of(process):
    """Seconds of a processor that its threads have used. Fine enough for runs of some hundredths, and the same on a machine that is busy."""
    total, folder = 0, f"/proc/{process}/task"
    try:
        threads = os.listdir(folder)
    except OSError:  # it has ended
        return 0.0
    for thread in threads:
        try:
            total += int(Path(folder, thread, "schedstat").read_text(encoding="ascii").split()[0])
        except (OSError, IndexError):
            continue
    return total * 1e-9


def workers(run, words):
    return processes(1, run.pid) if words[0] == "mpirun" else [run.pid]


def followed(run, words, most):
    """What its processes have worked, when it ended or when that was more than so much."""
    work, parts = 0.0, []
    while run.poll() is None and work <= most:
        time.sleep(0.001)
        if len(parts) < PROCESSES:  # all of /proc is read for them
            parts = workers(run, words)
        work = max(work, sum(work_of(process) for process in parts))
    return work


def whole(words, environment):
    """Runs to its end; what it has worked until then."""
    with tempfile.TemporaryFile() as said, subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=said, env=environment) as run:
        work = followed(run, words, math.inf)
        if run.wait() not in (0, 1):
            said.seek(0)
            raise RuntimeError(f"{' '.join(words)}: {run.returncode}: {said.read().decode(errors='replace')}")
    return work


def killed(words, environment, moment, rng):
    """True if it was killed before its end. Returns when none of its processes is left: mpirun does not wait for all of its own."""
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True, env=environment) as run:
        followed(run, words, moment)
        if run.poll() is not None:
            return False
        try:
            os.kill(rng.choice(workers(run, words) or [run.pid]), signal.SIGKILL)
        except ProcessLookupError:
            pass
        end = time.monotonic() + 60
        while (left := processes(3, run.pid)) and time.monotonic() < end:
            time.sleep(0.005)
        if left and left != [run.pid]:
            raise RuntimeError(f"{' '.join(words)}: {len(left)} processes still at work a minute after a kill") from None
        run.kill()  # killed while it started: all processes had ended, and mpirun waited for one that was none yet
        return run.wait() == -signal.SIGKILL or words[0] == "mpirun"


class Trial:
    """One command in one way: its results to compare with, and what has happened to its runs."""

    def __init__(self, name, mode, folder, rng):
        self.name, self.mode, self.folder, self.rng = name, mode, folder, rng
        self.runs = self.kills = self.half = self.wrong = 0
        self.works = deque(maxlen=7)
        for ending in ENDINGS:
            whole(self.words(folder / ("out" + ending), False), None)
            for each in folder.glob("out*"):  # CSV has further tables
                each.rename(folder / each.name.replace("out", "expected"))
        for _ in range(3):
            self.works.append(whole(self.words(folder / "out.nc", False), INTERPRETED))
            (folder / "out.nc").unlink()

    def words(self, out, resume):
        return line(COMMANDS[self.name], self.mode, out, resume)

    def kill_once(self):
        out = self.folder / ("out" + self.rng.choice(ENDINGS))
        environment = None if self.runs % 10 == 9 else INTERPRETED
        was_killed = killed(self.words(out, False), environment, self.rng.uniform(0.0, statistics.median(self.works)), self.rng)
        self.runs += 1
        self.kills += was_killed
        self.half += Path(str(out) + ".journal").exists()
        if self.mode == "ranks" and self.name not in RESUMED:
            for each in self.folder.glob("out.partial*"):  # mpirun has interrupted the others: one of them was not ready when another was
                each.unlink()
        whole(self.words(out, self.name in RESUMED), environment)
        same = all((self.folder / each.name.replace("out", "expected")).read_bytes() == each.read_bytes()
                   for each in self.folder.glob("out*") if each.suffix != ".journal")
        left = [each.name for each in self.folder.iterdir() if not each.name.startswith(("out", "expected"))]
        left += [each.name for each in self.folder.glob("*.journal")]
        if not same or left or not out.exists():
            self.wrong += 1
            print(f"{self.name} {self.mode}: run {self.runs}: same {same}, left {left}", flush=True)
        for each in self.folder.glob("out*"):
            each.unlink()


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    rng = random.Random(seed)
    wrong = 0
    named = [each.partition("/") for each in sys.argv[3:] or COMMANDS]
    for name, _, way in named:
        for mode in [way] if way else ["1", "2", "ranks"]:
            if mode == "ranks" and shutil.which("mpirun") is None:
                continue
            with tempfile.TemporaryDirectory() as scratch:
                trial = Trial(name, mode, Path(scratch), rng)
                while trial.kills < count:
                    trial.kill_once()
                    if trial.runs % 10 == 0:  # how much a whole run works
                        trial.works.append(whole(trial.words(Path(scratch) / "out.nc", False), INTERPRETED))
                        (Path(scratch) / "out.nc").unlink()
                wrong += trial.wrong
                print(f"{name:9} {mode:6} {trial.runs} runs, {trial.kills} killed before their end, {trial.half} of them with a journal, "
                      f"{trial.wrong} wrong", flush=True)
    print(f"{wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
