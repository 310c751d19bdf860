"""`saltus continue` seen from outside: contract, files, restart."""
import json
import math
import signal
import subprocess
import unittest
from pathlib import Path

from branch_runs import AT, CYCLE, GRAZING, OSCILLATOR, ROOT, SALTUS, BranchRuns, saltus
from interrupted_runs import processor_time_of, started, wait_for_work

FRICTION = str(ROOT / "examples/dry_friction.toml")
TABLE = str(ROOT / "examples/vibrating_table.toml")
DOUBLING = 0.12931160748337225  # closed form: docs/method/impact_oscillator.md
DUFFING = """[parameters]
omega = 1.2
[mechanics]
coordinates = ["x"]
mass  = [["1"]]
force = ["-0.2*x' - x - x^3 + 0.5*cos(omega*t)"]
[[contact]]
name = "stop"
gap  = "1 - x"
restitution = "0.7"
[forcing]
period = "2*pi/omega"
[initial]
x = 0.1
"""

BACKLASH = """[parameters]
omega = 0.9
[define]
d = "x1 - x2"
fc = "if(d > 0.3, 5*(d - 0.3), if(d < -0.3, 5*(d + 0.3), 0))"
[mechanics]
coordinates = ["x1", "x2"]
mass  = [["1", "0"], ["0", "0.5"]]
force = ["-x1 - 0.05*x1' - fc + 0.4*cos(omega*t)", "fc - 0.05*x2' - 0.2*x2"]
[forcing]
period = "2*pi/omega"
"""
BLOCKS = """# Two blocks on a belt, each with friction that falls with speed.
[parameters]
b = 0.3
[define]
v1 = "x1' - b"
v2 = "x2' - b"
[mechanics]
coordinates = ["x1", "x2"]
mass  = [["1", "0"], ["0", "1"]]
force = ["-x1 - 1.2*(x1 - x2) - sign(v1)/(1 + 3*abs(v1))", "-x2 + 1.2*(x1 - x2) - 0.8*sign(v2)/(1 + 3*abs(v2))"]
[section]
surface = "x1'"
direction = "down"
[initial]
x1 = 0.2
"""
RESONANCE = """[parameters]
al = 1.3
[mechanics]
coordinates = ["x"]
mass  = [["1"]]
force = ["-0.1*x' - (al + 0.6*cos(2*t))*x + 0.2*cos(2*t)"]
[forcing]
period = "pi"
[initial]
x = 0.1
"""


def simulated(diagram):
    """(parameter, x) of all points of a diagram."""
    return [(sigma, x) for sigma, points in zip(diagram["parameter"]["values"], diagram["points"]) for x in points]


