"""Large models: an interrupt is heard while they are compiled."""
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

SALTUS = os.environ["SALTUS"]


def pendulums(n: int) -> str:
    """A chain in absolute angles: every entry of M depends on the state."""
    names = ", ".join(f'"a{i}"' for i in range(n))
    mass = ", ".join("[" + ", ".join(f'"{n - max(i, j)}*cos(a{i} - a{j})"' for j in range(n)) + "]" for i in range(n))
    force = ", ".join('"' + "".join(f" - {n - max(i, j)}*sin(a{i} - a{j})*a{j}'^2" for j in range(n) if j != i)
                      + f' - {n - i}*sin(a{i})"' for i in range(n))
    return f"[mechanics]\ncoordinates = [{names}]\nmass = [{mass}]\nforce = [{force}]\n"


class Compilation(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def model(self, text: str) -> str:
        file = Path(self.folder.name) / "large.toml"
        file.write_text(text)
        return str(file)

    def test_an_interrupt_is_heard_while_a_model_is_compiled(self):
        model = self.model(pendulums(20))
        for request in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(request=request):
                run = subprocess.Popen([SALTUS, "simulate", model, "--time", "1"], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
                time.sleep(1.0)
                begin = time.monotonic()
                run.send_signal(request)
                _, said = run.communicate(timeout=60)
                # Half a second and a little on a machine with nothing else to do; tests run beside each other.
                self.assertLess(time.monotonic() - begin, 5.0)
                self.assertEqual(run.returncode, 130, said)
                self.assertIn("interrupted", said)


if __name__ == "__main__":
    unittest.main()
