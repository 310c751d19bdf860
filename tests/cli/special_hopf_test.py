"""Curves in two parameters that end because their orbits shrink into an equilibrium: normal forms in curved coordinates, ends in closed form."""
import math
import unittest

from branch_runs import BranchRuns, saltus


def model(parameters, rates, start):
    """ξ' = …, η' = …, ζ' = … in the coordinates x = ξ, y = η + 0.3 ξ², z = ζ + 0.2 ξ + 0.1 η²."""
    values = "\n".join(f"{name} = {value}" for name, value in parameters.items())
    xi, eta, zeta = rates
    x, y, z = start[0], start[1] + 0.3 * start[0] ** 2, start[2] + 0.2 * start[0] + 0.1 * start[1] ** 2
    return f"""[parameters]
{values}
[define]
eta = "y - 0.3*x^2"
zeta = "z - 0.2*x - 0.1*eta^2"
r2 = "x^2 + eta^2"
xi_rate = "{xi}"
eta_rate = "{eta}"
zeta_rate = "{zeta}"
[mechanics]
states = ["x", "y", "z"]
rates = ["xi_rate", "eta_rate + 0.6*x*xi_rate", "zeta_rate + 0.2*xi_rate + 0.2*eta*eta_rate"]
[section]
surface = "eta"
direction = "up"
[initial]
x = {x!r}
y = {y!r}
z = {z!r}
"""


def turning(growth, frequency="1"):
    return [f"x*({growth}) - ({frequency})*eta", f"eta*({growth}) + ({frequency})*x"]


# r' = r (α + β r² − r⁴): folds at α = −β²/4 with r² = β/2, which shrink at α = β = 0.
BAUTIN = model({"alpha": -0.1, "beta": 0.8}, [*turning("alpha + beta*r2 - r2^2"), "-zeta + 0.3*r2"], (0.8, 0, 0.2))
# r' = r (ν − ζ), ζ' = μ + ζ² + r² − ζ³: the orbits with ζ = ν become a torus at 2ν = 3ν², so at ν = 0 with r² = −μ.
ZERO_HOPF = model({"nu": -0.1, "mu": -0.25}, [*turning("nu - zeta - 0.5*zeta^2"), "mu + zeta^2 + r2 - zeta^3"], (0.5, 0, -0.1))
# The orbits with r² = q cross others with ζ² = p − q/2.
FORK = model({"p": -0.1, "q": 0.5}, [*turning("q - r2"), "zeta*(p - 0.5*q - zeta^2)"], (math.sqrt(0.5), 0, 0))
# The frequency 1 + s + r², so that orbits of the period 2π/1.5 have r² = p = 0.5 − s.
LASTING = model({"p": 0.3, "s": 0.2}, [*turning("p - r2", "1 + s + r2"), "-zeta"], (math.sqrt(0.3), 0, 0))
# r' = r (p − r²), and ρ' = ρ (q − r²/2 − ρ²) that turns with 0.38: a torus at q = p/2, where the orbits r² = p shrink at p = q = 0.
DOUBLE = """[parameters]
p = 0.3
q = 0.1
[define]
b = "y - 0.3*x^2"
d = "w - 0.2*x*u"
r2 = "x^2 + b^2"
s2 = "u^2 + d^2"
g = "p - r2 - 0.3*s2"
h = "q - 0.5*r2 - s2"
x_rate = "x*g - b"
u_rate = "u*h - 0.38*d"
[mechanics]
states = ["x", "y", "u", "w"]
rates = ["x_rate", "b*g + x + 0.6*x*x_rate", "u_rate", "d*h + 0.38*u + 0.2*(x_rate*u + x*u_rate)"]
[section]
surface = "b"
direction = "up"
[initial]
x = 0.5477
y = 0.09
"""


