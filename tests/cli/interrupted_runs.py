"""Runs that are asked to end, or are ended, when they have come so far. How far is told by what they have used of a processor, of memory
or of a disk, and never by a clock: a test means the same on a machine that is slower, faster or busy with other work."""
import os
import resource
import signal
import subprocess
import time
from pathlib import Path

SALTUS = os.environ["SALTUS"]
TICKS = os.sysconf("SC_CLK_TCK")
SOON = 4.0  # seconds of a processor; half of one and a little without sanitizers


def processor_time(process: int) -> float:
    """Seconds that its threads have used, to a hundredth."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory(process: int) -> int:
    """Bytes that it has in use."""
    return int(Path(f"/proc/{process}/statm").read_text(encoding="utf-8").split()[1]) * os.sysconf("SC_PAGESIZE")


def listens(process: int) -> bool:
    """Has it begun to answer both requests to end? Before, it is being loaded, and ends as any program does."""
    lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    caught = int(next(line for line in lines if line.startswith("SigCgt:")).split()[1], 16)
    return all(caught >> (request - 1) & 1 for request in (signal.SIGINT, signal.SIGTERM))


def of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def processor_time_of(*command: str) -> float:
    """Of a whole run."""
    before = of_children()
    subprocess.run([SALTUS, *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return of_children() - before


def started(*command: str) -> subprocess.Popen:
    return subprocess.Popen([SALTUS, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_until(run: subprocess.Popen, has_come_so_far) -> None:
    """Or until its end, whichever is first."""
    while run.poll() is None and not has_come_so_far():
        time.sleep(0.002)


def wait_for_work(run: subprocess.Popen, seconds: float) -> None:
    """Until it listens, and has used so many seconds of a processor."""
    wait_until(run, lambda: listens(run.pid) and processor_time(run.pid) >= seconds)


def assert_interrupted(test, request, seconds: float, *command: str) -> None:
    """Asked after some seconds of work, a run of hours says that it is interrupted and ends."""
    run = started(*command)
    wait_for_work(run, seconds)
    assert_ends(test, run, request)


def assert_ends(test, run: subprocess.Popen, request, soon: float = SOON) -> None:
    """Asked to, it says that it is interrupted and ends, and does not work for long before."""
    before = of_children()
    used = processor_time(run.pid)
    run.send_signal(request)
    try:
        _, said = run.communicate(timeout=100)
    except subprocess.TimeoutExpired:
        run.kill()
        run.communicate()
        test.fail("it does not hear that it is asked to end")
    test.assertEqual(run.returncode, 130, said)
    test.assertIn("interrupted", said)
    test.assertLess(of_children() - before - used, soon)
