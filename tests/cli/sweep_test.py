"""Sweeps seen from outside: diagram, map and basin; killed, resumed, on a full disk, read by others."""
import json
import math
import re
import resource
import signal
import subprocess
import time
import unittest
from pathlib import Path

import numpy

from interrupted_runs import started, wait_until
from sweep_runs import DIAGRAM, MAP, OSCILLATOR, ROOT, SALTUS, SMALL_MAP, SweepCase, saltus


class Sweeps(SweepCase):
    def test_killed_at_any_moment_and_resumed_gives_the_same_bytes(self):
        whole, parts = self.file("whole.nc"), self.file("parts.nc")
        self.assertEqual(saltus(*MAP, "--out", whole, "--quiet").returncode, 0)
        journal = Path(parts + ".journal")
        size, kills = 0, 0
        for _ in range(4):  # each when there is a piece more than before, on machines of any speed
            process = started(*MAP, "--out", parts, "--resume", "--quiet", "--threads", "1")
            wait_until(process, lambda before=size: journal.exists() and journal.stat().st_size > before + 4000)
            kills += process.poll() is None
            process.kill()
            process.communicate()
            size = journal.stat().st_size if journal.exists() else 0
        self.assertGreater(kills, 1)
        result = saltus(*MAP, "--out", parts, "--resume", "--threads", "1", "--quiet")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(Path(whole).read_bytes(), Path(parts).read_bytes())
        self.assertFalse(Path(parts + ".journal").exists())

    def test_too_few_points_leave_it_open_whether_they_repeat(self):
        one = ["--vary", "omega=2.64:2.65:2", "--transient", "1200"]
        for periods, expected in (("5", "undecided"), ("40", "periodic")):
            done = saltus("diagram", OSCILLATOR, *one, "--periods", periods, "--json")
            diagram = json.loads(done.stdout)
            self.assertEqual(diagram["verdict"], [expected] * 2)
            self.assertEqual([reason is None for reason in diagram["reason"]], [expected == "periodic"] * 2)
        self.assertIn("undecided: too few points", saltus("diagram", OSCILLATOR, *one, "--periods", "5").stdout)
        grid = [*one, "--vary", "e=0.8:0.81:2", "--measure", "period", "--periods", "5"]
        found = saltus("map", OSCILLATOR, *grid)
        self.assertIn("100.00 %: it is not seen yet", found.stdout)
        self.assertNotIn("not periodic", found.stdout)
        response = saltus("response", OSCILLATOR, *one, "--periods", "5")
        self.assertIn("undecided: 5 points are too few", response.stdout)
        self.assertIn("undecided: 20 points are too few", saltus("section", OSCILLATOR, "--set", "omega=2.76", "--periods", "20").stderr)

    def test_a_diagram_is_resumed_too(self):
        diagram = ["diagram", OSCILLATOR, "--vary", "omega=2.6:2.9:24", "--periods", "30", "--transient", "120",
                   "--direction", "both", "--lyapunov", "--quiet"]
        whole, parts = self.file("whole.json"), self.file("parts.json")
        self.assertEqual(saltus(*diagram, "--out", whole).returncode, 0)
        process = subprocess.Popen([SALTUS, *diagram, "--out", parts])
        deadline = time.time() + 60
        while not Path(parts + ".journal").exists() and process.poll() is None and time.time() < deadline:
            time.sleep(0.02)
        time.sleep(0.1)
        process.kill()
        process.wait()
        self.assertEqual(saltus(*diagram, "--out", parts, "--resume").returncode, 0)
        first, second = (json.loads(Path(name).read_text(encoding="utf-8")) for name in (whole, parts))
        self.assertEqual([len(errors) for errors in first["standard_errors"]], [2] * 24)
        self.assertEqual(first, second)

    def test_a_motion_that_comes_to_rest_beside_its_section_ends(self):
        # One of the 30,720 flows of a published benchmark: its last crossing left the valve 2e-9 behind the section, where it was
        # taken to it again and again, in no time.
        result = saltus("diagram", str(ROOT / "examples/relief_valve.toml"), "--vary", "q=9.47999609362284:9.48:2", "--direction", "fresh",
                        "--observe", "y1", "--transient", "1024", "--returns", "32", "--rtol", "1e-10", "--atol", "1e-10", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(json.loads(result.stdout)["verdict"], ["equilibrium", "equilibrium"])

    def test_limit_cycles_have_no_positive_exponent_on_a_map(self):
        model = self.file("cycle.toml")
        Path(model).write_text("""[parameters]
mu = 1
k = 1
[mechanics]
coordinates = ["x"]
mass  = [["1"]]
force = ["mu*(1 - x^2)*x' - k*x"]
[initial]
x = 2
""", encoding="utf-8")
        run = saltus("map", model, "--vary", "mu=0.5:2:6", "--vary", "k=1:2:4", "--time", "100", "--transient", "50")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(run.stdout, r"highest +0\.0")  # zero by theory, of either sign by its error
        self.assertIn("positive  0.00 %", run.stdout)

    def test_legend_of_the_exponents_tells_exponents_and_directions_apart(self):
        picture = self.file("diagram.svg")
        self.assertEqual(saltus(*DIAGRAM, "--quiet", "--plot", picture).returncode, 0)
        script = Path(picture).with_suffix(".gp").read_text(encoding="utf-8")
        below = script[script.index('"exponents"'):]
        for title in ("up: ℓ1", "ℓ2", "down"):
            self.assertEqual(below.count(f'title "{title}"'), 1, below)

    def test_exponents_far_below_do_not_hide_the_leading_ones(self):
        def axis_of(model, *options):
            picture = self.file("diagram.svg")
            result = saltus("diagram", model, *options, "--lyapunov", "--base", "2", "--quiet", "--plot", picture)
            self.assertEqual(result.returncode, 0, result.stderr)
            script = Path(picture).with_suffix(".gp").read_text(encoding="utf-8")
            return script[script.index("exponents, bits"):]
        torque = axis_of("examples/triple_pendulum_torque.toml", "--vary", "q1=1.6:1.7:3", "--time", "60",
                         "--transient", "60")
        said = re.match(r"exponents, bits \(to (-\d+\.\d)\)", torque)
        self.assertLess(float(said[1]), -5.0)
        low, high = map(float, re.search(r"yrange \[(\S+):(\S+)\]", torque).groups())
        self.assertGreater(low, -1.0)
        self.assertGreater(high, 0.0)
        # Two exponents of like size are both shown.
        self.assertNotIn("(to", axis_of(OSCILLATOR, "--vary", "omega=2.6:2.9:3", "--periods", "30").splitlines()[0])

    def test_a_journal_of_other_work_is_refused(self):
        out = self.file("map.nc")
        process = subprocess.Popen([SALTUS, *MAP, "--out", out, "--quiet"])
        while not Path(out + ".journal").exists() and process.poll() is None:
            time.sleep(0.02)
        process.kill()
        process.wait()
        if not Path(out + ".journal").exists():
            self.skipTest("the map was finished before it could be killed")
        other = saltus(*MAP, "--rtol", "1e-8", "--out", out, "--resume")
        self.assertEqual(other.returncode, 2)
        self.assertIn("belongs to another computation", other.stderr)
        without = saltus(*MAP, "--out", out)
        self.assertEqual(without.returncode, 2)
        self.assertIn("add --resume to continue it", without.stderr)

    def test_a_full_disk_keeps_what_is_done_and_is_told(self):
        out = self.file("map.nc")
        limit = 16 * 1024
        result = saltus(*MAP, "--out", out, "--quiet",
                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertIn("File too large", result.stderr)
        self.assertIn("continue with --resume", result.stderr)
        self.assertGreater(Path(out + ".journal").stat().st_size, 5000)
        self.assertFalse(Path(out).exists())
        whole = self.file("whole.nc")
        self.assertEqual(saltus(*MAP, "--out", out, "--resume", "--quiet").returncode, 0)
        self.assertEqual(saltus(*MAP, "--out", whole, "--quiet").returncode, 0)
        self.assertEqual(Path(out).read_bytes(), Path(whole).read_bytes())

    def test_an_interrupt_writes_the_part_and_marks_it(self):
        out = self.file("map.json")
        long = [*MAP[:6], "--periods", "4000"]
        process = subprocess.Popen([SALTUS, *long, "--out", out, "--threads", "1"], stderr=subprocess.PIPE, text=True)
        while not Path(out + ".journal").exists():
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn("--resume continues it", errors)
        self.assertFalse(json.loads(Path(out).read_text(encoding="utf-8"))["complete"])

    def test_a_full_tmpfs_keeps_what_is_done_and_is_told(self):
        # In 16 kB the journal has no place, in 32 kB the result beside the journal.
        for size, kept in (("16k", 5000), ("32k", 20000)):
            with self.subTest(size):
                out = str(self.small_disk(size) / "map.nc")
                result = saltus(*MAP, "--out", out, "--quiet")
                self.assertEqual(result.returncode, 4, result.stderr)
                self.assertIn("make room and continue with --resume", result.stderr)
                self.assertGreater(Path(out + ".journal").stat().st_size, kept)
                self.assertFalse(Path(out).exists())
                self.doCleanups()
                self.setUp()

    def test_xarray_reads_maps_and_diagrams_with_their_axes(self):
        try:
            import xarray  # pylint: disable=import-outside-toplevel
        except ImportError:
            self.skipTest("needs python3-xarray and python3-netcdf4")
        out = self.file("map.nc")
        self.assertEqual(saltus(*SMALL_MAP, "--out", out, "--quiet").returncode, 0)
        with xarray.open_dataset(out) as data:
            self.assertEqual(data["lyapunov"].dims, ("e", "omega"))
            self.assertEqual(data["lyapunov"].shape, (8, 12))
            self.assertEqual([float(data["omega"][0]), float(data["omega"][-1])], [2.5, 3.1])
            self.assertEqual(data["omega"].attrs["long_name"], "parameter omega")
            self.assertEqual(data["impacts"].attrs["units"], "1")
            meanings = data["verdict"].attrs["flag_meanings"].split()
            self.assertEqual(len(meanings), len(data["verdict"].attrs["flag_values"]))
            values = numpy.array(json.loads(saltus(*SMALL_MAP, "--json").stdout)["values"], dtype=float)
            self.assertTrue(numpy.array_equal(data["lyapunov"].values, values))
            self.assertEqual(data.attrs["complete"], 1)
            self.assertIn("saltus map", data.attrs["command"])
            self.assertIn("[mechanics]", data.attrs["model_text"])
        out = self.file("diagram.nc")
        self.assertEqual(saltus(*DIAGRAM, "--out", out, "--quiet").returncode, 0)
        with xarray.open_dataset(out) as data:
            self.assertEqual(data["lyapunov"].dims, ("branch", "omega", "exponent"))
            self.assertEqual(list(data["branch"].values), ["up", "down"])
            self.assertEqual(data["observed"].dims, ("point",))
            self.assertEqual(data["point_omega"].shape, data["observed"].shape)

    def test_measures_and_labels_are_in_the_json(self):
        shape = ["--vary", "omega=2.5:2.6:3", "--vary", "e=0.7:0.8:2"]
        result = json.loads(saltus("map", OSCILLATOR, *shape, "--periods", "60", "--transient", "60", "--measure",
                                   "period", "--json").stdout)
        self.assertEqual([len(row) for row in result["values"]], [3, 3])
        self.assertEqual(result["values"], [[1, 1, 1], [1, 1, 1]])
        self.assertEqual([axis["name"] for axis in result["axes"]], ["omega", "e"])
        basin = json.loads(saltus("basin", OSCILLATOR, "--set", "omega=2.6", "--vary", "x=-1:0.5:4", "--vary",
                                  "x'=-1:1:3", "--periods", "60", "--transient", "100", "--json").stdout)
        self.assertEqual([row[-1] for row in basin["labels"]], [-1, -1, -1])  # x = 0.5 is inside the stop
        self.assertEqual(basin["no_motion"], 3)
        attractors = basin["attractors"]
        self.assertAlmostEqual(sum(attractor["share"] for attractor in attractors), 1.0, places=12)
        labels = [label for row in basin["labels"] for label in row[:-1]]
        self.assertEqual([attractor["points"] for attractor in attractors],
                         [labels.count(attractor["label"]) for attractor in attractors])
        for attractor in attractors:  # the exponents of an oscillator struck once per period: ln e² − 2ζT over T
            self.assertEqual(attractor["verdict"], "periodic")
            self.assertAlmostEqual(sum(attractor["exponents"]), 2 * math.log(0.8) * 2.6 / (2 * math.pi) - 0.1, places=6)

    def test_a_chaotic_attractor_is_one_also_in_short_runs(self):
        # 40 points are too few for its means: by them alone one of these 256 motions stands apart.
        basin = json.loads(saltus("basin", OSCILLATOR, "--set", "omega=2.8", "--vary", "x=-1.5:0:16", "--vary",
                                  "x'=-1.5:1.5:16", "--periods", "40", "--transient", "100", "--json").stdout)
        self.assertEqual([attractor["points"] for attractor in basin["attractors"]], [256])
        self.assertEqual(basin["attractors"][0]["verdict"], "chaotic")

    def test_wells_of_any_size_are_told_apart(self):
        # x'' = x − x³/s² − x'/2 rests at x = ±s; a grid without the unstable x = 0.
        for size in ("1e-6", "1", "1e6"):
            model = self.file("wells.toml")
            Path(model).write_text(f"""[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["x - x^3/{size}^2 - x'/2"]
[initial]
x = {size}
""", encoding="utf-8")
            reach = 1.5 * float(size)
            done = saltus("basin", model, "--vary", f"x={-reach}:{reach}:6", "--vary", f"x'={-reach}:{reach}:4", "--time", "40",
                          "--transient", "160", "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            basin = json.loads(done.stdout)
            self.assertEqual([attractor["points"] for attractor in basin["attractors"]], [12, 12], size)
            self.assertEqual({attractor["verdict"] for attractor in basin["attractors"]}, {"equilibrium"})

    def test_an_attractor_that_some_motions_reach_late_is_listed_once(self):
        # Peterka and Vacik's oscillator with e = 0.6: three attractors, one of them of period 20 that attracts slowly.
        model = self.file("stop.toml")
        Path(model).write_text("""[parameters]
zeta = 0.05
R = 0.6
omega = 2.8
rho = 0.17
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["cos(omega*t) - x - 2*zeta*x'"]
[[contact]]
name = "stop"
gap = "rho - x"
restitution = "R"
[forcing]
period = "2*pi/omega"
[initial]
x = "rho - 0.2"
""", encoding="utf-8")
        done = saltus("basin", model, "--vary", "x=-2:0.17:21", "--vary", "x'=-2:2:21", "--periods", "100", "--transient", "300",
                      "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        attractors = json.loads(done.stdout)["attractors"]
        self.assertEqual(len(attractors), 3)
        for attractor in attractors:
            self.assertEqual(attractor["verdict"] == "periodic", attractor["period"] is not None)


if __name__ == "__main__":
    unittest.main()
