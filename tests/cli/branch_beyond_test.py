"""Where branches of `saltus continue` go on behind special points, and where they do not."""
import csv
import json
import math
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SALTUS = os.environ["SALTUS"]

# Relay feedback of di Bernardo, Johansson & Vasca 2001: odd, so that slides along x1 = 0 vanish two by two.
RELAY = """[parameters]
zeta = 0.05
om = 25.0
lam = 1.0
rho = 1.0
[define]
u = "-sign(x1)"
[mechanics]
states = ["x1", "x2", "x3"]
rates = ["-(2*zeta*om + lam)*x1 + x2 + u", "-(2*zeta*om*lam + om^2)*x1 + x3 - 2*rho*u", "-lam*om^2*x1 + rho^2*u"]
[section]
surface = "x3"
direction = "up"
[initial]
x1 = 0.05
x2 = 0.1
x3 = 0.2
"""
# Galvanetto & Bishop: two blocks on a belt, friction that falls with the speed.
BLOCKS = """[parameters]
V = 0.1
gam = 3.0
beta = 1.3
[define]
r1 = "x1' - V"
r2 = "x2' - V"
[mechanics]
coordinates = ["x1", "x2"]
mass = [["1", "0"], ["0", "1"]]
force = ["-x1 - 1.2*(x1 - x2) - sign(r1)/(1 + gam*abs(r1))", "-x2 - 1.2*(x2 - x1) - beta*sign(r2)/(1 + gam*abs(r2))"]
[section]
surface = "x1'"
direction = "down"
[initial]
x1 = 0.2
x2 = 0.3
"x1'" = 0.1
"x2'" = 0.1
"""
# Budd & Dux 1994: a mass that chatters to rest on its stop each period.
CHATTER = """[parameters]
w = 0.4
r = 0.3
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["-x + cos(w*t)"]
[[contact]]
name = "stop"
gap = "-x"
restitution = "r"
[forcing]
period = "2*pi/w"
[initial]
x = -0.5
"""
# Chatter that comes to rest only in a narrow band of frequencies.
BAND = """[parameters]
omega = 3
[mechanics]
coordinates = ["x"]
mass  = [["1"]]
force = ["cos(omega*t) - x - 0.1*x'"]
[[contact]]
name = "stop"
gap  = "-x"
restitution = "0.5"
[forcing]
period = "2*pi/omega"
[initial]
x = -0.2
"""
# Masri & Caughey 1966: an oscillator with a loose ball.
DAMPER = """[parameters]
zeta = 0.02
e = 0.7
Om = 1.0
F = 0.2
[mechanics]
coordinates = ["x", "y"]
mass = [["1", "0"], ["0", "0.1"]]
force = ["-x - 2*zeta*x' + F*sin(Om*t)", "0"]
[[contact]]
name = "right"
gap = "2 - (y - x)"
restitution = "e"
[[contact]]
name = "left"
gap = "2 + (y - x)"
restitution = "e"
[forcing]
period = "2*pi/Om"
[initial]
y = 0.5
"""
# x follows a pulse of height 1 that lasts the part D of each period; it switches where the motion is cut.
PULSE = """[parameters]
D = 0.4
k = {k}
[mechanics]
states = ["x"]
rates = ["k*(if(mod(t, 1) < D, 1, 0) - x)"]
[forcing]
period = "1"
"""
# The stiff boost converter of the QSS solver: currents decay with 1e9 per second through what is switched off.
CONVERTER = """[parameters]
DC = 0.4
[define]
Rs = "if(mod(t, 1e-4) < DC*1e-4, 1e-5, 1e5)"
Rd = "if(Rs*iL - uC > 0, 1e-5, 1e5)"
iD = "(Rs*iL - uC)/(Rd + Rs)"
[mechanics]
states = ["uC", "iL"]
rates = ["(iD - uC/10)/1e-4", "(24 - Rs*(iL - iD))/1e-4"]
[forcing]
period = "1e-4"
"""
# A particle on a shaken, tilted plane: it drifts.
CONVEYOR = """[parameters]
mu = 0.3
a = 8.0
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["-9.81*sin(0.1) - mu*9.81*cos(0.1)*sign(x' - a/10*sin(10*t))"]
[forcing]
period = "2*pi/10"
"""


def multipliers(point):
    return [complex(mu["re"], mu["im"]) for mu in point["multipliers"]]


def product(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(4)) for j in range(4)] for i in range(4)]


