#!/usr/bin/env python3
"""The map of sweep_bench by SciPy: the largest exponent over (q1, omega), one column of the tangent; a few points of it.
Usage: scipy_map.py [POINTS [PERIODS]]. From rest the impacts accumulate, which this program does not know: it starts beside the
attractor of fig3a, and motions with more than 200 impacts in one period are given up and counted."""
import math
import sys
import time

import numpy as np
from scipy.integrate import solve_ivp

import scipy_peer as peer

RTOL = 1e-9
MOST_IMPACTS_PER_PERIOD = 200


def right_side(t, y):
    q, v = y[:3], y[3:6]
    M, N = peer.inertia(q)
    vdot = peer.acceleration(t, q, v, M, N)
    Jq = (M - peer.BETA) * (v * v) - N * vdot
    Jq -= np.diag(Jq.sum(axis=1) + peer.MU * np.cos(q))
    slope = np.linalg.solve(M, Jq @ y[6:9] + (-2 * N * v - peer.C) @ y[9:])
    return np.concatenate((v, vdot, y[9:], slope))


def strike(t, y):
    """The one column in the place of all six."""
    X = np.zeros((6, 6))
    X[:, 0] = y[6:]
    both = peer.strike(t, np.concatenate((y[:6], X.ravel())))
    return np.concatenate((both[:6], both[6:].reshape(6, 6)[:, 0]))


def exponent(q1, omega, periods):
    peer.TORQUE, peer.OMEGA = q1, omega
    period = 2 * math.pi / omega
    y = np.concatenate((peer.START, [1, 0, 0, 0, 0, 0]))
    t, growth = 0.0, 0.0
    for k in range(1, periods + 1):
        impacts = 0
        while t < k * period:
            step = solve_ivp(right_side, (t, k * period), y, method="DOP853", rtol=RTOL, atol=RTOL, events=peer.gap)
            t, y = step.t[-1], step.y[:, -1]
            if step.status == 1:
                impacts += 1
                if impacts > MOST_IMPACTS_PER_PERIOD:
                    return None
                y = strike(t, y)
        size = np.linalg.norm(y[6:])
        growth += math.log(size)
        y[6:] /= size
    return growth / (periods * period)


def main():
    points = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    periods = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    elapsed, followed, given_up = 0.0, 0, 0
    for k in range(points):  # along the diagonal
        part = (k + 0.5) / points
        begin = time.process_time()
        if exponent(0.2 + part, 0.8 + 0.8 * part, periods) is None:
            given_up += 1
            continue
        elapsed += time.process_time() - begin
        followed += 1
    if followed == 0:
        print(f"SciPy DOP853: all {given_up} motions given up in accumulating impacts")
        return
    each = elapsed / followed / periods
    print(f"SciPy DOP853, rtol {RTOL:.0e}: {followed} motions of {periods} periods, {given_up} given up in accumulating impacts")
    print(f"{1e6 * each:.0f} us/period and motion; 4096 motions of 100 periods: {each * 409600 / 3600:.1f} h")


if __name__ == "__main__":
    main()
