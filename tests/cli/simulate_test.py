"""`saltus simulate` seen from outside: contract, exit codes, files, Ctrl-C."""
import json
import math
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from interrupted_runs import assert_interrupted, processor_time_of, started, wait_for_work

SALTUS = os.environ["SALTUS"]
ROOT = Path(__file__).resolve().parents[2]
BALL = str(ROOT / "examples/bouncing_ball.toml")
CORNER = """
[mechanics]
coordinates = ["x", "y"]
mass  = [["1", "0.5"], ["0.5", "1"]]
force = ["0", "0"]
[[contact]]
name = "wall"
gap = "x"
restitution = 0.5
[[contact]]
name = "floor"
gap = "y"
restitution = 0.9
[initial]
x = 1
y = 1
"x'" = -1
"y'" = -1
"""
OSCILLATOR = """
[mechanics]
coordinates = ["q"]
mass  = [["1"]]
force = ["-q"]
[initial]
q = 1
"""
PENDULUM = """
[mechanics]
coordinates = ["x"]
mass  = [["1"]]
force = ["-sin(x) - 0.5*x'"]
[initial]
x = {x}
"""
# Bodies whose motion ends on the way, each far from its one contact.
ENDING = """
[mechanics]
coordinates = ["x"]
mass  = [["{mass}"]]
force = ["{force}"]
[[contact]]
name = "far"
gap = "10 - x"
restitution = 1
[initial]
x = {x}
"x'" = {v}
"""


def saltus(*arguments, **options):
    return subprocess.run([SALTUS, "simulate", *arguments], capture_output=True, text=True, timeout=60, check=False,
                          **options)


