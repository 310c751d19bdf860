"""Points of codimension two on curves of special orbits, against models whose return map is known.

A model ξ' = f(ξ, η), η' = g(ξ, η) stands in the frame a = cos t + ξ, b = sin t + η + 0.4 ξ², forced with the period 2π: its equilibria are orbits of the
forced system, an eigenvalue λ is a multiplier exp(2πλ), and the second derivatives of the frame take part in every normal form.
"""
import json
import math
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SALTUS = os.environ["SALTUS"]


def framed(parameters, xi_rate, eta_rate, more=()):
    names = ", ".join(f'"{name}"' for name in ["a", "b", *[n for n, _ in more]])
    extra = "".join(f', "{rate}"' for _, rate in more)
    values = "\n".join(f"{k} = {v}" for k, v in parameters.items())
    return f"""[parameters]
{values}
[define]
xi = "a - cos(t)"
eta = "b - sin(t) - 0.4*xi^2"
xi_rate = "{xi_rate}"
eta_rate = "{eta_rate}"
[mechanics]
states = [{names}]
rates = ["xi_rate - sin(t)", "eta_rate + cos(t) + 0.8*xi*xi_rate"{extra}]
[forcing]
period = "2*pi"
"""


# z = ξ + iη turns with ω: z' = (α + iω) z + β z |z|² − z |z|⁴, the multipliers are exp(2π(α ± iω)).
TORUS = framed({"alpha": -0.01, "omega": 0.3, "beta": -0.5},
               "alpha*xi - omega*eta + (beta - xi^2 - eta^2)*(xi^2 + eta^2)*xi",
               "alpha*eta + omega*xi + (beta - xi^2 - eta^2)*(xi^2 + eta^2)*eta")


def reversed_frame(parameters, xi_rate, eta_rate):
    """Turned by t/2 besides, the plane comes back reversed after 2π: the multipliers are −exp(2πλ). The rates are odd."""
    c, s = "cos(t/2)", "sin(t/2)"
    values = "\n".join(f"{k} = {v}" for k, v in parameters.items())
    return f"""[parameters]
{values}
[define]
u = "a - cos(t)"
v = "b - sin(t) - 0.4*u^2"
xi = "u*{c} + v*{s}"
eta = "v*{c} - u*{s}"
xi_rate = "{xi_rate}"
eta_rate = "{eta_rate}"
u_rate = "xi_rate*{c} - eta_rate*{s} - v/2"
v_rate = "xi_rate*{s} + eta_rate*{c} + u/2"
[mechanics]
states = ["a", "b"]
rates = ["u_rate - sin(t)", "v_rate + cos(t) + 0.8*u*u_rate"]
[forcing]
period = "2*pi"
"""


# A doubling at alpha = 0, above or below it by the sign of beta.
FLIP = reversed_frame({"alpha": -0.01, "beta": -0.5}, "alpha*xi + beta*xi^3 - xi^5 + eta", "-0.2*eta")
# λ² = κ λ + ε: a doubling at ε = 0, a torus at κ = 0 below it, with the multipliers −exp(±2πi sqrt(−ε)).
DOUBLE_FLIP = reversed_frame({"eps": -0.01, "kappa": -0.05}, "eta", "eps*xi + kappa*eta - xi^3 - xi^2*eta")
# Bogdanov and Takens: a fold at p = 0, a torus at q = sqrt(−p) = s with the frequency sqrt(2 s), which ends in 0, 0.
TAKENS = framed({"p": -0.008, "q": 0.03}, "eta", "p + q*eta + xi^2 + xi*eta")
# A cusp at p = r = 0; the folds are p = ∓2 (r/3)^1.5.
CUSP = framed({"p": 0.05, "r": 0.3}, "p + r*xi - xi^3", "-0.3*eta + 0.2*xi")


def turning(growth, turns, name="c"):
    """Two more states that turn by `turns` a period: the multipliers exp(2π(growth ± i turns)). At half a turn −1 in one direction, less in the other."""
    u, v = name + "1", name + "2"
    if turns == 0.5:
        xi, eta = f"({u}*cos(t/2) + {v}*sin(t/2))", f"({v}*cos(t/2) - {u}*sin(t/2))"
        xi_rate, eta_rate = f"(({growth})*{xi} - {xi}^3)", f"(-0.3*{eta})"
        return [(u, f"{xi_rate}*cos(t/2) - {eta_rate}*sin(t/2) - {v}/2"), (v, f"{xi_rate}*sin(t/2) + {eta_rate}*cos(t/2) + {u}/2")]
    size = f"({u}^2 + {v}^2)"
    return [(u, f"({growth})*{u} - {turns}*{v} - {u}*{size}"), (v, f"({growth})*{v} + {turns}*{u} - {v}*{size}")]


