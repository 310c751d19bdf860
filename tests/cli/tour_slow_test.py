"""The tour: every step succeeds, the rows of the papers are there, the figures are left behind."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SALTUS = os.environ["SALTUS"]
ROOT = Path(__file__).resolve().parents[2]


class Tour(unittest.TestCase):
    def test_every_step_succeeds_and_leaves_its_figure(self):
        environment = dict(os.environ, PATH=f"{Path(SALTUS).parent}:{os.environ['PATH']}")
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([str(ROOT / "tools/tour.sh")], cwd=folder, env=environment, capture_output=True,
                                  text=True, timeout=600, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            self.assertEqual(done.stdout.count("   here "), done.stdout.count("   published "))
            self.assertGreaterEqual(done.stdout.count("   here "), 2)
            self.assertIn("-0.1604", done.stdout)
            for name in ("pendulum.svg", "exponents.svg", "section.png", "attractors.txt"):
                self.assertTrue((Path(folder) / "tour" / name).exists(), name)


if __name__ == "__main__":
    unittest.main()
