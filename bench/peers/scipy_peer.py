#!/usr/bin/env python3
"""SciPy: solve_ivp with DOP853 and a terminal event at each impact; NumPy right side of 6 or 42 equations."""
import math
import sys
import time

import numpy as np
from scipy.integrate import solve_ivp

DAMPING, TORQUE, OMEGA, ETA, RESTITUTION = 0.1, 0.7, 1.2, 2.6, 0.9
NU = np.array([[0, 9 / 14, 3 / 14], [9 / 14, 0, 3 / 14], [3 / 14, 3 / 14, 0]])
BETA = np.diag([1, 4 / 7, 1 / 7])
MU = np.array([1, 3 / 5, 1 / 5])
C = DAMPING * np.array([[2, -1, 0], [-1, 2, -1], [0, -1, 1]])
PERIOD = 2 * math.pi / OMEGA
START = np.array([0.126, -0.694, 0.669, 0.606, -0.567, -1.408])

# DOP853 in long double at rtol 1e-16, printed by baseline_main.
REFERENCE = np.array([0.131039416883519, 1.713331100011867, 2.417906697762386, 2.797310644101911, 3.332249627586235,
                      4.065426737361958, 4.353548968670604, 7.105271047497790, 9.843742633806128, 10.606508649626980])


def inertia(q):
    """M and N of M v̇ = f, with Nᵢⱼ = νᵢⱼ sin(qᵢ − qⱼ)."""
    difference = q[:, None] - q[None, :]
    return BETA + NU * np.cos(difference), NU * np.sin(difference)


def acceleration(t, q, v, M, N):
    force = -N @ (v * v) - C @ v - MU * np.sin(q)
    force[0] += TORQUE * math.cos(OMEGA * t)
    return np.linalg.solve(M, force)


def right_side(t, y):
    q, v = y[:3], y[3:6]
    M, N = inertia(q)
    vdot = acceleration(t, q, v, M, N)
    if y.size == 6:
        return np.concatenate((v, vdot))
    Jq = (M - BETA) * (v * v) - N * vdot
    Jq -= np.diag(Jq.sum(axis=1) + MU * np.cos(q))
    Jv = -2 * N * v - C
    X = y[6:].reshape(6, 6)
    slope = np.linalg.solve(M, Jq @ X[:3] + Jv @ X[3:])
    return np.concatenate((v, vdot, X[3:].ravel(), slope.ravel()))


def gap(t, y):
    return ETA - math.cos(y[0]) - math.cos(y[1]) - math.cos(y[2])


gap.terminal = True
gap.direction = -1


def strike(t, y):
    """x ← R(x); tangent ← S tangent, column by column in one go."""
    q, v = y[:3], y[3:6]
    n = np.sin(q)
    M, N = inertia(q)
    a = np.linalg.solve(M, n)
    s, gamma = n @ a, n @ v
    impulse = -(1 + RESTITUTION) * gamma / s
    v_plus = v + a * impulse
    if y.size == 6:
        return np.concatenate((q, v_plus))
    vdot_minus, vdot_plus = acceleration(t, q, v, M, N), acceleration(t, q, v_plus, M, N)
    X = y[6:].reshape(6, 6)
    dt = -(n @ X[:3]) / gamma
    dq, dv = X[:3] + np.outer(v, dt), X[3:] + np.outer(vdot_minus, dt)
    dn = np.cos(q)[:, None] * dq
    dM_a = -(N @ a)[:, None] * dq + N @ (a[:, None] * dq)
    da = np.linalg.solve(M, dn - dM_a)
    dimpulse = impulse * ((v @ dn + n @ dv) / gamma - (a @ dn + n @ da) / s)
    dv = dv + da * impulse + np.outer(a, dimpulse) - np.outer(vdot_plus, dt)
    dq = dq - np.outer(v_plus, dt)
    return np.concatenate((q, v_plus, dq.ravel(), dv.ravel()))


def run(rtol, periods, size):
    """The times of all impacts within `periods` forcing periods; QR of the tangent each period."""
    y = START if size == 6 else np.concatenate((START, np.eye(6).ravel()))
    t, impacts, log_growth = 0.0, [], np.zeros(6)
    for k in range(1, periods + 1):
        while t < k * PERIOD:
            step = solve_ivp(right_side, (t, k * PERIOD), y, method="DOP853", rtol=rtol, atol=rtol, events=gap)
            t, y = step.t[-1], step.y[:, -1]
            if step.status == 1:
                impacts.append(t)
                # The event may leave the state below the barrier by rounding; it leaves upwards, so it is not met again.
                y = strike(t, y)
        if size == 42:
            Q, R = np.linalg.qr(y[6:].reshape(6, 6))
            log_growth += np.log(np.abs(np.diag(R)))
            y = np.concatenate((y[:6], Q.ravel()))
    return np.array(impacts), log_growth / (periods * PERIOD * math.log(2))


def impact_error(rtol, size):
    impacts, _ = run(rtol, 3, size)
    return np.abs(impacts[:10] - REFERENCE).max()


def measure(name, size, periods):
    rtol = 1e-6
    while rtol > 3e-14 and impact_error(rtol, size) > 1.2e-9:
        rtol /= math.sqrt(10)
    begin = time.process_time()
    run(rtol, periods, size)
    elapsed = (time.process_time() - begin) / periods
    print(f"{name:36} {1e6 * elapsed:9.1f} us/period   rtol {rtol:.1e}   impact error {impact_error(rtol, size):.1e}")


if __name__ == "__main__":
    periods = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    print("SciPy DOP853, first ten impacts:")
    for t in run(1e-13, 3, 6)[0][:10]:
        print(f"  {t:.12f}")
    measure("SciPy DOP853, trajectory only", 6, periods)
    measure("SciPy DOP853, with tangent", 42, periods)
