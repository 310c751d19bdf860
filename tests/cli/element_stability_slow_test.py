"""The loss of stability of the clearance pair on the road of finite elements in time: where the largest multiplier leaves and
enters the unit circle. The closed form and Runge-Kutta find the same frequencies by continuation (tests/analysis)."""
import json
import os
import subprocess
import unittest
from pathlib import Path

SALTUS = os.environ["SALTUS"]
PAIR = str(Path(__file__).resolve().parents[2] / "examples/clearance_pair.toml")


def largest_multiplier(case, eta):
    run = subprocess.run([SALTUS, "orbit", PAIR, "--case", case, "--set", f"eta={eta:.15g}", "--method", "tfem",
                          "--elements", "40", "--degree", "4", "--json"],
                         capture_output=True, text=True, timeout=100, check=False)
    assert run.returncode == 0, run.stderr
    multipliers = json.loads(run.stdout)["multipliers"]
    return max(multipliers, key=lambda m: abs(complex(m["re"], m["im"])))


def modulus(case, eta):
    found = largest_multiplier(case, eta)
    return abs(complex(found["re"], found["im"]))


def unit_modulus(case, a, b):
    """Secants on |mu| - 1."""
    at_a, at_b = modulus(case, a) - 1, modulus(case, b) - 1
    for _ in range(8):
        a, b, at_a = b, b - at_b * (b - a) / (at_b - at_a), at_b
        if abs(b - a) < 1e-7:
            return b
        at_b = modulus(case, b) - 1
    raise AssertionError("no convergence")


class ElementStability(unittest.TestCase):
    def test_stability_is_lost_and_regained_where_the_closed_form_says(self):
        for case, lower, upper in (("trilinear", 0.7728464674, 0.9375937819), ("ideal", 0.766335977, 0.9422960225)):
            for exact in (lower, upper):
                found = unit_modulus(case, exact - 1e-4, exact + 1e-4)
                self.assertAlmostEqual(found, exact, delta=2e-6, msg=f"{case} {exact}")
                pair = largest_multiplier(case, found)
                self.assertGreater(abs(pair["im"]), 0.1)  # a pair on the circle: Neimark-Sacker


if __name__ == "__main__":
    unittest.main()