class InAFolder(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = Path(self.scratch.name)

    def model(self, text):
        path = self.folder / "model.toml"
        path.write_text(text, encoding="utf-8")
        return str(path)

    def file(self, name):
        return str(self.folder / name)


class Contract(InAFolder):
    def test_json_has_the_members_of_the_contract(self):
        done = saltus(BALL, "--time", "1", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        result = json.loads(done.stdout)
        self.assertLessEqual({"t", "q", "v", "active"}, set(result["final"]))
        self.assertLessEqual({"final", "events", "outcome", "report", "diagnostics"}, set(result))
        self.assertNotIn("samples", result)
        for event in result["events"]:
            self.assertLessEqual({"t", "kind", "contact", "gamma_minus", "gamma_plus", "impulse", "q", "v_minus",
                                  "v_plus"}, set(event))

    def test_the_ball_strikes_the_floor_at_the_time_of_the_free_fall_and_ends_at_rest_on_it(self):
        result = json.loads(saltus(BALL, "--time", "5", "--json").stdout)
        self.assertAlmostEqual(result["events"][0]["t"], math.sqrt(2 / 9.81), delta=1e-14)
        chatter = [event["t"] for event in result["events"] if event["kind"] == "chatter"]
        # t* = sqrt(2 z0/g) (1 + e)/(1 - e) with e = 0.8
        self.assertEqual(len(chatter), 1)
        self.assertAlmostEqual(chatter[0], 9 * math.sqrt(2 / 9.81), delta=1e-11)
        self.assertEqual(result["final"]["active"], ["floor"])
        self.assertEqual(result["final"]["v"], [0])

    def test_samples_are_in_the_json_when_asked_for(self):
        result = json.loads(saltus(BALL, "--time", "4", "--samples", "5", "--json").stdout)
        self.assertEqual(result["samples"]["t"], [0, 1, 2, 3, 4])
        self.assertLessEqual({"z", "z'", "height", "energy", "gap_floor", "force_floor"}, set(result["samples"]))

    def test_events_and_report_are_printed_when_asked_for(self):
        plain = saltus(BALL, "--time", "1").stdout
        self.assertIn("events   1 impact\n", plain)
        self.assertNotIn("approach", plain)
        self.assertIn("approach", saltus(BALL, "--time", "1", "--events").stdout)
        self.assertIn("worst penetration", saltus(BALL, "--time", "1", "--report").stdout)
        self.assertEqual(saltus(BALL, "--time", "1", "--quiet").stdout, "")

    def test_wrong_command_lines_end_with_exit_code_2(self):
        for arguments in ([], ["--periods", "3"], ["--time", "-1"], ["--time", "1", "--periods", "1"],
                          ["--time", "1", "--rtol", "2"], ["--time", "1", "--method", "magic"],
                          ["--time", "1", "--samples", "1"], ["--time", "1", "--plot", "x.gif"],
                          ["--time", "1", "--plot", self.file("x.svg"), "--plot-kind", "pie"],
                          ["--time", "1", "--plot", self.file("x.svg"), "--observe", "hight"]):
            done = saltus(BALL, *arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn("(see: saltus simulate --help)", done.stderr)
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_tolerance_given_on_the_command_line_changes_the_number_of_steps(self):
        model = self.model(OSCILLATOR)
        steps = [json.loads(saltus(model, "--time", "50", "--method", "rk", "--rtol", rtol, "--json").stdout)["report"]["steps"]
                 for rtol in ("1e-4", "1e-12")]
        self.assertLess(2 * steps[0], steps[1])


class LongRuns(InAFolder):
    def test_a_ball_comes_to_rest_by_the_same_impacts_however_long_the_run(self):
        """A flight is a parabola of any length: rounding of its far end must not hide that the floor is near its start."""
        short = json.loads(saltus(BALL, "--time", "20", "--json").stdout)
        for time_ in ("1e5", "1e9", "1e300"):
            long = json.loads(saltus(BALL, "--time", time_, "--json").stdout)
            self.assertEqual([event["kind"] for event in long["events"]], [event["kind"] for event in short["events"]])
            for one, other in zip(long["events"], short["events"]):
                self.assertAlmostEqual(one["t"], other["t"], delta=1e-9)
            self.assertEqual((long["outcome"], long["final"]["t"]), ("reached_end", float(time_)))

    def test_an_elastic_ball_is_where_the_parabola_says(self):
        """It falls from z0 = 1 every 2 sqrt(2/g): after 1000 the 1107th impact was sqrt(2/g) (2*1107 - 1) before."""
        fall = math.sqrt(2 / 9.81)
        since = 1000 - fall * (2 * 1107 - 1)
        for method in ("exact", "rk"):
            result = json.loads(saltus(BALL, "--case", "elastic", "--time", "1000", "--method", method, "--json").stdout)
            self.assertEqual(len(result["events"]), 1107)
            self.assertAlmostEqual(result["final"]["q"][0], 9.81 * (fall * since - since**2 / 2), delta=1e-6)

    def test_rest_is_followed_to_any_end_and_an_end_out_of_reach_is_told(self):
        still = self.model(PENDULUM.format(x=0))
        done = saltus(still, "--time", "1e300", "--json")
        self.assertEqual((done.returncode, json.loads(done.stdout)["final"]["t"]), (0, 1e300))
        done = saltus(self.model(PENDULUM.format(x=1)), "--time", "1e300")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"the end of the run is out of reach: it would take \S+ more steps of \S+ each\n"
                                      r"  the state there: .*\n  shorten the run\n")

    def test_ctrl_c_ends_a_motion_of_which_every_step_is_an_impact(self):
        for method in ("rk", "exact"):
            assert_interrupted(self, signal.SIGINT, 1.0, "simulate", BALL, "--case", "elastic", "--time", "1e10", "--method", method)


class Files(InAFolder):
    def test_a_netcdf_file_is_read_by_ncdump_and_holds_the_model(self):
        done = saltus(BALL, "--time", "5", "--samples", "11", "--out", self.file("run.nc"))
        # What was computed and where it is; the samples are in the file.
        self.assertEqual([line.split()[0] for line in done.stdout.splitlines()],
                         ["outcome", "events", "final", "z'", "closed", "written"])
        self.assertEqual((done.returncode, done.stdout.split()[-1]), (0, self.file("run.nc")))
        header = subprocess.run(["ncdump", "-h", self.file("run.nc")], capture_output=True, text=True, check=True).stdout
        for line in ("t = 11 ;", "double z(t) ;", "string event_kind(event) ;", ":complete = 1 ;",
                     ':outcome = "reached_end" ;'):
            self.assertIn(line, header)
        self.assertIn("[mechanics]", header)
        self.assertIn("--time 5 --samples 11", header)

    def test_a_csv_file_holds_numbers_that_read_back_as_those_of_the_json(self):
        saltus(BALL, "--time", "2", "--samples", "9", "--out", self.file("run.csv"))
        samples = json.loads(saltus(BALL, "--time", "2", "--samples", "9", "--json").stdout)["samples"]
        rows = [line.split(",") for line in Path(self.file("run.csv")).read_text(encoding="utf-8").splitlines()
                if not line.startswith("#")]
        self.assertEqual(rows[0][:3], ["t", "z", "z'"])
        self.assertEqual([float(row[1]) for row in rows[1:]], samples["z"])
        self.assertTrue(Path(self.file("run_event.csv")).exists())

    def test_the_command_in_a_file_gives_the_same_file_again(self):
        saltus(BALL, "--time", "2", "--set", "z'=g/10", "--samples", "9", "--out", self.file("one.json"))
        recipe = json.loads(Path(self.file("one.json")).read_text(encoding="utf-8"))["recipe"]
        words = recipe["command"].split(" ", 1)[1]
        subprocess.run(f'"$SALTUS" {words} --out "{self.file("two.json")}"', shell=True, check=True)
        self.assertEqual(Path(self.file("one.json")).read_bytes(), Path(self.file("two.json")).read_bytes())

    def test_a_folder_that_does_not_exist_is_exit_code_4_before_anything_is_computed(self):
        start = time.monotonic()
        done = saltus(self.model(OSCILLATOR), "--time", "1e12", "--out", self.file("no/run.nc"))
        self.assertEqual(done.returncode, 4)
        self.assertIn("No such file or directory", done.stderr)
        self.assertLess(time.monotonic() - start, 30)

    def test_every_kind_of_plot_is_drawn_with_its_script_and_data_beside_it(self):
        for kind in ("time", "phase", "configuration", "gaps", "forces"):
            done = saltus(BALL, "--time", "5", "--quiet", "--plot", self.file(f"{kind}.svg"), "--plot-kind", kind)
            self.assertEqual((done.returncode, done.stderr), (0, ""), kind)
            for ending in (".svg", ".gp", ".dat"):
                self.assertGreater(os.path.getsize(self.file(kind + ending)), 100)


class EarlyEnds(InAFolder):
    def test_an_ambiguous_impact_is_exit_code_1_with_a_remedy_and_a_marked_file(self):
        model = self.model(CORNER)
        done = saltus(model, "--time", "3", "--out", self.file("run.nc"))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"model.toml: stopped at t = 1: contacts 'wall' and 'floor' are struck")
        self.assertIn('impact_law = "moreau"', done.stderr)
        header = subprocess.run(["ncdump", "-h", self.file("run.nc")], capture_output=True, text=True, check=True).stdout
        self.assertIn(":complete = 0 ;", header)
        self.assertIn(':outcome = "ambiguous_impact" ;', header)

    def test_json_tells_the_same_as_data(self):
        done = saltus(self.model(CORNER), "--time", "3", "--json")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        result = json.loads(done.stdout)
        self.assertEqual(result["outcome"], "ambiguous_impact")
        self.assertFalse(result["complete"])
        self.assertIn("struck at the same instant", result["diagnostics"][0]["message"])

    def ends_on_the_way(self, outcome, t, samples, **model):
        """The message's lines; the result file is marked as a part and holds the samples before the end."""
        path = self.model(ENDING.format(**model))
        done = saltus(path, "--time", "3", "--samples", "13", "--quiet", "--out", self.file("part.json"))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        result = json.loads(Path(self.file("part.json")).read_text(encoding="utf-8"))
        self.assertEqual((result["outcome"], result["complete"]), (outcome, False))
        self.assertAlmostEqual(result["final"]["t"], t, delta=1e-9)
        self.assertEqual(result["samples"]["t"], samples)
        self.assertEqual(result["diagnostics"][0]["message"] + "\n", done.stderr)
        lines = done.stderr.splitlines()
        self.assertEqual(lines[0].split(": ")[1], f"stopped at t = {t:.6g}")
        state = f"  the state there: x = {result['final']['q'][0]:.6g}, x' = {result['final']['v'][0]:.6g}"
        self.assertEqual(lines[1], state)
        self.assertEqual(lines[2], f"  no contact is closed; the nearest is 'far', gap {10 - result['final']['q'][0]:.6g}")
        # The table of samples says the same in its first lines, the other format in its attributes.
        for name in ("part.csv", "part.nc"):
            again = saltus(path, "--time", "3", "--samples", "13", "--quiet", "--out", self.file(name))
            self.assertEqual(again.returncode, 1)
        self.assertIn(outcome, Path(self.file("part.csv")).read_text(encoding="utf-8"))
        header = subprocess.run(["ncdump", "-h", self.file("part.nc")], capture_output=True, text=True,
                                check=True).stdout
        self.assertIn(":complete = 0 ;", header)
        return result, lines

    def test_a_mass_that_vanishes_on_the_way_is_named_with_time_state_and_contact(self):
        # m = x, no force, x' = -1: the mass is gone at t = 1.
        _, lines = self.ends_on_the_way("singular_mass", 1.0, [0, 0.25, 0.5, 0.75], mass="x", force="0", x=1, v=-1)
        self.assertTrue(lines[0].endswith("the mass matrix is singular from here on"), lines[0])

    def test_steps_that_shrink_below_rounding_are_told_with_time_state_and_contact(self):
        # x'' = -1/x from rest at 1 falls to 0 in sqrt(pi/2) with x'^2 = -2 ln x: so fast that no step is short enough.
        t = math.sqrt(math.pi / 2)
        result, lines = self.ends_on_the_way("step_too_small", t, [0, 0.25, 0.5, 0.75, 1, 1.25], mass="1",
                                             force="-1/x", x=1, v=0)
        self.assertTrue(lines[0].endswith("steps shrink below rounding"), lines[0])
        x, v = result["final"]["q"][0], result["final"]["v"][0]
        self.assertLess(x, 1e-10)
        self.assertAlmostEqual(v, -math.sqrt(-2 * math.log(x)), delta=1e-3)

    def test_a_force_that_is_not_a_number_is_told_with_time_state_and_contact(self):
        # x'' = sqrt(x - 1/2) from x' = -2 at 1: E = x'^2/2 - (2/3) (x - 1/2)^(3/2), so x' at 1/2 is known.
        v = -math.sqrt(4 - 4 / 3 * 0.5 ** 1.5)
        path = self.model(ENDING.format(mass="1", force="sqrt(x - 0.5)", x=1, v=-2))
        t = json.loads(saltus(path, "--time", "3", "--json").stdout)["final"]["t"]
        result, lines = self.ends_on_the_way("left_domain", t, [0, 0.25], mass="1", force="sqrt(x - 0.5)", x=1, v=-2)
        self.assertTrue(lines[0].endswith("the force is not a finite number from here on"), lines[0])
        self.assertAlmostEqual(result["final"]["v"][0], v, delta=1e-9)

    def test_a_start_inside_an_obstacle_is_exit_code_3_with_contact_and_state_and_writes_nothing(self):
        path = self.model(ENDING.format(mass="1", force="0", x=11, v=0))
        done = saltus(path, "--time", "3", "--out", self.file("none.json"))
        self.assertEqual(done.returncode, 3)
        self.assertIn("the initial state is inside the obstacle of contact 'far': its gap is -1", done.stderr)
        self.assertIn("the motion starts from x = 11", done.stderr)
        self.assertEqual(os.listdir(self.folder), ["model.toml"])

    def test_ctrl_c_keeps_what_is_done_marks_it_and_ends_with_130(self):
        model = self.model(OSCILLATOR)
        until_it_moves = processor_time_of("simulate", model, "--time", "1")
        process = started("simulate", model, "--time", "1e9", "--samples", "1000001", "--out", self.file("run.json"))
        wait_for_work(process, 0.5 + 1.5 * until_it_moves)
        process.send_signal(signal.SIGINT)
        _, message = process.communicate(timeout=100)
        self.assertEqual(process.returncode, 130, message)
        self.assertIn("interrupted", message)
        result = json.loads(Path(self.file("run.json")).read_text(encoding="utf-8"))
        self.assertFalse(result["complete"])
        self.assertEqual(result["outcome"], "stopped")
        self.assertGreater(result["final"]["t"], 0)
        self.assertLess(result["final"]["t"], 1e9)
        self.assertEqual(sorted(os.listdir(self.folder)), ["model.toml", "run.json"])


if __name__ == "__main__":
    unittest.main()