# Folds at p = ∓2 (r/3)^1.5, and beside them, untouched, a doubling or a torus at r = 0.2.
FOLDS = ({"p": 0.0, "r": 0.3}, "p + r*xi - xi^3", "-0.4*eta + 0.2*xi")
FOLD_AT = 2 * (0.2 / 3) ** 1.5
FOLD_AND_FLIP = framed(*FOLDS, turning("0.1*(r - 0.2)", 0.5))
FOLD_AND_TORUS = framed(*FOLDS, turning("0.1*(r - 0.2)", 0.23))
# A doubling at alpha = 0, a torus at beta = 0.
FLIP_AND_TORUS = framed({"alpha": -0.01, "beta": -0.02}, "-0.35*xi", "-0.4*eta", turning("alpha", 0.5) + turning("beta", 0.23, "d"))
# A forced oscillator that reaches its stop at s = 1/sqrt(9.01), and beside it one that folds at p = −2/27^0.5, doubles or becomes a torus at p = 0.
STOP_AT = 1 / math.sqrt(9.01)


def beside_a_stop(more, parameters):
    names = ", ".join(f'"{name}"' for name, _ in more)
    rates = ", ".join(f'"{rate}"' for _, rate in more)
    values = "\n".join(f"{k} = {v}" for k, v in parameters.items())
    return f"""[parameters]
{values}
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["-4*x - 0.1*x' + cos(t)"]
states = [{names}]
rates = [{rates}]
[[contact]]
name = "stop"
gap = "s - x"
restitution = "0.8"
[forcing]
period = "2*pi"
"""


