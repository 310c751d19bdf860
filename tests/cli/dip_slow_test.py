"""The dip experiment through the command line: no impact is missed, however shallow."""
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SALTUS = os.environ["SALTUS"]
DIP = """
[parameters]
d = 0.1
phase = 0
[mechanics]
coordinates = ["q"]
mass  = [["1"]]
force = ["-q"]
[[contact]]
name = "wall"
gap = "q + 1 - d"
restitution = 0.5
[initial]
q = "cos(phase)"
"q'" = "-sin(phase)"
"""


class Dips(unittest.TestCase):
    def test_no_dip_into_the_wall_is_missed_however_shallow(self):
        # q = cos(t + phase) reaches -1; the wall stands at -1 + d. Depths 1e-1 to 1e-12, two tolerances of the steps, and the
        # closed form.
        with tempfile.TemporaryDirectory() as folder:
            model = Path(folder) / "dip.toml"
            model.write_text(DIP, encoding="utf-8")
            for exponent in range(1, 13):
                for phase in (0.1, 0.9, 1.7):
                    for road in (["rk", "--rtol", "1e-6"], ["rk", "--rtol", "1e-10"], ["exact"]):
                        command = [SALTUS, "simulate", str(model), "--time", "5", "--set", f"d=1e-{exponent}", "--set",
                                   f"phase={phase}", "--json", "--method", *road]
                        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
                        self.assertEqual(done.returncode, 0, done.stderr)
                        kinds = {event["kind"] for event in json.loads(done.stdout)["events"]}
                        self.assertTrue({"impact", "grazing"} & kinds, (exponent, phase, road, kinds))


if __name__ == "__main__":
    unittest.main()