def exponential(a, t):
    """By its series, scaled by a power of two."""
    size = max(sum(abs(v) for v in row) for row in a) * abs(t)
    halvings = max(0, math.ceil(math.log2(size + 1e-300)) + 3)
    part = [[v * t / 2**halvings for v in row] for row in a]
    unit = [[float(i == j) for j in range(4)] for i in range(4)]
    total, term = unit, unit
    for k in range(1, 16):
        term = [[v / k for v in row] for row in product(term, part)]
        total = [[x + y for x, y in zip(r, s)] for r, s in zip(total, term)]
    for _ in range(halvings):
        total = product(total, total)
    return total


class RelayByExponentials:
    """The motion of RELAY by exponentials of its three linear fields: on both sides of x1 = 0, and along it where u = -x2."""
    STEP = 1e-3

    def __init__(self, zeta, om=25.0):
        a = [[-(2 * zeta * om + 1), 1, 0], [-(2 * zeta * om + om * om), 0, 1], [-om * om, 0, 0]]
        b = [1, -2, 1]
        self.fields = {u: [row + [u * v] for row, v in zip(a, b)] + [[0] * 4] for u in (-1, 1)}
        self.fields[0] = [[0] * 4, [0, 2, 1, 0], [0, -1, 0, 0], [0] * 4]
        self.steps = {u: exponential(field, self.STEP) for u, field in self.fields.items()}

    @staticmethod
    def applied(matrix, z):
        return [sum(m * v for m, v in zip(row, z)) for row in matrix]

    @staticmethod
    def is_over(u, z):
        return abs(z[1]) > 1 if u == 0 else z[0] * u > 0

    def over(self, x, T):
        """The state after T, and how many slides began."""
        z = [*x, 1.0]
        u = -1 if z[0] > 0 else 1
        slides = 0
        while T > 0:
            step = min(self.STEP, T)
            further = self.applied(self.steps[u] if step == self.STEP else exponential(self.fields[u], step), z)
            if not self.is_over(u, further):
                z, T = further, T - step
                continue
            low, high = 0.0, step
            for _ in range(50):
                middle = 0.5 * (low + high)
                if self.is_over(u, self.applied(exponential(self.fields[u], middle), z)):
                    high = middle
                else:
                    low = middle
            z, T = self.applied(exponential(self.fields[u], high), z), T - high
            z[0] = 0.0
            slides += u != 0 and abs(z[1]) < 1
            # From the edge of a slide the flight begins without speed: a moment later it is off the surface.
            u = (0 if abs(z[1]) < 1 else -u) if u else -int(math.copysign(1, z[1]))
            z, T = self.applied(exponential(self.fields[u], 1e-9), z), T - 1e-9
        return z[:3], slides


