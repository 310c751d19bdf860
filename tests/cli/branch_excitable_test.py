"""Families of orbits of excitable cells, from one Hopf point to the other and over a canard explosion: their folds and ends against closed forms."""
import math
import unittest

from branch_runs import BranchRuns

# Rinzel & Ermentrout 1989, the set of parameters with two Hopf points.
MORRIS_LECAR = """[parameters]
I = 100
[define]
opened = "0.5*(1 + tanh((V + 1.2)/18))"
rest = "0.5*(1 + tanh((V - 2)/30))"
[mechanics]
states = ["V", "w"]
rates = ["(I - 4.4*opened*(V - 120) - 8*w*(V + 84) - 2*(V + 60))/20", "0.04*cosh((V - 2)/60)*(rest - w)"]
[section]
surface = "V"
[initial]
w = 0.1
"""
# In the form of Rinzel and of XPPAUT: two rates are 0/0 at v = 25 and v = 10, which each spike passes twice.
HODGKIN_HUXLEY = """[parameters]
I = 85
[mechanics]
states = ["v", "m", "h", "n"]
rates = ["I - 120*m^3*h*(v - 115) - 36*n^4*(v + 12) - 0.3*(v - 10.613)",
 "(0.1*(25 - v)/(exp((25 - v)/10) - 1))*(1 - m) - 4*exp(-v/18)*m",
 "0.07*exp(-v/20)*(1 - h) - h/(exp((30 - v)/10) + 1)",
 "(0.01*(10 - v)/(exp((10 - v)/10) - 1))*(1 - n) - 0.125*exp(-v/80)*n"]
[section]
surface = "v - 20.0123"
direction = "up"
[initial]
m = 0.05
h = 0.6
n = 0.32
"""
FITZHUGH_NAGUMO = """[parameters]
a = 0.9
[mechanics]
states = ["v", "w"]
rates = ["v - v^3/3 - w", "0.05*(v + a)"]
[section]
surface = "v + a"
[initial]
v = 0.5
"""


def opened(V):
    return 0.5 * (1.0 + math.tanh((V + 1.2) / 18.0))


def rest(V):
    return 0.5 * (1.0 + math.tanh((V - 2.0) / 30.0))


def trace(V):
    """Of the Jacobian at the equilibrium with the potential V."""
    slope = 0.5 / 18.0 / math.cosh((V + 1.2) / 18.0) ** 2
    return -(4.4 * slope * (V - 120.0) + 4.4 * opened(V) + 8.0 * rest(V) + 2.0) / 20.0 - 0.04 * math.cosh((V - 2.0) / 60.0)


def current(V):
    return 4.4 * opened(V) * (V - 120.0) + 8.0 * rest(V) * (V + 84.0) + 2.0 * (V + 60.0)


def hopf_between(low, high):
    """The current at which the trace vanishes, by bisection."""
    for _ in range(100):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if (trace(low) > 0.0) == (trace(middle) > 0.0) else (low, middle)
    return current(low)


class ExcitableCells(BranchRuns):
    def model(self, text):
        path = self.folder / "cell.toml"
        path.write_text(text)
        return path

    def test_the_family_of_morris_and_lecar_ends_in_both_hopf_points_and_is_gone_over_once(self):
        # Small orbits in two segments or more: where they shrink, their starts move faster along the flow than across it, so that the tangents before and
        # behind a change of phase point apart. The branch turned round there, went over itself and was called closed.
        branch = self.branch(self.model(MORRIS_LECAR), "--vary", "I=50:300", "--transient", "3000")
        special = sorted(((s["kind"], s["p"]) for s in branch["special"]), key=lambda each: each[1])
        self.assertEqual([kind for kind, _ in special], ["LP", "HB", "HB", "LP"])
        self.assertAlmostEqual(special[1][1], hopf_between(-30.0, -20.0), delta=1e-9)
        self.assertAlmostEqual(special[2][1], hopf_between(0.0, 15.0), delta=1e-9)
        self.assertEqual([end["reason"] for end in branch["ends"]], ["hopf", "hopf"])

    def test_rates_that_are_nought_over_nought_within_a_spike_stop_no_branch(self):
        # The tangent was rounding there: steps shrank below all digits at v = 25. The period by SciPy's DOP853 with x/expm1(x).
        branch = self.branch(self.model(HODGKIN_HUXLEY), "--vary", "I=84.9:85.1", "--transient", "100", "--direction", "up", "--at", "I=85.003",
                             "--stop", "UZ")
        self.assertEqual([end["reason"] for end in branch["ends"]], ["stopped"])
        self.assertEqual(branch["points"][0]["p"], 85)
        self.assertAlmostEqual(branch["points"][0]["period"], 7.15519872, 7)

    def test_a_canard_explosion_is_no_homoclinic_orbit_the_branch_goes_on_to_its_hopf_point(self):
        # a changes by 1e-9 while the relaxation oscillation becomes small; F = 0 at v = -a, with the trace 1 − a² and the determinant 0.05.
        branch = self.branch(self.model(FITZHUGH_NAGUMO), "--vary", "a=0.5:1.2", "--transient", "1000")
        self.assertEqual([end["reason"] for end in branch["ends"]], ["bound", "hopf"])
        self.assertEqual([s["kind"] for s in branch["special"]], ["HB"])
        self.assertAlmostEqual(branch["special"][0]["p"], 1.0, delta=1e-10)
        self.assertAlmostEqual(branch["special"][0]["period"], 2.0 * math.pi / math.sqrt(0.05), delta=1e-8)


if __name__ == "__main__":
    unittest.main()