class Continue(BranchRuns):
    def test_points_and_special_points_have_the_promised_keys(self):
        branch = self.branch(OSCILLATOR, *AT, "--vary", "sigma=0.1:0.25")
        for point in branch["points"]:
            self.assertTrue({"p", "x", "period", "multipliers", "stable", "label"} <= set(point))
        special = {each["label"]: each for each in branch["special"]}
        self.assertAlmostEqual(special["PD1"]["p"], DOUBLING, delta=1e-9)
        self.assertAlmostEqual(special["GR1"]["p"], GRAZING, delta=1e-9)
        self.assertEqual(special["GR1"]["passage"], "persists")
        self.assertEqual(special["GR1"]["sequence"], "stop")
        self.assertEqual(special["GR1"]["sequence_beyond"], "no events")
        self.assertEqual(branch["points"][0]["p"], 0.1)
        self.assertEqual(branch["points"][-1]["p"], 0.25)
        self.assertTrue(branch["complete"])

    def test_orbit_of_two_returns_ends_where_it_is_one_of_one_return(self):
        model = self.folder / "duffing.toml"
        model.write_text(DUFFING, encoding="utf-8")
        one = self.branch(model, "--vary", "omega=1:1.3", "--period", "1")
        own = {each["kind"]: each["p"] for each in one["special"]}
        ends = []
        for step in ("0.1", "0.02"):
            two = self.branch(model, "--vary", "omega=0.4:3", "--step", step)
            first, last = two["special"][0], two["special"][-1]
            self.assertEqual([each["kind"] for each in two["special"]], ["GR", "LP", "GR", "PD"])
            self.assertIn("here it is the orbit of 1 return", first["note"])
            self.assertAlmostEqual(first["p"], own["GR"], delta=1e-9)
            self.assertAlmostEqual(last["p"], own["PD"], delta=1e-9)
            birth = two["points"][-1]
            self.assertEqual((birth["label"], birth["returns"]), ("PD1", 1))
            self.assertAlmostEqual(birth["multipliers"][0]["re"], -1, delta=1e-6)
            ends.append(last["p"])
        self.assertAlmostEqual(ends[0], ends[1], delta=1e-11)

    def test_branch_begins_again_at_the_grazing_of_a_doubled_orbit(self):
        # In that grazing it is the orbit of one return, run through twice: at halves and quarters of it the mass is nearly at rest,
        # which must not be taken for the size of its velocity.
        model, file = self.folder / "duffing.toml", str(self.folder / "doubled.json")
        model.write_text(DUFFING, encoding="utf-8")
        first = self.branch(model, "--transient", "200", "--vary", "omega=0.4:2", "--out", file)
        again = self.branch(model, "--from", file, "--point", "GR1", "--vary", "omega=0.4:2")
        self.assertEqual(sorted(each["kind"] for each in again["special"]), ["GR", "GR", "LP", "PD"])
        places = [sorted(each["p"] for each in branch["special"]) for branch in (first, again)]
        for one, other in zip(*places, strict=True):
            self.assertAlmostEqual(one, other, delta=1e-9)

    def orbit_of(self, model, *arguments):
        file = str(self.folder / "orbit.json")
        run = subprocess.run([SALTUS, "orbit", model, *arguments, "--out", file], capture_output=True, text=True,
                             timeout=100, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        return file

    def test_multiplier_of_a_stick_slip_orbit_is_that_of_shooting_and_of_a_lyapunov_run(self):
        # Piecewise linear, with stops where the mass turns back; cos^2 of the slip time: docs/method/dry_friction.md.
        branch = self.branch(FRICTION, "--vary", "A=1.2:1.35", "--set", "A=1.3", "--transient", "60", "--direction", "down")
        first = branch["points"][-1]
        self.assertEqual((first["p"], first["stable"], branch["special"]), (1.3, True, []))
        orbit = json.loads(Path(self.orbit_of(FRICTION, "--set", "A=1.3", "--transient", "60")).read_text())
        for own, other in zip(first["multipliers"], orbit["multipliers"], strict=True):
            self.assertAlmostEqual(own["re"], other["re"], delta=1e-9)
        self.assertEqual(first["multipliers"][1]["abs"], 0)
        run = subprocess.run([SALTUS, "lyapunov", FRICTION, "--set", "A=1.3", "--transient", "60", "--periods", "200", "--json"],
                             capture_output=True, text=True, timeout=100, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        spectrum = json.loads(run.stdout)
        self.assertEqual(spectrum["exponents"][1], "-inf")
        exponent = math.log(first["multipliers"][0]["abs"]) / first["period"]
        self.assertAlmostEqual(spectrum["exponents"][0], exponent, delta=1e-7 + 4 * spectrum["standard_errors"][0])

    def test_two_blocks_that_stick_lose_their_stability_to_a_torus_where_shooting_says_so(self):
        model = self.folder / "blocks.toml"
        model.write_text(BLOCKS, encoding="utf-8")
        branch = self.branch(model, "--transient", "2000", "--vary", "b=0.2:0.45")
        self.assertEqual([each["label"] for each in branch["special"]], ["NS1", "SL1"])
        torus = branch["special"][0]
        at = json.loads(Path(self.orbit_of(model, *self.state(torus, b=torus["p"]))).read_text())
        pair = [each for each in at["multipliers"] if not each["trivial"] and not each["annihilated"]]
        self.assertEqual([round(each["abs"], 8) for each in pair], [1, 1])
        own = next(each for each in branch["points"] if each["label"] == "NS1")
        self.assertAlmostEqual(abs(pair[0]["im"]), abs(own["multipliers"][0]["im"]), delta=1e-8)

    @staticmethod
    def state(special, **parameters):
        """--set of the state and parameters of a special point."""
        values = dict(zip(("x1", "x2", "x1'", "x2'"), special["x"], strict=True)) | parameters
        return [word for name, value in values.items() for word in ("--set", f"{name}={value!r}")]

    def test_branch_goes_on_from_where_a_stick_is_born(self):
        file = str(self.folder / "friction.json")
        wide = self.branch(FRICTION, "--case", "belt", "--vary", "A=0.6:1.2", "--out", file)
        labels = [(each["label"], each["p"]) for each in wide["special"]]
        self.assertEqual([label for label, _ in labels], ["GR1", "SL1"])
        touching = math.hypot(1 - 0.7**2, 2 * 0.05 * 0.7) / 0.7
        self.assertAlmostEqual(labels[0][1], touching, delta=1e-9)
        for label, p in labels:
            again = self.branch(FRICTION, "--from", file, "--point", label, "--vary", "A=0.6:1.2")
            self.assertEqual(len(again["sequences"]), 3)
            self.assertAlmostEqual(next(each["p"] for each in again["special"] if each["label"] == label), p, delta=1e-9)
            self.assertEqual({end["reason"] for end in again["ends"]}, {"bound"})

    def test_curve_in_two_parameters_along_which_a_stick_is_born(self):
        file = str(self.folder / "friction.json")
        self.branch(FRICTION, "--case", "belt", "--vary", "A=0.6:0.9", "--set", "A=0.8", "--out", file)
        curve = self.branch(FRICTION, "--from", file, "--point", "GR1", "--vary", "A=0.4:1.2", "--vary", "omega=0.6:0.8")
        self.assertEqual({end["reason"] for end in curve["ends"]}, {"bound"})
        for point in curve["points"]:
            A, omega = point["p"]
            self.assertAlmostEqual(A, math.hypot(1 - omega**2, 2 * 0.05 * omega) / omega, delta=1e-9)

    def test_chatter_that_ends_is_not_followed_in_two_parameters(self):
        file = str(self.folder / "chatter.json")
        self.branch(TABLE, "--set", "A=1.5", "--set", "e=0.3", "--transient", "40", "--vary", "A=1.4:2.2", "--out", file)
        run = saltus(TABLE, "--from", file, "--point", "SL1", "--vary", "A=1.4:2.2", "--vary", "e=0.2:0.4")
        self.assertEqual(run.returncode, 1)
        self.assertIn("nothing that a curve could be followed by vanishes", run.stdout + run.stderr)

    def test_closed_branch_is_followed_once(self):
        model = self.folder / "backlash.toml"
        model.write_text(BACKLASH, encoding="utf-8")
        branch = self.branch(model, "--from", self.orbit_of(model, "--transient", "300"), "--vary", "omega=0.3:2")
        self.assertEqual({end["reason"] for end in branch["ends"]}, {"closed"})
        self.assertEqual(sorted(each["kind"] for each in branch["special"]), ["LP", "LP", "NS"])
        first, last = branch["points"][0], branch["points"][-1]
        self.assertEqual((first["p"], first["x"]), (last["p"], last["x"]))

    def test_branch_points_do_not_depend_on_the_step(self):
        model = self.folder / "backlash.toml"
        model.write_text(BACKLASH, encoding="utf-8")
        start = self.orbit_of(model, "--set", "omega=0.7515", "--transient", "600")
        found = []
        for step in ("0.1", "0.02"):
            branch = self.branch(model, "--from", start, "--vary", "omega=0.5:2", "--step", step)
            found.append([each["p"] for each in branch["special"] if each["kind"] == "BP"])
            self.assertEqual(branch["unexplained"], [])
        self.assertEqual([len(each) for each in found], [4, 4])
        for one, other in zip(*found):
            self.assertAlmostEqual(one, other, delta=1e-10)

    def test_family_of_orbits_at_one_value_ends_in_words(self):
        model = self.folder / "resonance.toml"
        model.write_text(RESONANCE, encoding="utf-8")
        run = saltus(model, "--vary", "al=0.5:2", "--switch", "PD1")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("a family of orbits at one value of the parameter", run.stdout)
        self.assertNotIn("fold", run.stdout)

    def test_end_is_told_in_words(self):
        run = saltus(OSCILLATOR, *AT, "--vary", "sigma=0.1:0.25", "--points", "3")
        self.assertEqual(run.returncode, 1)
        self.assertIn("stopped after 3 points", run.stdout)

    def test_branch_goes_on_from_every_form_of_file(self):
        for name in ("branch.json", "branch.nc"):
            file = str(self.folder / name)
            run = saltus(OSCILLATOR, *AT, "--vary", "sigma=0.1:0.25", "--out", file)
            self.assertEqual((run.returncode, run.stdout.splitlines()[-1]), (0, f"written  {file}"), run.stderr)
            self.assertTrue(run.stdout.startswith("branch     in sigma: "))
            doubled = self.branch(OSCILLATOR, "--from", file, "--vary", "sigma=0.1:0.14", "--switch", "PD1")
            self.assertEqual(doubled["points"][-1]["returns"], 2)
            self.assertEqual(doubled["points"][-1]["p"], 0.14)
            count = len(self.branch(OSCILLATOR, *AT, "--vary", "sigma=0.1:0.25")["points"])
            for point in ("1", "3", str(count // 2), str(count), "PD1", "GR1"):
                again = self.branch(OSCILLATOR, "--from", file, "--vary", "sigma=0.1:0.25", "--point", point)
                special = [(each["label"], each["p"]) for each in again["special"]]
                self.assertEqual([label for label, _ in special], ["PD1", "GR1"], point)
                self.assertAlmostEqual(special[0][1], DOUBLING, delta=1e-9)
                self.assertAlmostEqual(special[1][1], GRAZING, delta=1e-9)
            curve = self.branch(OSCILLATOR, "--from", file, "--point", "GR1", "--vary", "sigma=0:0.4",
                                "--vary", "omega=2.3:2.5")
            for point in curve["points"]:
                sigma, omega = point["p"]
                amplitude = 1.0 / ((1 - omega**2) ** 2 + (0.1 * omega) ** 2) ** 0.5
                self.assertAlmostEqual(sigma, amplitude, delta=1e-8)

    def test_branch_begins_with_an_orbit_from_a_file_of_saltus_orbit(self):
        for name in ("orbit.json", "orbit.nc"):
            file = str(self.folder / name)
            made = subprocess.run([SALTUS, "orbit", OSCILLATOR, *AT, "--transient", "100", "--out", file],
                                  capture_output=True, text=True, timeout=100, check=False)
            self.assertEqual(made.returncode, 0, made.stderr)
            branch = self.branch(OSCILLATOR, "--from", file, "--vary", "sigma=0.1:0.25")  # omega and sigma as in the file
            special = {each["label"]: each["p"] for each in branch["special"]}
            self.assertAlmostEqual(special["PD1"], DOUBLING, delta=1e-9)
            self.assertAlmostEqual(special["GR1"], GRAZING, delta=1e-9)

    def test_interrupted_branch_is_stored_and_can_be_gone_on_with(self):
        file = self.folder / "part.json"
        command = ["continue", OSCILLATOR, *AT, "--vary", "sigma=0.1:0.2", "--direction", "up", "--step", "2e-5",
                   "--points", "1000000", "--out", str(file)]
        until_it_begins = processor_time_of("continue", OSCILLATOR, *AT, "--vary", "sigma=0.1:0.2", "--direction", "up", "--step", "2e-5",
                                            "--points", "2")
        with started(*command) as run:
            wait_for_work(run, 1 + 1.5 * until_it_begins)
            run.send_signal(signal.SIGINT)
            _, errors = run.communicate(timeout=100)
        self.assertEqual(run.returncode, 130, errors)
        stored = json.loads(file.read_text())
        self.assertFalse(stored["complete"])
        count = len(stored["points"])
        self.assertGreater(count, 1)
        self.assertIn(f"--from FILE --point {count}", errors)
        rest = self.branch(OSCILLATOR, "--from", str(file), "--point", str(count), "--vary", "sigma=0.1:0.2",
                           "--direction", "up")
        self.assertAlmostEqual(rest["points"][0]["p"], stored["points"][-1]["p"], delta=1e-12)
        self.assertEqual(rest["points"][-1]["p"], 0.2)

    def test_ball_that_comes_to_rest_each_period_is_continued_from_its_rest_to_its_chatter(self):
        branch = self.branch(TABLE, "--set", "A=0.8", "--set", "e=0.4", "--vary", "A=0.6:1.2")
        self.assertEqual([each["label"] for each in branch["special"]], ["SL1"])
        lifts = branch["special"][0]
        self.assertAlmostEqual(lifts["p"], 1.0, delta=1e-9)  # the table's acceleration is that of gravity
        self.assertEqual((lifts["sequence"], lifts["sequence_beyond"]), ("slide(table)", "chatter(table), slide(table)"))
        self.assertTrue(all(point["stable"] for point in branch["points"] if not point["label"]))

    def test_clearance_pair_loses_its_stability_to_a_torus_at_the_known_frequencies(self):
        pair = str(ROOT / "examples/clearance_pair.toml")
        for slope, known in (("0.01", 0.77285), ("0", 0.76634)):  # trilinear, ideal: by exact propagation
            branch = self.branch(pair, "--case", "eta0772", "--set", "eta=0.76", "--set", f"slope={slope}",
                                 "--transient", "400", "--vary", "eta=0.758:0.776")
            special = [(each["label"], each["p"]) for each in branch["special"]]
            self.assertEqual([label for label, _ in special], ["NS1"])
            self.assertAlmostEqual(special[0][1], known, delta=5e-6)

    def test_curve_of_tori_passes_through_the_separate_ones(self):
        pair = str(ROOT / "examples/clearance_pair.toml")

        def torus(slope):
            branch = self.branch(pair, "--case", "eta0772", "--set", "eta=0.762", "--set", f"slope={slope}",
                                 "--transient", "400", "--vary", "eta=0.758:0.782")
            return branch["special"][0]["p"]

        file = str(self.folder / "torus.json")
        run = saltus(pair, "--case", "eta0772", "--set", "eta=0.762", "--transient", "400", "--vary", "eta=0.758:0.782",
                     "--out", file)
        self.assertEqual(run.returncode, 0, run.stderr)
        curve = self.branch(pair, "--from", file, "--point", "NS1", "--vary", "eta=0.75:0.79", "--vary", "slope=0:0.015")
        self.assertGreater(len(curve["points"]), 5)
        for point in curve["points"]:
            self.assertAlmostEqual(point["multipliers"][0]["abs"], 1.0, delta=1e-9)
        for point, slope in ((curve["points"][0], "0"), (curve["points"][-1], "0.015")):
            self.assertAlmostEqual(point["p"][1], float(slope), delta=1e-9)
            self.assertAlmostEqual(point["p"][0], torus(slope), delta=1e-8)

    def test_brute_force_diagram_lies_on_the_stable_branch_and_jumps_at_fold_and_grazing(self):
        at = ["--set", "omega=1.6", "--set", "sigma=0.5"]
        branch = self.branch(OSCILLATOR, *at, "--vary", "sigma=0.3:1.9", "--step", "0.01")
        special = {each["label"]: each["p"] for each in branch["special"]}
        self.assertEqual(branch["special"][-1]["passage"], "folds_back")

        def on_branch(sequence, sigma):
            """x at the strobe on the stable part with this sequence, between its neighbours; the grazing orbit ends both."""
            points = [(p["p"], p["x"][0]) for p in branch["points"]
                      if p["sequence"] == sequence and p["stable"] or p["label"] == "GR1"]
            pairs = [pair for pair in zip(points, points[1:]) if min(pair)[0] <= sigma <= max(pair)[0]]
            if not pairs:
                return None
            (p, x), (q, y) = pairs[0]
            return x + (y - x) * (sigma - p) / (q - p)

        jumps = {}
        for direction in ("up", "down"):
            made = subprocess.run([SALTUS, "diagram", OSCILLATOR, "--set", "omega=1.6", "--vary", "sigma=0.4:1.88:75",
                                   "--direction", direction, "--observe", "x", "--periods", "8", "--transient", "150", "--json"],
                                  capture_output=True, text=True, timeout=100, check=False)
            self.assertEqual(made.returncode, 0, made.stderr)
            sequence = []
            for sigma, x in simulated(json.loads(made.stdout)):
                striking, free = on_branch("stop", sigma), on_branch("no events", sigma)
                distance = {name: abs(x - value) for name, value in (("stop", striking), ("no events", free))
                            if value is not None}
                name = min(distance, key=distance.get)
                self.assertLess(distance[name], 2e-3, (direction, sigma, x))  # between neighbours of the branch: 4e-4
                sequence.append((sigma, name))
            sequence.sort()
            changes = [(a, b) for (a, m), (b, n) in zip(sequence, sequence[1:]) if m != n]
            self.assertEqual(len(changes), 1, (direction, changes))
            jumps[direction] = changes[0]
        self.assertTrue(jumps["up"][0] <= special["LP1"] <= jumps["up"][1], (jumps, special))
        self.assertTrue(jumps["down"][0] <= special["GR1"] <= jumps["down"][1], (jumps, special))

    def test_cycle_that_just_reaches_a_stop_persists_on_both_sides(self):
        """It forgets all within a period, so that the stop's place goes with the square of the impact's speed."""
        model = self.folder / "cycle.toml"
        stop = '[[contact]]\nname = "stop"\ngap = "s - x"\nrestitution = 0.7\n'
        model.write_text(CYCLE.replace("mu = 1", "mu = 1\ns = 1.95") + stop, encoding="utf-8")
        branch = self.branch(str(model), "--vary", "s=1.9:2.1")
        grazing = branch["special"][0]
        self.assertEqual((grazing["label"], grazing["passage"]), ("GR1", "persists"))
        self.assertAlmostEqual(grazing["p"], 2.008619860875, delta=1e-9)  # its amplitude: SciPy's
        for point in branch["points"]:
            self.assertEqual(point["sequence"], "stop" if point["p"] <= grazing["p"] else "no events")


if __name__ == "__main__":
    unittest.main()
