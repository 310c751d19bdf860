"""`saltus continue` on models of others, whose special points and ends are known."""
import json
import math
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SALTUS = os.environ["SALTUS"]
ROOT = Path(__file__).resolve().parents[2]

# AUTO's demo plp. HB and LP: AUTO at tight tolerances, refined on the equilibrium and on the curve.
SUBSTRATE = """[parameters]
S0 = 110
A0 = 500
alpha = 0.2
rho = 4
kappa = 0.1
[mechanics]
states = ["S", "A"]
rates = ["S0 - S - rho*S*A/(1+S+kappa*S^2)", "alpha*(A0-A) - rho*S*A/(1+S+kappa*S^2)"]
[section]
surface = "A - 77"
direction = "up"
[initial]
S = 30
A = 95
"""
# AUTO's demo ab.
REACTION = """[parameters]
p1 = 0.2
p2 = 14
p3 = 3
[mechanics]
states = ["u", "v"]
rates = ["-u + p1*(1-u)*exp(v)", "-v + p1*p2*(1-u)*exp(v) - p3*v"]
[section]
surface = "u - 0.6"
direction = "up"
[initial]
u = 0.6
v = 2
"""
# AUTO's demo pp2.
PREY = """[parameters]
quota = 0.69
p2 = 3
p3 = 5
p4 = 3
[mechanics]
states = ["u", "v"]
rates = ["p2*u*(1-u) - u*v - quota*(1-exp(-p3*u))", "-v + p4*u*v"]
[section]
surface = "u - 1/3"
direction = "up"
[initial]
u = 0.4
v = 0.37
"""
# AUTO's demos lor and lrz.
LORENZ = """[parameters]
rho = 280
beta = "8/3"
sigma = 10
[mechanics]
states = ["x", "y", "z"]
rates = ["sigma*(y-x)", "rho*x - y - x*z", "x*y - beta*z"]
[section]
surface = "z - (rho-1)"
direction = "up"
[initial]
x = -4.0674614
y = -24.183805
z = 219.00338
"""
# AUTO's demo pen: two pendulums on a spring that rotate.
PENDULUMS = """[parameters]
I = 0.4
[mechanics]
coordinates = ["p1", "p2"]
mass = [["1", "0"], ["0", "1"]]
force = ["-0.1*p1' - sin(p1) + I + 0.175*(p2-p1)", "-0.1*p2' - sin(p2) + I + 0.175*(p1-p2)"]
[section]
surface = "(p1 + p2)/2"
direction = "up"
modulo = "2*pi"
[initial]
p1 = 1.240368
p2 = 1.240368
"p1'" = 4.07832
"p2'" = 4.07832
"""
# Two oscillators that do not know of each other, and Duffing's (Ueda) alone and twice.
TWINS = """[parameters]
sigma = 0.12
[mechanics]
coordinates = ["x", "y"]
mass = [["1", "0"], ["0", "1"]]
force = ["-x - 0.1*x' + cos(2.4*t)", "-y - 0.1*y' + cos(2.4*t)"]
[[contact]]
name = "a"
gap = "sigma - x"
restitution = "0.8"
[[contact]]
name = "b"
gap = "sigma - y"
restitution = "0.8"
[forcing]
period = "2*pi/2.4"
[initial]
x = -0.1
y = -0.1
"""
DUFFING = """[parameters]
B = 7.5
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["-0.1*x' - x^3 + B*cos(t)"]
[forcing]
period = "2*pi"
[initial]
x = 1
"""
DUFFING_TWINS = """[parameters]
B = 7.5
[mechanics]
coordinates = ["x", "y"]
mass = [["1", "0"], ["0", "1"]]
force = ["-0.1*x' - x^3 + B*cos(t)", "-0.1*y' - y^3 + B*cos(t)"]
[forcing]
period = "2*pi"
[initial]
x = 1
y = 1
"""
# Wieczorek's laser with optical injection.
LASER = """[parameters]
K = 0.3
w = 0.5
[mechanics]
states = ["u", "v", "n"]
rates = ["K + n/2*(u - 2*v) + w*v", "n/2*(2*u + v) - w*u", "-0.07*n - (1 + 0.03*n)*(u^2 + v^2 - 1)"]
[section]
surface = "n"
direction = "up"
[initial]
u = 1
v = 0.3
n = 0.1
"""
# A limit cycle in closed form: r = sqrt(mu), one turn in 2 pi.
NORMAL_FORM = """[parameters]
mu = 1
[mechanics]
states = ["x", "y"]
rates = ["mu*x - y - x*(x^2+y^2)", "x + mu*y - y*(x^2+y^2)"]
[section]
surface = "y"
direction = "up"
[initial]
x = 1.2
"""
# PWSDDE-cont, impd_osc_demo: symmetric under x -> -x half a period later.
ABSORBER = """[parameters]
om = 0.7
mu = 0.05
zeta = 0.02
xi = 0.127
fi = 0.952
[define]
D = "x1 - x2"
dD = "x1' - x2'"
[mechanics]
coordinates = ["x1","x2"]
mass = [["1","0"],["0","mu"]]
force = ["cos(om*t) - 2*zeta*x1' - 2*xi*mu*dD - x1 - 0.1*x1^3 - fi^2*mu*D - 0.1*mu*D^3", "mu*(2*xi*dD + fi^2*D + 0.1*D^3)"]
[[contact]]
name = "up"
gap = "1 - (x2 - x1)"
restitution = "0.9"
[[contact]]
name = "down"
gap = "1 + (x2 - x1)"
restitution = "0.9"
[forcing]
period = "2*pi/om"
"""
# Liu, Wiercigroch, Pavlovskaia & Yu 2013, Int. J. Mech. Sci. 66, 2-11, without the drift.
CAPSULE = """[parameters]
omega = 0.8
[define]
S  = "r + 0.02*r' + if(r > 0.02, 15*(r-0.02), 0)"
a2 = "(S - sign(u))/5"
[mechanics]
coordinates = ["r"]
mass   = [["1"]]
force  = ["1.6*cos(omega*t) - S - a2"]
states = ["u"]
rates  = ["a2"]
[forcing]
period = "2*pi/omega"
"""


