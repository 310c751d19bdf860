"""Runs that are asked to end."""
import os
import subprocess
import time


def assert_interrupted(test, request, after: float, *command: str) -> None:
    """Asked after some seconds, a run of hours says that it is interrupted and ends. How soon is for a machine with nothing else to do: half a second and a little."""
    run = subprocess.Popen([os.environ["SALTUS"], *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(after)
    run.send_signal(request)
    try:
        _, said = run.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        run.kill()
        run.communicate()
        test.fail("it does not hear that it is asked to end")
    test.assertEqual(run.returncode, 130, said)
    test.assertIn("interrupted", said)
