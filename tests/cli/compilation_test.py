"""Large models: what can be compiled is, what cannot is refused in words, and an interrupt is heard while it is done."""
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


def walls(count: int) -> str:
    """A particle that falls among many obstacles, onto the one that is named floor."""
    text = ('[mechanics]\ncoordinates = ["x", "y"]\nmass = [["1", "0"], ["0", "1"]]\nforce = ["0", "-1"]\n'
            '[[contact]]\nname = "floor"\ngap = "y"\nrestitution = 0.5\n[initial]\ny = 0.5\n')
    return text + "".join(f'[[contact]]\nname = "c{i}"\ngap = "sqrt((x - {i + 3})^2 + (y - {i % 7})^2) - 1"\n'
                          "restitution = 0.5\n" for i in range(count - 1))


def switches(count: int) -> str:
    force = " ".join(f"- sign(x' - {i + 1})" for i in range(count))
    return f'[mechanics]\ncoordinates = ["x"]\nmass = [["1"]]\nforce = ["{force}"]\n[initial]\n"x\'" = 0.5\n'


class Compilation(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def model(self, text: str) -> str:
        file = Path(self.folder.name) / "large.toml"
        file.write_text(text)
        return str(file)

    def test_an_interrupt_is_heard_while_a_model_is_compiled(self):
        model = self.model(pendulums(14))
        for words in (["simulate", model, "--time", "1"], ["check", model]):
            for request in (signal.SIGINT, signal.SIGTERM):
                with self.subTest(words=words, request=request):
                    run = subprocess.Popen([SALTUS, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                    time.sleep(0.3)
                    begin = time.monotonic()
                    run.send_signal(request)
                    _, said = run.communicate(timeout=60)
                    # Half a second and a little on a machine with nothing else to do; tests run beside each other.
                    self.assertLess(time.monotonic() - begin, 5.0)
                    self.assertEqual(run.returncode, 130, said)
                    self.assertIn("interrupted", said)

    def test_a_particle_among_64_contacts_strikes_the_floor(self):
        done = subprocess.run([SALTUS, "simulate", self.model(walls(64)), "--time", "1.5", "--events"], capture_output=True,
                              text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"impact\s+floor")

    def test_hundreds_of_switches_are_slid_along(self):
        done = subprocess.run([SALTUS, "simulate", self.model(switches(300)), "--time", "1", "--json"], capture_output=True,
                              text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_would_take_minutes_is_refused_by_its_instructions(self):
        for command in ("check", "simulate"):
            with self.subTest(command=command):
                words = [SALTUS, command, self.model(pendulums(40))] + (["--time", "1"] if command == "simulate" else [])
                done = subprocess.run(words, capture_output=True, text=True, timeout=120)
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertIn("instructions", done.stderr)


if __name__ == "__main__":
    unittest.main()