def multipliers(point):
    return [complex(m["re"], m["im"]) for m in point["multipliers"]]


class BranchTruth(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def model(self, text):
        path = self.folder / "model.toml"
        path.write_text(text, encoding="utf-8")
        return str(path)

    def run_saltus(self, command, *arguments, code=0, seconds=100):
        run = subprocess.run([SALTUS, command, *arguments, "--json"], capture_output=True, text=True, timeout=seconds,
                             check=False)
        self.assertEqual(run.returncode, code, run.stderr)
        return json.loads(run.stdout)

    def branch(self, text, *arguments, code=0):
        return self.run_saltus("continue", self.model(text), *arguments, code=code)

    def assert_special(self, branch, expected, digits=9):
        """Kinds and places along the branch, in either direction, and nothing else."""
        found = [(s["kind"], s["p"]) for s in branch["special"]]
        if found and abs(found[0][1] - expected[0][1]) > abs(found[-1][1] - expected[0][1]):
            found.reverse()
        self.assertEqual([kind for kind, _ in found], [kind for kind, _ in expected], found)
        for (_, p), (kind, truth) in zip(found, expected):
            self.assertAlmostEqual(p, truth, digits, kind)

    def assert_labels_are_what_they_say(self, branch):
        for point in branch["points"]:
            kind = (point["label"] or "")[:2]
            wanted = {"LP": 1.0, "BP": 1.0, "PD": -1.0}.get(kind)
            if wanted is not None:
                self.assertEqual(min(multipliers(point), key=lambda mu: abs(mu - wanted)).imag, 0.0, point["label"])
                self.assertLess(min(abs(mu - wanted) for mu in multipliers(point)), 1e-3, point["label"])
            if kind == "NS":
                self.assertLess(min(abs(abs(mu) - 1) for mu in multipliers(point) if mu.imag), 1e-4)
            if kind in ("LP", "BP", "PD", "NS", "HB"):
                self.assertEqual(point["stability"], "neutral")

    def test_family_of_a_substrate_inhibition_has_its_two_folds_and_ends_in_two_hopf_points_whatever_the_section(self):
        truth = [("HB", 3.499953827987), ("LP", 2.75968745550), ("LP", 5.00783976076), ("HB", 4.650457812603)]
        for surface in ("A - 77", "S - 30", "A - 95"):
            branch = self.branch(SUBSTRATE, "--vary", "rho=2.5:5.5", "--transient", "200", "--surface", surface)
            self.assert_special(branch, truth)
            # The trace of the linearisation vanishes: F = 0 and tr F_x = 0 solved with 30 digits.
            hopf = sorted(s["p"] for s in branch["special"] if s["kind"] == "HB")
            for found, expected in zip(hopf, (3.49995382798690544, 4.65045781260269970)):
                self.assertAlmostEqual(found, expected, 11)
            self.assertEqual([end["reason"] for end in branch["ends"]], ["hopf", "hopf"])
            self.assert_labels_are_what_they_say(branch)

    def test_leaving_the_section_is_no_fold_of_the_reaction(self):
        branch = self.branch(REACTION, "--vary", "p1=0.1:0.25", "--transient", "60")
        self.assert_special(branch, [("HB", 0.1650420453236), ("LP", 0.161696128898)])
        self.assert_labels_are_what_they_say(branch)

    def test_hopf_point_of_a_normal_form_is_at_zero_with_frequency_one_and_orbits_are_circles(self):
        branch = self.branch(NORMAL_FORM, "--vary", "mu=-1:2")
        self.assertEqual([s["kind"] for s in branch["special"]], ["HB"])
        self.assertLess(abs(branch["special"][0]["p"]), 1e-10)
        self.assertIn("frequency 1", branch["special"][0]["note"])
        for point in branch["points"]:
            if point["label"]:
                continue
            self.assertAlmostEqual(math.hypot(*point["x"]), math.sqrt(point["p"]), 9)
            self.assertAlmostEqual(point["period"], 2 * math.pi, 9)
            self.assertAlmostEqual(abs(multipliers(point)[0]), math.exp(-4 * math.pi * point["p"]), 9)

    def test_growing_period_is_no_family_at_one_value(self):
        branch = self.branch(PREY, "--vary", "quota=0.6:0.75", "--transient", "400")
        # u = 1/3 at the equilibrium: the trace vanishes where quota (3 - 8 exp(-5/3)) = 1.
        self.assert_special(branch, [("HB", 1 / (3 - 8 * math.exp(-5 / 3)))], digits=10)
        # Between (1, 0) and the other equilibrium with v = 0: 3 u (1 - u) = quota (1 - exp(-5 u)).
        end = branch["ends"][1]
        self.assertEqual(end["reason"], "heteroclinic")
        self.assertAlmostEqual(end["limit"], 0.7080728075, 8)
        self.assertLess(abs(end["limit"] - 0.7080728075), end["limit_error"] + 1e-9)
        self.assertEqual(len(end["saddles"]), 2)
        for (u, v), eigenvalues in zip(end["saddles"], end["eigenvalues"]):
            self.assertAlmostEqual(v, 0, 9)
            self.assertAlmostEqual(3 * u * (1 - u), end["limit"] * (1 - math.exp(-5 * u)), 6)
            self.assertLess(min(e["re"] for e in eigenvalues) * max(e["re"] for e in eigenvalues), 0)

    def test_unstable_orbits_of_the_lorenz_equations_reach_their_homoclinic_without_false_points(self):
        orbit = self.folder / "orbit.json"
        start = ["--set", "rho=20", "--set", "x=10", "--set", "y=13", "--set", "z=19"]
        self.run_saltus("orbit", self.model(LORENZ), *start, "--out", str(orbit))
        branch = self.branch(LORENZ, "--from", str(orbit), "--vary", "rho=13:30")
        self.assert_special(branch, [("HB", 470 / 19)])
        self.assertAlmostEqual(branch["points"][0]["p"], 13.926557407, 6)
        end = branch["ends"][0]
        self.assertEqual(end["reason"], "homoclinic")
        self.assertAlmostEqual(end["limit"], 13.926557407, 8)  # AUTO's HomCont, 13.926557407
        self.assertLess(abs(end["limit"] - 13.926557407), end["limit_error"] + 1e-9)
        self.assertEqual(len(end["saddles"]), 1)
        self.assertLess(max(abs(x) for x in end["saddles"][0]), 1e-12)
        root = math.sqrt(121 + 40 * (branch["points"][0]["p"] - 1))
        truth = sorted([-8 / 3, (-11 + root) / 2, (-11 - root) / 2])
        for eigenvalue, expected in zip(sorted(e["re"] for e in end["eigenvalues"][0]), truth):
            self.assertAlmostEqual(eigenvalue, expected, 10)
        for point in branch["points"]:
            if point["label"]:
                continue
            # Liouville: the product of all three, the trivial one among them, is exp(-(sigma + 1 + beta) T).
            logs = sum(math.log(abs(mu)) for mu in multipliers(point))
            self.assertAlmostEqual(logs / (-(11 + 8 / 3) * point["period"]), 1, 5)

    def test_orbits_as_long_as_wanted_come_near_a_homoclinic_orbit_with_multipliers_that_no_number_is_as_small_as(self):
        orbit = self.folder / "orbit.json"
        self.run_saltus("orbit", self.model(LORENZ), "--set", "rho=20", "--set", "x=10", "--set", "y=13", "--set", "z=19", "--out", str(orbit))
        words = ["--from", str(orbit), "--vary", "rho=13:30", "--direction", "down", "--longest", "40"]
        branch = self.branch(LORENZ, *words)
        end, points = branch["ends"][0], branch["points"]
        self.assertEqual((end["reason"], branch["special"], branch["unexplained"]), ("homoclinic", [], []))
        self.assertAlmostEqual(end["limit"], 13.926557407520, 11)  # without the option and by AUTO: 13.926557407
        self.assertGreater(max(point["period"] for point in points), 40)
        # Beside the saddle multipliers grow by the sums of its eigenvalues; Liouville: together by -(sigma + 1 + beta).
        root = math.sqrt(121 + 40 * (end["limit"] - 1))
        stable, unstable, fast = -8 / 3, (-11 + root) / 2, (-11 - root) / 2
        long = [(point["period"], *(m["log_abs"] for m in point["multipliers"])) for point in points if point["period"] > 8]
        for (T, a, b), (S, c, d) in zip(long, long[1:]):
            self.assertAlmostEqual((a + b) / (-(11 + 8 / 3) * T), 1, 4)
            if min(S, T) > 10:
                self.assertAlmostEqual((a - c) / (T - S), unstable + stable, 5)
                self.assertAlmostEqual((b - d) / (T - S), fast, 5)
        wrong = subprocess.run([SALTUS, "continue", self.model(LORENZ), *words[:-1], "-1"], capture_output=True, text=True, check=False)
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("--longest -1 is no period", wrong.stderr)

    def test_rounding_that_grows_closes_no_orbit(self):
        # Over 150 units of time, or parts of it, disturbances grow beyond all digits: every motion seems to end where it began, within what rounding makes of it.
        start = ["--set", "rho=28", "--set", "x=1", "--set", "y=1", "--set", "z=27", "--time", "150"]
        for segments in ([], ["--segments", "1"], ["--segments", "4"]):
            run = subprocess.run([SALTUS, "orbit", self.model(LORENZ), *start, *segments, "--json"], capture_output=True, text=True,
                                 timeout=100, check=False)
            if run.returncode == 1:
                continue
            self.assertEqual(run.returncode, 0, run.stderr)
            orbit = json.loads(run.stdout)
            trivial = [m for m in orbit["multipliers"] if m["trivial"]]
            self.assertAlmostEqual(trivial[0]["re"], 1, 4)
            logs = sum(m["log_abs"] for m in orbit["multipliers"])
            self.assertAlmostEqual(logs / (-(11 + 8 / 3) * orbit["period"]), 1, 6)

    def test_newton_that_falls_into_an_equilibrium_says_so(self):
        # Conservative: a family of orbits around the origin, along which Newton's method slides into it.
        model = """[parameters]
lam = 0
[mechanics]
states = ["x", "y"]
rates = ["-lam*x - y", "x*(1-x)"]
[section]
surface = "y"
direction = "up"
[initial]
x = 0.5
"""
        branch = self.branch(model, "--vary", "lam=-0.1:0.1", "--transient", "0", code=1)
        self.assertIn("falls into an equilibrium", branch["message"])

    def test_pendulums_that_have_turned_for_long_are_followed_as_if_they_had_not(self):
        branch = self.branch(PENDULUMS, "--vary", "I=0.15:1")
        self.assertEqual([end["reason"] for end in branch["ends"]], ["bound", "bound"])
        self.assertLess(len(branch["points"]), 100)
        self.assertEqual([s["kind"] for s in branch["special"]], ["PD"])
        self.assertAlmostEqual(branch["special"][0]["p"], 0.1791637763, 8)
        for point in branch["points"]:
            self.assertLess(abs(point["x"][0]), 7)

    def test_doubling_and_branch_point_of_two_equal_parts_are_named(self):
        # Each alone: PD and GR of the impact oscillator, docs/method/grazing.md, from closed forms.
        branch = self.branch(TWINS, "--vary", "sigma=0.1:0.25")
        self.assert_special(branch, [("PD", 0.1293116075), ("GR", 0.2098175046)])
        self.assertEqual(branch["special"][0]["multiplicity"], 2)
        self.assertIn("together", branch["special"][0]["note"])
        self.assertEqual(branch["unexplained"], [])
        alone = self.branch(DUFFING, "--vary", "B=0.5:8")
        # At the branch point of both together the equations have two null vectors: the branch may end there, in words.
        both = self.branch(DUFFING_TWINS, "--vary", "B=0.5:8", code=1)
        self.assertEqual([(s["kind"], round(s["p"], 6)) for s in alone["special"]], [("BP", 6.649194)])
        self.assertEqual([e["reason"] for e in both["ends"]], ["no_convergence", "bound"])
        self.assertAlmostEqual(both["points"][0]["p"], alone["special"][0]["p"], delta=1e-5)
        self.assertIn("not understood", both["message"])

    def test_closed_curve_of_doublings_is_gone_round_once_though_its_orbits_come_back_with_another_phase(self):
        branch = str(self.folder / "branch.json")
        first = self.branch(LASER, "--vary", "w=-2:2", "--transient", "1000", "--out", branch)
        doublings = [s["p"] for s in first["special"] if s["kind"] == "PD"]
        self.assertEqual(len(doublings), 3)
        for label in ("PD1", "PD2"):  # on one curve
            curve = self.branch(LASER, "--from", branch, "--point", label, "--vary", "w=-2:2", "--vary", "K=0.01:1")
            self.assertEqual([end["reason"] for end in curve["ends"]], ["closed", "closed"])
            resonances = sorted(s["p"][1] for s in curve["special"] if s["kind"] == "R2")
            self.assertEqual(len(resonances), len(curve["special"]))
            self.assertEqual(len(resonances), 2)
            # Each once, where it is passed from either start.
            for found, expected in zip(resonances, (0.1323466747, 0.2345758838)):
                self.assertAlmostEqual(found, expected, 8)
            # Beside the line K = 0.3 of the first branch both doublings are on it.
            at = [(p["p"][1] - 0.3, p["p"][0]) for p in curve["points"]]
            crossed = [b + (a - b) * q / (q - r) for (q, b), (r, a) in zip(at, at[1:]) if q * r <= 0 and q != r]
            for w in doublings[:2]:
                self.assertLess(min(abs(w - each) for each in crossed), 1e-2)

    def test_motion_that_comes_to_rest_is_no_orbit(self):
        branch = self.branch(LORENZ, "--set", "rho=20", "--set", "x=10", "--set", "y=13", "--set", "z=19", "--vary",
                             "rho=13:30", code=1)
        self.assertIn("comes to rest in an equilibrium", branch["message"])

    def test_no_orbit_of_random_starts_lasts_no_time(self):
        found = self.run_saltus("orbit", self.model(LORENZ), "--starts", "40", "--period", "3")
        self.assertTrue(found["orbits"])
        for orbit in found["orbits"]:
            self.assertGreater(orbit["period"], 0.1)

    def test_doubling_of_the_lorenz_equations_and_the_branch_that_begins_there(self):
        branch = self.branch(LORENZ, "--vary", "rho=200:290")
        self.assert_special(branch, [("PD", 229.40670856)], digits=7)
        doubled = self.branch(LORENZ, "--vary", "rho=200:290", "--switch", "PD1")
        found = [s["p"] for s in doubled["special"] if s["kind"] == "PD"]
        self.assertLess(min(abs(p - 218.21012778) for p in found), 1e-7)
        self.assert_labels_are_what_they_say(doubled)

    def test_branch_goes_on_from_a_point_that_has_left_its_section(self):
        file = self.folder / "branch.json"
        model = self.model(SUBSTRATE)
        whole = self.run_saltus("continue", model, "--vary", "rho=2.5:5.5", "--transient", "200", "--out", str(file))
        last = len(whole["points"]) - 1  # the one before the Hopf point
        again = self.run_saltus("continue", model, "--vary", "rho=2.5:5.5", "--from", str(file), "--point", str(last))
        self.assertEqual(sorted(s["kind"] for s in again["special"]), ["HB", "HB", "LP", "LP"])

    def test_symmetric_orbit_that_grazes_twice_at_once_goes_on_symmetric_and_is_not_closed(self):
        branch = self.branch(ABSORBER, "--transient", "200", "--vary", "om=0.3:1.5")
        self.assertEqual([end["reason"] for end in branch["ends"]], ["bound", "bound"])
        self.assertEqual(branch["sequences"], ["up, down", "no events"])
        points = [s["p"] for s in branch["special"] if s["kind"] == "BP"]
        self.assertLess(min(abs(p - 1.030656142) for p in points), 1e-8)
        self.assert_labels_are_what_they_say(branch)

    def test_capsule_has_the_same_special_points_from_either_side(self):
        limits = ["--vary", "omega=0.776:1.3"]
        up = self.branch(CAPSULE, *limits)
        down = self.branch(CAPSULE, *limits, "--set", "omega=1.2", "--transient", "200")
        self.assert_special(down, [(s["kind"], s["p"]) for s in up["special"]], digits=8)
        touching = [s for s in up["special"] if abs(s["p"] - 1.11523452) < 1e-7]
        self.assertEqual([(s["kind"], s["passage"]) for s in touching], [("GR", "persists")])
        for i, point in enumerate(up["points"][1:-1], 1):
            beside = {up["points"][j]["stability"] for j in (i - 1, i + 1) if not up["points"][j]["label"]}
            if (point["label"] or "")[:2] in ("GR", "SL") and beside == {"stable"}:
                self.assertTrue(point["stable"], point["label"])

    def test_flight_between_two_slides_vanishes_where_the_sliding_side_says_so(self):
        pendulum = str(ROOT / "examples/triple_pendulum_barrier.toml")
        limits = ["--case", "fig3b", "--vary", "q1=0.58:0.63"]
        down = self.run_saltus("continue", pendulum, *limits, "--set", "q1=0.615", "--direction", "down")
        up = self.run_saltus("continue", pendulum, *limits, "--set", "q1=0.6", "--direction", "up")
        for branch in (down, up):
            found = [s["p"] for s in branch["special"] if s["kind"] == "SL"]
            self.assertLess(min(abs(p - 0.6079390337) for p in found), 1e-9)
        self.assertIn("slide(barrier)", down["sequences"])

    def test_restart_files_of_anybody_end_in_words(self):
        table = str(ROOT / "examples/vibrating_table.toml")
        file = self.folder / "branch.json"
        good = self.run_saltus("continue", table, "--case", "period1", "--vary", "A=0.36:1.2", "--out", str(file))
        self.assertTrue(good["special"])
        label = good["special"][0]["label"]
        for spoil in ({"chatter": 10**9}, {"filippov": [2]}, {"closed": [2]}, {"index": 7}, {"end": "nonsense"},
                      {"x": [1.0]}, {"duration": 1e300}, {"sign": [0.5]}, {"turns": []}):
            spoiled = json.loads(file.read_text(encoding="utf-8"))
            spoiled["special"][0]["orbit"]["segments"][0].update(spoil)
            bad = self.folder / "bad.json"
            bad.write_text(json.dumps(spoiled), encoding="utf-8")
            run = subprocess.run([SALTUS, "continue", table, "--vary", "A=0.36:1.2", "--from", str(bad), "--point", label],
                                 capture_output=True, text=True, timeout=20, check=False)
            self.assertEqual(run.returncode, 4, (spoil, run.stderr))
            self.assertIn("at special[0].orbit", run.stderr)
        spoiled = json.loads(file.read_text(encoding="utf-8"))
        for point in spoiled["points"]:
            point["returns"] = 10**9
        bad.write_text(json.dumps(spoiled), encoding="utf-8")
        run = subprocess.run([SALTUS, "continue", table, "--vary", "A=0.36:1.2", "--from", str(bad), "--point", "1"],
                             capture_output=True, text=True, timeout=20, check=False)
        self.assertEqual(run.returncode, 4, run.stderr)

    def test_transient_that_is_no_length_is_refused(self):
        for text in ("nan", "inf", "-1"):
            run = subprocess.run([SALTUS, "continue", self.model(SUBSTRATE), "--vary", "rho=3:5", f"--transient={text}"],
                                 capture_output=True, text=True, timeout=20, check=False)
            self.assertEqual(run.returncode, 2)
            self.assertIn("is no length" if text == "-1" else "is no value for option '--transient'", run.stderr)


if __name__ == "__main__":
    unittest.main()
