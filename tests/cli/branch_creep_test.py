"""Curves that crept, or ended, where disturbances grow much within an orbit: they go on to their ends, held against computations of their own."""
import unittest

import numpy as np
from mpmath import mp
from scipy.integrate import solve_ivp

from branch_runs import ROOT, BranchRuns

PLP = ROOT / "tests/truths/models/auto_plp.toml"
S0, A0, KAPPA = 110.0, 500.0, 0.1


def plp(p, x):
    rho, alpha = p
    R = rho * x[0] * x[1] / (1 + x[0] + KAPPA * x[0] ** 2)
    return [S0 - x[0] - R, alpha * (A0 - x[1]) - R]


def plp_divergence(p, x):
    rho, alpha = p
    below = 1 + x[0] + KAPPA * x[0] ** 2
    return -1 - rho * x[1] * (1 - KAPPA * x[0] ** 2) / below ** 2 - alpha - rho * x[0] / below


def first_coefficient(p, x):
    """Kuznetsov's first Lyapunov coefficient of a planar equilibrium, up to a positive factor, by derivatives with 40 digits."""
    d = lambda i, n: mp.diff(lambda s, a: plp(p, [s, a])[i], tuple(x), n)
    J = mp.matrix([[d(i, (1, 0)), d(i, (0, 1))] for i in (0, 1)])
    omega = mp.sqrt(J[0, 0] * J[1, 1] - J[0, 1] * J[1, 0])
    q = mp.matrix([J[0, 1], mp.mpc(0, omega) - J[0, 0]])
    r = mp.matrix([J[1, 0], mp.mpc(0, -omega) - J[0, 0]])
    r = r / mp.conj(sum(mp.conj(r[k]) * q[k] for k in (0, 1)))  # <r, q> = 1
    second = [[[d(i, ((j, k).count(0), (j, k).count(1))) for k in (0, 1)] for j in (0, 1)] for i in (0, 1)]
    third = [[[[d(i, ((j, k, l).count(0), (j, k, l).count(1))) for l in (0, 1)] for k in (0, 1)] for j in (0, 1)] for i in (0, 1)]
    B = lambda a, b: mp.matrix([sum(second[i][j][k] * a[j] * b[k] for j in (0, 1) for k in (0, 1)) for i in (0, 1)])
    C = lambda a, b, c: mp.matrix([sum(third[i][j][k][l] * a[j] * b[k] * c[l] for j in (0, 1) for k in (0, 1) for l in (0, 1)) for i in (0, 1)])
    dot = lambda a, b: sum(mp.conj(a[k]) * b[k] for k in (0, 1))
    qc = q.apply(mp.conj)
    two = mp.mpc(0, 2 * omega) * mp.eye(2) - J
    return mp.re(dot(r, C(q, q, qc)) - 2 * dot(r, B(q, mp.lu_solve(J, B(q, qc)))) + dot(r, B(qc, mp.lu_solve(two, B(q, q))))) / (2 * omega)


def bautin(guess):
    """(rho, alpha) of the Hopf point with a vanishing coefficient near a guess (rho, alpha, S, A)."""
    def equations(rho, alpha, s, a):
        f = plp((rho, alpha), (s, a))
        return [f[0], f[1], plp_divergence((rho, alpha), (s, a)), first_coefficient((rho, alpha), (s, a))]
    mp.dps = 40
    return mp.findroot(equations, guess, tol=1e-20)


class CreepingCurves(BranchRuns):
    def test_folds_in_two_parameters_go_on_from_a_bound_to_a_generalised_hopf_point(self):
        # Of the relaxing orbits a disturbance grows by 1e5 within a period: in one segment the curve took 2,000 steps of 1e-5 there.
        branch = self.folder / "branch.json"
        self.branch(PLP, "--vary", "rho=2.5:5.5", "--transient", "200", "--out", branch)
        curve = self.branch(PLP, "--vary", "rho=2:10", "--vary", "alpha=0.05:0.5", "--from", branch, "--point", "LP1")
        self.assertEqual({end["reason"] for end in curve["ends"]}, {"hopf", "bound"})
        self.assertLess(len(curve["points"]), 300)
        [special] = curve["special"]
        x = special["x"]
        found = bautin((special["p"][0], special["p"][1], x[0], x[1]))
        self.assertEqual(special["kind"], "GH")
        self.assertAlmostEqual(special["p"][0], float(found[0]), delta=1e-8)
        self.assertAlmostEqual(special["p"][1], float(found[1]), delta=1e-9)
        # A fold: the orbit closes, and the divergence sums up to 0 over it.
        for point in curve["points"][::5]:
            if point["label"] != "LP1":
                continue
            run = solve_ivp(lambda t, z, p=point["p"]: [*plp(p, z), plp_divergence(p, z)], (0, point["period"]), [*point["x"], 0.0],
                            method="DOP853", rtol=1e-12, atol=1e-12)
            np.testing.assert_allclose(run.y[:2, -1], point["x"], rtol=0, atol=1e-6)
            self.assertAlmostEqual(run.y[2, -1], 0, delta=1e-6)


if __name__ == "__main__":
    unittest.main()