class SpecialHopf(BranchRuns):
    def curve(self, text, *words, code=0):
        path = self.folder / "model.toml"
        path.write_text(text)
        return self.branch(path, "--transient", 0, "--period", 1, *words, code=code)

    def assert_shrinks(self, result, kind, place, frequency, delta=1e-8, of_state=1e-9):
        """It ends in this kind on one side, named and located on the equilibrium, and at a bound on the other."""
        self.assertEqual(sorted(e["reason"] for e in result["ends"]), ["bound", "hopf"], result["ends"])
        [end] = [e for e in result["ends"] if e["reason"] == "hopf"]
        self.assertAlmostEqual(end["frequency"], frequency, delta=delta)
        [special] = [s for s in result["special"] if s["kind"] == kind]
        self.assertEqual(special["label"], kind + "1")
        self.assertEqual(special["stability"], "neutral")
        for found, wanted in zip(special["p"], place):
            self.assertAlmostEqual(found, wanted, delta=delta)
        for component in special["x"]:
            self.assertAlmostEqual(component, 0, delta=of_state)
        self.assertIn(special["point"], (1, len(result["points"])))
        self.assertLess(len(result["points"]), 120)
        return special

    def test_folds_end_where_the_cubic_coefficient_of_the_hopf_bifurcation_vanishes(self):
        result = self.curve(BAUTIN, "--vary", "alpha=-0.3:0.2", "--vary", "beta=-0.2:1", "--point", "LP1")
        special = self.assert_shrinks(result, "GH", (0, 0), 1)
        self.assertEqual([s["kind"] for s in result["special"]], ["GH"])
        self.assertAlmostEqual(min(m["log_abs"] for m in special["multipliers"]), -2 * math.pi, delta=1e-8)
        for point in result["points"]:
            alpha, beta = point["p"]
            self.assertAlmostEqual(alpha, -beta * beta / 4, delta=1e-9)

    def test_tori_end_where_an_eigenvalue_of_the_hopf_point_vanishes(self):
        result = self.curve(ZERO_HOPF, "--vary", "nu=-0.3:0.3", "--vary", "mu=-0.5:0.2", "--point", "NS1")
        self.assert_shrinks(result, "ZH", (0, 0), 1)

    def test_branch_points_end_where_an_eigenvalue_of_the_hopf_point_vanishes(self):
        result = self.curve(FORK, "--vary", "p=-0.4:0.6", "--vary", "q=-0.2:1", "--point", "BP1")
        # The equilibria fork there: across the old one the state is a triple root.
        self.assert_shrinks(result, "ZH", (0, 0), 1, of_state=1e-6)

    def test_tori_end_where_a_second_pair_comes_to_the_imaginary_axis(self):
        result = self.curve(DOUBLE, "--vary", "q=-0.2:0.4", "--vary", "p=-0.2:0.6", "--point", "NS1")
        special = self.assert_shrinks(result, "HH", (0, 0), 1)
        self.assertTrue(any(abs(m["re"] - math.cos(0.76 * math.pi)) < 1e-8 for m in special["multipliers"]))

    def test_orbits_of_one_period_end_in_the_hopf_point_of_that_frequency(self):
        result = self.curve(LASTING, "--vary", "p=-0.1:0.4", "--vary", "s=0.15:0.7", "--fix", "period")
        self.assert_shrinks(result, "HB", (0, 0.5), 1.5)

    def test_curves_of_equilibria_and_of_nothing_are_refused_in_words(self):
        path = self.folder / "model.toml"
        path.write_text(LASTING)
        stored = self.folder / "branch.json"
        first = self.branch(path, "--transient", 0, "--period", 1, "--vary", "p=-0.1:0.4", "--at", "p=0.2", "--out", stored)
        self.assertEqual([s["label"] for s in first["special"]], ["HB1", "UZ1"])
        begun = ["--transient", "0", "--period", "1"]
        for start, point, why in ((begun, "HB1", "HB1 is an equilibrium, no orbit: its curve is not followed"),
                                  (["--from", stored], "HB1", "HB1 is an equilibrium, no orbit"),
                                  (["--from", stored], "UZ1", "nothing is special at UZ1: no curve begins there")):
            done = saltus(path, *start, "--vary", "p=-0.1:0.4", "--vary", "s=0.1:0.7", "--point", point)
            self.assertEqual((done.returncode, why in done.stderr), (2, True), done.stderr)


if __name__ == "__main__":
    unittest.main()