class BranchBeyond(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def branch(self, text, *arguments, code=0):
        path = self.folder / "model.toml"
        path.write_text(text, encoding="utf-8")
        run = subprocess.run([SALTUS, "continue", str(path), *arguments, "--json"], capture_output=True, text=True,
                             timeout=100, check=False)
        self.assertEqual(run.returncode, code, run.stderr)
        return json.loads(run.stdout)

    def strobed(self, text, *arguments):
        """x at the strobes of a motion."""
        path = self.folder / "model.toml"
        path.write_text(text, encoding="utf-8")
        run = subprocess.run([SALTUS, "section", str(path), *arguments, "--quiet"], capture_output=True, text=True,
                             timeout=100, check=True)
        return [float(row["x"]) for row in csv.DictReader(run.stdout.splitlines())]

    def assert_gone_over_once(self, branch):
        """No special point twice, and no orbit."""
        seen = set()
        for point in branch["points"]:
            key = (round(point["p"], 8), round(point["period"], 7), *(round(v, 6) for v in point["x"]))
            self.assertNotIn(key, seen)
            seen.add(key)

    def test_relay_loses_its_slides_two_by_two_and_each_orbit_returns_by_exponentials(self):
        branch = self.branch(RELAY, "--transient", "50", "--vary", "zeta=0:0.1")
        values = [point["p"] for point in branch["points"]]
        self.assertEqual(values, sorted(values))
        self.assertEqual([values[0], values[-1]], [0, 0.1])
        self.assertEqual({s["passage"] for s in branch["special"]}, {"persists"})
        self.assertEqual([s["kind"] for s in branch["special"]], ["SL"] + 6 * ["GR"])
        for sequence in branch["sequences"]:
            inside = [point for point in branch["points"] if point["sequence"] == sequence and not point["label"]]
            point = inside[len(inside) // 2]
            x, slides = RelayByExponentials(point["p"]).over(point["x"], point["period"])
            self.assertEqual(slides, sequence.count("slide("), point["p"])
            self.assertLess(max(abs(a - b) for a, b in zip(x, point["x"])), 1e-6, point["p"])
        self.assertAlmostEqual(branch["points"][-1]["period"], 5.9726794862, 8)
        self.assertEqual(branch["points"][-1]["sequence"].count("slide("), 2)

    def test_branch_that_was_lost_at_a_grazing_is_the_one_that_is_found_from_beyond(self):
        near = self.branch(RELAY, "--transient", "50", "--vary", "rho=0.65:1.01")
        far = self.branch(RELAY, "--transient", "50", "--set", "rho=0.66", "--vary", "rho=0.65:0.7")
        self.assertEqual([end["reason"] for end in near["ends"]], ["bound", "bound"])
        self.assertAlmostEqual(near["points"][0]["period"], far["points"][0]["period"], 9)

    def test_unstable_orbit_that_touches_a_switch_is_not_followed_by_the_stable_one_of_another_branch(self):
        branch = self.branch(BLOCKS, "--transient", "300", "--vary", "beta=1.2:1.395")
        self.assert_gone_over_once(branch)
        points = branch["points"]
        at = next(i for i, point in enumerate(points) if point["label"] == "GR1")
        self.assertAlmostEqual(points[at]["p"], 1.339592374, 8)
        beyond = points[at + 1]
        # The stable orbit of period 17.7 at the same value belongs to the part of the branch that was passed before.
        self.assertLess(abs(beyond["period"] - points[at]["period"]), 0.1)
        self.assertLess(max(abs(a - b) for a, b in zip(beyond["x"], points[at]["x"])), 0.05)

    def test_impact_at_a_triple_zero_of_its_gap_is_passed(self):
        # Behind the release the gap is (sin ws - w sin s)/(1 - w²): at w = 1/3 it is 4/3 sin³(s/3)/(1 - w²).
        branch = self.branch(CHATTER, "--transient", "5", "--vary", "w=0.25:0.5", "--observe", "min(x)")
        self.assertEqual([end["reason"] for end in branch["ends"]], ["bound", "bound"])
        [special] = branch["special"]
        self.assertEqual(special["kind"], "GR")
        self.assertAlmostEqual(special["p"], 1 / 3, 9)
        self.assertIn("of higher order", special["note"])
        values = [point["p"] for point in branch["points"]]
        self.assertEqual(values, sorted(values))
        # The gap is widest where cos ws = cos s, before the first impact: s = 2π/(1 + w).
        for point in branch["points"]:
            w = point["p"]
            s = 2 * math.pi / (1 + w)
            self.assertAlmostEqual(point["observed"][0], -(math.sin(w * s) - w * math.sin(s)) / (1 - w * w), 8)

    def test_chatter_that_no_longer_ends_is_named_on_both_sides(self):
        branch = self.branch(BAND, "--transient", "200", "--vary", "omega=2.9:3.4")
        self.assertEqual([s["kind"] for s in branch["special"]], ["SL", "GR", "SL"])
        self.assertEqual([end["reason"] for end in branch["ends"]], ["special", "special"])
        for end in branch["ends"]:
            self.assertIn("no longer come to an end", end["words"])
        # The motion itself repeats after six periods on this side of both, and no longer on the other.
        low, high = branch["special"][0]["p"], branch["special"][-1]["p"]
        self.assertEqual({point["returns"] for point in branch["points"]}, {6})
        for omega, repeats in ((low + 2e-7, True), (low - 2e-7, False), (high - 2e-7, True), (high + 2e-7, False)):
            x = self.strobed(BAND, "--set", f"omega={omega!r}", "--transient", "300", "--periods", "300")
            self.assertEqual(max(abs(a - b) for a, b in zip(x, x[6:])) < 1e-8, repeats, omega)

    def test_curve_of_tori_ends_where_its_pair_becomes_real(self):
        file = str(self.folder / "damper.json")
        self.branch(DAMPER, "--transient", "200", "--vary", "Om=0.8:1.2", "--out", file)
        curve = self.branch(DAMPER, "--from", file, "--vary", "Om=0.8:1.2", "--vary", "F=0.05:0.4", "--point", "NS1")
        resonant = [k for k, end in enumerate(curve["ends"]) if "1:1 resonance" in (end["words"] or "")]
        self.assertEqual(resonant, [0])
        self.assertLess(min(abs(mu - 1) for mu in multipliers(curve["points"][0])), 1e-2)
        self.assertGreater(len(curve["points"]), 10)
        for point in curve["points"][1:]:
            Om, _ = point["p"]
            mu = multipliers(point)
            self.assertLess(min(abs(abs(m) - 1) for m in mu if abs(m.imag) > 1e-7), 1e-7)
            # Two impacts take e² each from the volume, damping the rest.
            volume = abs(math.prod(mu))
            self.assertAlmostEqual(volume / (0.7**4 * math.exp(-0.04 * 2 * math.pi / Om)), 1.0, 7)

    def test_switches_of_the_clock_may_fall_on_the_cut_and_on_each_other(self):
        for k in (1.0, 1e3):
            branch = self.branch(PULSE.format(k=k), "--vary", "D=0.2:0.8")
            self.assertEqual([end["reason"] for end in branch["ends"]], ["bound", "bound"], k)
            self.assertAlmostEqual(branch["points"][0]["p"], 0.2)
            self.assertAlmostEqual(branch["points"][-1]["p"], 0.8)
            for point in branch["points"]:
                truth = (math.exp(-k * (1 - point["p"])) - math.exp(-k)) / -math.expm1(-k)
                self.assertAlmostEqual(point["x"][0], truth, 9)

    def test_switches_meet_also_where_no_motion_can_be_followed_backwards(self):
        branch = self.branch(CONVERTER, "--transient", "300", "--vary", "DC=0.35:0.65")
        self.assertEqual([end["reason"] for end in branch["ends"]], ["bound", "bound"])
        # At DC = 0.5 the end of the pulse coincides with the place half way between whole numbers at which mod is watched: nothing happens there.
        self.assertEqual(branch["special"], [])
        self.assertTrue(any(point["p"] < 0.5 for point in branch["points"]) and any(point["p"] > 0.5 for point in branch["points"]))
        for point in branch["points"]:
            # Over a period the inductor's voltage is zero in the mean: uC ≈ U/(1 - DC), but for the ripple of its half.
            self.assertLess(abs(point["x"][0] * (1 - point["p"]) / 24 - 1), 0.15)

    def test_switches_that_always_meet_are_one_event(self):
        branch = self.branch(PULSE.format(k=1.0), "--set", "D=0.5", "--vary", "k=0.5:2")
        self.assertEqual([end["reason"] for end in branch["ends"]], ["bound", "bound"])
        for point in branch["points"]:
            k = point["p"]
            self.assertAlmostEqual(point["x"][0], (math.exp(-k / 2) - math.exp(-k)) / -math.expm1(-k), 9)

    def test_a_switch_that_is_left_without_speed_is_no_touched_switch(self):
        """One way of the steps labelled it GR: to the last digits the orbit beyond the switch touches it there, too."""
        capsule = Path(__file__).resolve().parents[1] / "truths/models/capsule_without_drift.toml"
        words = ["--vary", "omega=0.7:0.9", "--set", "omega=0.8", "--step", "0.095", "--rtol", "3.16e-13"]
        branch = self.branch(capsule.read_text(encoding="utf-8"), *words)
        there = [(s["kind"], s["passage"]) for s in branch["special"] if abs(s["p"] - 0.86858229372) < 1e-9]
        self.assertEqual(there, [("SL", "persists")])

    def test_curve_of_drifting_orbits_begins_at_its_stored_point(self):
        file = str(self.folder / "conveyor.json")
        branch = self.branch(CONVEYOR, "--transient", "20", "--vary", "mu=0.102:0.6", "--out", file)
        special = [s for s in branch["special"] if s["kind"] == "SL"]
        curve = self.branch(CONVEYOR, "--from", file, "--vary", "mu=0.102:0.6", "--vary", "a=6:10", "--point",
                            special[0]["label"])
        self.assertGreater(len(curve["points"]), 3)
        # A branch at the end of the curve, begun beside it, meets the same point.
        mu, a = curve["points"][0]["p"]
        again = self.branch(CONVEYOR, "--transient", "20", "--set", f"a={a!r}", "--set", f"mu={mu * 1.05!r}", "--vary",
                            f"mu={mu * 0.99!r}:{mu * 1.06!r}")
        self.assertLess(min(abs(s["p"] - mu) for s in again["special"]), 1e-7)


if __name__ == "__main__":
    unittest.main()
