"""kills.py COUNT [SEED]: runs killed at random moments are resumed or repeated with the same bytes, and leave nothing behind.

Each of map, diagram, basin, response, continue and hill --chart, with 1 thread, 2 threads and 3 processes of mpirun, is killed
COUNT times with SIGKILL at a moment drawn uniformly from its whole time.
"""
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SALTUS = os.environ.get("SALTUS", str(ROOT / "build/release/bin/saltus"))
OSCILLATOR, TABLE = str(ROOT / "examples/impact_oscillator.toml"), str(ROOT / "examples/vibrating_table.toml")
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3"]
COMMANDS = {
    "map": ["map", OSCILLATOR, "--vary", "omega=2.5:3.1:24", "--vary", "e=0.4:0.9:16", "--periods", "60", "--transient", "20"],
    "diagram": ["diagram", OSCILLATOR, "--vary", "omega=2.6:2.9:40", "--periods", "40", "--transient", "60", "--direction", "both",
                "--ramps", "4"],
    "basin": ["basin", OSCILLATOR, "--set", "omega=2.72", "--vary", "x=-1.5:0.2:16", "--vary", "x'=-1.5:1.5:12", "--periods", "40",
              "--transient", "60"],
    "response": ["response", OSCILLATOR, "--vary", "omega=2.5:3.1:24", "--periods", "32"],
    "continue": ["continue", TABLE, "--case", "period1", "--vary", "A=0.36:1.2", "--step", "0.02"],
    "hill": ["hill", str(ROOT / "examples/mathieu_stop.toml"), "--vary", "alpha=-8:32:101", "--vary", "beta=0:12:61"],
}
RESUMED = ("map", "diagram", "basin", "response")
ENDINGS = (".nc", ".csv", ".json")


def line(command, mode, out, resume):
    words = [SALTUS, *command, "--quiet", "--out", str(out)] + (["--resume"] if resume else [])
    if mode == "ranks":
        return [*MPIRUN, *words]
    return words if command[0] == "continue" else [*words, "--threads", mode]


def ranks_of(launcher):
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if int((folder / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1]) == launcher:
                found.append(int(folder.name))
        except (OSError, ValueError):
            continue
    return found


def whole(words):
    run = subprocess.run(words, capture_output=True, check=False)
    if run.returncode not in (0, 1):
        raise RuntimeError(f"{' '.join(words)}: {run.returncode}: {run.stderr.decode(errors='replace')}")


def killed(words, moment, rng):
    """True if it was killed before its end."""
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as run:
        try:
            run.wait(timeout=moment)
            return False
        except subprocess.TimeoutExpired:
            victims = ranks_of(run.pid) if words[0] == "mpirun" else [run.pid]
            try:
                os.kill(rng.choice(victims or [run.pid]), signal.SIGKILL)
            except ProcessLookupError:
                pass
            try:
                run.wait(timeout=60)  # mpirun ends the others
            except subprocess.TimeoutExpired:
                left = ranks_of(run.pid)
                os.killpg(run.pid, signal.SIGKILL)
                if left:
                    raise RuntimeError(f"{' '.join(words)}: {len(left)} processes still at work a minute after a kill") from None
                # Killed while it started: all processes had ended, and mpirun waited for one that was none yet.
            return True


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    rng = random.Random(seed)
    wrong = 0
    for name, command in COMMANDS.items():
        for mode in ("1", "2", "ranks"):
            if mode == "ranks" and shutil.which("mpirun") is None:
                continue
            hits = 0
            with tempfile.TemporaryDirectory() as scratch:
                folder = Path(scratch)
                for k in range(count):
                    out = folder / ("out" + ENDINGS[k % len(ENDINGS)])
                    if k < len(ENDINGS):
                        start = time.monotonic()
                        whole(line(command, mode, out, False))
                        duration = time.monotonic() - start
                        out.rename(folder / ("expected" + out.suffix))
                        for other in folder.glob("out*"):  # further tables of CSV
                            other.rename(folder / other.name.replace("out", "expected"))
                    hits += killed(line(command, mode, out, False), rng.uniform(0.0, duration), rng)
                    whole(line(command, mode, out, name in RESUMED))
                    same = all((folder / each.name.replace("out", "expected")).read_bytes() == each.read_bytes()
                               for each in folder.glob("out*"))
                    left = [each.name for each in folder.iterdir() if not each.name.startswith(("out", "expected"))]
                    left += [each.name for each in folder.glob("*.journal")]
                    if not same or left or not out.exists():
                        wrong += 1
                        print(f"{name} {mode}: kill {k}: same {same}, left {left}", flush=True)
                    for each in folder.glob("out*"):
                        each.unlink()
            print(f"{name:9} {mode:6} {count} runs, {hits} killed before their end", flush=True)
    print(f"{wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
