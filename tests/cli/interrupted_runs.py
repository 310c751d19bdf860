"""Runs that are asked to end."""
import os
import subprocess
import time
from pathlib import Path


def assert_interrupted(test, request, after: float, *command: str) -> None:
    """Asked after some seconds, a run of hours says that it is interrupted and ends. How soon is for a machine with nothing else to do: half a second and a little."""
    run = subprocess.Popen([os.environ["SALTUS"], *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(after)
    assert_ends(test, run, request)


def assert_interrupted_at_a_size(test, request, megabytes: int, *command: str) -> None:
    """The same, asked when it has so much memory: however fast the machine is, that is when it has done so much."""
    run = subprocess.Popen([os.environ["SALTUS"], *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    pages = megabytes * 2 ** 20 // os.sysconf("SC_PAGESIZE")
    while run.poll() is None and int(Path(f"/proc/{run.pid}/statm").read_text().split()[1]) < pages:
        time.sleep(0.005)
    assert_ends(test, run, request)


def assert_ends(test, run, request) -> None:
    run.send_signal(request)
    try:
        _, said = run.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        run.kill()
        run.communicate()
        test.fail("it does not hear that it is asked to end")
    test.assertEqual(run.returncode, 130, said)
    test.assertIn("interrupted", said)