class Codimension(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_saltus(self, *words, code=0):
        out = Path(self.folder.name) / "out.json"
        done = subprocess.run([SALTUS, "continue", *map(str, words), "--out", out, "--quiet"], capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(out.read_text())

    def curve(self, model, first, second, point, *words):
        path = Path(self.folder.name) / "model.toml"
        path.write_text(model)
        start = ["--transient", 0, "--period", 1] if "--transient" not in words else []
        return self.run_saltus(path, *start, "--vary", first, "--vary", second, "--point", point, *words)

    def places(self, result):
        return [(s["kind"], *s["p"]) for s in result["special"]]

    def assert_places(self, result, wanted, delta=1e-9):
        found = self.places(result)
        self.assertEqual([f[0] for f in found], [w[0] for w in wanted], found)
        for f, w in zip(found, wanted):
            self.assertAlmostEqual(f[1], w[1], delta=delta, msg=found)
            self.assertAlmostEqual(f[2], w[2], delta=delta, msg=found)

    START = ["--set", "a=1", "--set", "b=0"]

    def test_resonances_of_a_torus_lie_at_parts_of_a_turn(self):
        result = self.curve(TORUS, "alpha=-0.1:0.1", "omega=0.05:0.45", "NS1", *self.START)
        self.assert_places(result, [("R4", 0, 0.25), ("R3", 0, 1 / 3)])
        self.assertEqual([e["reason"] for e in result["ends"]], ["bound", "bound"])

    def test_the_cubic_coefficient_of_a_torus_vanishes_where_beta_does(self):
        result = self.curve(TORUS, "alpha=-0.1:0.1", "beta=-1:1", "NS1", *self.START)
        self.assert_places(result, [("CH", 0, 0)])

    def test_the_cubic_coefficient_of_a_doubling_vanishes_where_beta_does(self):
        result = self.curve(FLIP, "alpha=-0.1:0.1", "beta=-1:1", "PD1", *self.START)
        self.assert_places(result, [("GPD", 0, 0)])

    def test_doublings_pass_and_tori_end_in_a_1_2_resonance(self):
        words = ["eps=-0.1:0.1", "kappa=-0.2:0.2"]
        doublings = self.curve(DOUBLE_FLIP, *words, "PD1", *self.START)
        self.assert_places(doublings, [("R2", 0, 0)])
        self.assertEqual([e["reason"] for e in doublings["ends"]], ["bound", "bound"])
        tori = self.curve(DOUBLE_FLIP, "kappa=-0.2:0.2", "eps=-0.1:0.1", "NS1", *self.START)
        self.assert_places(tori, [("R4", 0, -1 / 16), ("R3", 0, -1 / 36), ("R2", 0, 0)])
        self.assertEqual([e["reason"] for e in tori["ends"]], ["bound", "special"])
        self.assertLess(len(tori["points"]), 60)

    def test_folds_pass_and_tori_end_where_bogdanov_and_takens_say(self):
        x = -math.sqrt(0.008)
        start = ["--set", f"a={1 + x!r}", "--set", f"b={0.4 * x * x!r}"]
        words = ["p=-0.01:0.005", "q=-0.05:0.15"]
        folds = self.curve(TAKENS, *words, "LP1", *start)
        self.assert_places(folds, [("R1", 0, 0)])
        self.assertEqual([e["reason"] for e in folds["ends"]], ["bound", "bound"])
        tori = self.curve(TAKENS, *words, "NS1", *start)
        self.assert_places(tori, [("R1", 0, 0), ("R4", -1 / 32 ** 2, 1 / 32), ("R3", -1 / 18 ** 2, 1 / 18)], 1e-9)
        self.assertEqual([e["reason"] for e in tori["ends"]], ["special", "bound"])
        self.assertLess(len(tori["points"]), 60)
        for point in tori["points"]:
            p, q = point["p"]
            self.assertAlmostEqual(q * q, -p, delta=1e-10)

    def test_a_cusp_is_passed(self):
        x = 0.62
        start = ["--set", f"a={1 + x}", "--set", f"b={0.4 * x * x + x / 1.5}"]
        result = self.curve(CUSP, "p=-0.2:0.2", "r=-0.1:0.5", "LP1", *start)
        self.assert_places(result, [("CP", 0, 0)])
        for point in result["points"]:
            p, r = point["p"]
            self.assertAlmostEqual(p * p, 4 * r ** 3 / 27, delta=1e-9)

    def assert_has(self, result, kind, first, second, delta=1e-8):
        """The points of this kind are at ±first, second and nowhere else."""
        found = [place for place in self.places(result) if place[0] == kind]
        self.assertTrue(found, self.places(result))
        for _, p, r in found:
            self.assertAlmostEqual(abs(p), first, delta=delta)
            self.assertAlmostEqual(r, second, delta=delta)

    def test_a_doubling_meets_a_fold_on_either_curve(self):
        start = ["--set", "a=1.6", "--set", "b=0.4"]
        folds = self.curve(FOLD_AND_FLIP, "p=-0.3:0.3", "r=0.05:0.5", "LP1", *start)
        self.assert_has(folds, "FF", FOLD_AT, 0.2)
        doublings = self.curve(FOLD_AND_FLIP, "r=0.05:0.5", "p=-0.3:0.3", "PD1", *start)
        self.assert_has({"special": [{"kind": s["kind"], "p": s["p"][::-1]} for s in doublings["special"]]}, "FF", FOLD_AT, 0.2)

    def test_a_torus_meets_a_fold_on_either_curve(self):
        start = ["--set", "a=1.6", "--set", "b=0.4"]
        folds = self.curve(FOLD_AND_TORUS, "p=-0.3:0.3", "r=0.05:0.5", "LP1", *start)
        self.assert_has(folds, "LPNS", FOLD_AT, 0.2)
        tori = self.curve(FOLD_AND_TORUS, "r=0.05:0.5", "p=-0.3:0.3", "NS1", *start)
        self.assert_has({"special": [{"kind": s["kind"], "p": s["p"][::-1]} for s in tori["special"]]}, "LPNS", FOLD_AT, 0.2)

    def test_a_torus_meets_a_doubling_on_either_curve(self):
        doublings = self.curve(FLIP_AND_TORUS, "alpha=-0.1:0.1", "beta=-0.1:0.1", "PD1", *self.START)
        self.assert_has(doublings, "PDNS", 0, 0)
        tori = self.curve(FLIP_AND_TORUS, "beta=-0.1:0.1", "alpha=-0.1:0.1", "NS1", *self.START)
        self.assert_has(tori, "PDNS", 0, 0)

    def grazings(self, more, start):
        model = beside_a_stop(more, {"s": 0.36, "p": -0.02})
        first = ["--set", f"x={3 / 9.01!r}", "--set", f"x'={0.1 / 9.01!r}", *start]  # x = (3 cos t + 0.1 sin t)/9.01
        return self.curve(model, "s=0.33:0.4", "p=-0.45:0.1", "GR1", *first)

    def test_where_a_grazing_orbit_doubles_folds_or_becomes_a_torus_other_curves_begin(self):
        for more, kind in ((turning("p", 0.5), "PD"), (turning("p", 0.23), "NS")):
            self.assert_has(self.grazings(more, []), kind, STOP_AT, 0)
        folds = self.grazings([("c", "p + c - c^3")], ["--set", "c=1"])
        self.assert_has(folds, "LP", STOP_AT, -2 / math.sqrt(27))


if __name__ == "__main__":
    unittest.main()
