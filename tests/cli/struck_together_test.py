"""`saltus continue` where contacts are struck in one instant: followed where their order does not matter, refused where it does."""
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SALTUS = os.environ["SALTUS"]


def oscillator(restitution: float) -> str:
    return f"""[parameters]
F = 0.5
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["F*cos(2*t) - 0.2*x' - x"]
[[contact]]
name = "stop"
gap = "0.1 - x"
restitution = {restitution}
[forcing]
period = "pi"
"""


# Two equal oscillators that know nothing of each other, each with its stop.
TWINS = """[parameters]
F = 0.5
[mechanics]
coordinates = ["x", "y"]
mass = [["1", "0"], ["0", "1"]]
force = ["F*cos(2*t) - 0.2*x' - x", "F*cos(2*t) - 0.2*y' - y"]
[[contact]]
name = "front"
gap = "0.1 - x"
restitution = 0.7
[[contact]]
name = "rear"
gap = "0.1 - y"
restitution = 0.7
[forcing]
period = "pi"
"""
# A hammer of mass 1 strikes an anvil of mass 3 that a spring presses against a wall. Struck in turn, the hammer leaves with
# (e M - m)/(M + m) = 0.425 of its speed and the wall takes the rest; at once, as Moreau has it, with e = 0.9.
ANVIL = """[parameters]
F = 0.5
[mechanics]
coordinates = ["x", "y"]
mass = [["1", "0"], ["0", "3"]]
force = ["F*cos(2*t) - 0.2*x' - x", "50 - 3*y"]
[[contact]]
name = "wall"
gap = "-y"
restitution = 0
[[contact]]
name = "hammer"
gap = "y - x + 0.1"
restitution = 0.9
[forcing]
period = "pi"
[solver]
impact_law = "{law}"
"""
# A bar that falls flat on a table: the impulse at one end moves the other.
BAR = """[parameters]
A = 1.2
[mechanics]
coordinates = ["z", "phi"]
mass = [["1", "0"], ["0", "0.2"]]
force = ["-1", "0"]
[[contact]]
name = "left"
gap = "z - phi - A*cos(t)"
restitution = 0.5
[[contact]]
name = "right"
gap = "z + phi - A*cos(t)"
restitution = 0.5
[forcing]
period = "2*pi"
[initial]
z = 3
[solver]
impact_law = "moreau"
"""


class StruckTogether(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self) -> None:
        self.folder.cleanup()

    def run_on(self, text: str, *options: str) -> subprocess.CompletedProcess:
        model = Path(self.folder.name, "model.toml")
        model.write_text(text)
        command = [SALTUS, "continue", str(model), *options, "--quiet"]
        return subprocess.run(command, capture_output=True, text=True, timeout=120)

    def branch(self, text: str, vary: str = "F=0.1:1.5", *options: str) -> dict:
        done = self.run_on(text, "--vary", vary, "--json", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def assert_same_points(self, branch: dict, alone: dict, labels: tuple[str, ...]) -> None:
        def values(of: dict) -> dict[str, float]:
            return {p["label"]: p["p"] for p in of["points"] if p.get("label")}

        for label in labels:
            self.assertAlmostEqual(values(branch)[label], values(alone)[label], delta=1e-9, msg=label)

    def test_twins_are_followed_like_one_of_them(self) -> None:
        twins, alone = self.branch(TWINS), self.branch(oscillator(0.7))
        self.assertIn("front, rear", json.dumps(twins))
        self.assert_same_points(twins, alone, ("GR1",))
        at = self.branch(TWINS, "F=0.5:0.6")["points"][0]["multipliers"]
        one = self.branch(oscillator(0.7), "F=0.5:0.6")["points"][0]["multipliers"]
        self.assertEqual(len(at), 4)
        for k, mu in enumerate(at):  # each of the two, twice
            self.assertAlmostEqual(mu["abs"], one[k // 2]["abs"], delta=1e-8)

    def test_an_impulse_goes_through_a_closed_contact(self) -> None:
        for law, restitution in (("sequential", 0.425), ("moreau", 0.9)):
            with self.subTest(law=law):
                anvil = self.branch(ANVIL.format(law=law))
                self.assertIn("hammer + wall", json.dumps(anvil))
                self.assert_same_points(anvil, self.branch(oscillator(restitution)), ("GR1", "PD1"))

    def test_a_stored_orbit_keeps_what_is_struck(self) -> None:
        file = str(Path(self.folder.name, "branch.json"))
        self.branch(ANVIL.format(law="sequential"), "F=0.29:0.6", "--out", file)
        doubled = self.branch(ANVIL.format(law="sequential"), "F=0.29:0.6", "--from", file, "--switch", "PD1")
        self.assertIn("hammer + wall, hammer + wall", json.dumps(doubled))

    def test_a_contact_that_is_always_closed_leaves_the_equations_regular(self) -> None:
        beside = ANVIL.format(law="sequential").replace("y - x + 0.1", "0.1 - x")
        self.assert_same_points(self.branch(beside), self.branch(oscillator(0.9)), ("GR1", "PD1"))

    def test_it_is_refused_where_the_order_matters(self) -> None:
        done = self.run_on(BAR, "--vary", "A=1.2:1.3", "--transient", "20")
        self.assertEqual(done.returncode, 1)
        self.assertIn("move each other, so that their order matters ('left', 'right')", done.stderr)


if __name__ == "__main__":
    unittest.main()
