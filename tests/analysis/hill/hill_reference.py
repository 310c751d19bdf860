#!/usr/bin/env python3
"""Makes tests/analysis/hill/hill_reference.hpp: Mathieu's equation with 45 digits, by Taylor series of order 60 (mpmath).

    python3 tests/analysis/hill/hill_reference.py > tests/analysis/hill/hill_reference.hpp

Nothing here is shared with the program: other method, other arithmetic, other way to count the zeros (a sign change
between 400 instants, with Sturm's bound on the distance of zeros), and lambda_1 from the trace itself.
"""
import mpmath as mp

mp.mp.dps = 45
ORDER, STEPS, SAMPLES = 60, 16, 400
T = mp.mpf(3.141592653589793)  # the period that the program uses: pi as a double


def series(alpha, beta, t0, y, v):
    """Taylor coefficients of the solution about t0: (k+1)(k+2) c[k+2] = -sum g[j] c[k-j]."""
    g, c2, s2, factor = [], mp.cos(2 * t0), mp.sin(2 * t0), mp.mpf(1)
    for k in range(ORDER):
        g.append(2 * beta * factor * (c2, -s2, -c2, s2)[k % 4] + (alpha if k == 0 else 0))
        factor = factor * 2 / (k + 1)
    c = [y, v]
    for k in range(ORDER - 2):
        c.append(-mp.fsum(g[j] * c[k - j] for j in range(k + 1)) / ((k + 1) * (k + 2)))
    return c


def derivative(c, h):
    return mp.polyval([k * c[k] for k in range(len(c) - 1, 0, -1)], h)


def solve(alpha, beta):
    """Phi_T and the number of zeros of y2 on (0, T]."""
    alpha, beta = mp.mpf(alpha), mp.mpf(beta)
    assert T / SAMPLES * mp.sqrt(abs(alpha) + 2 * abs(beta)) < 1  # one zero at most between two samples
    y1, v1, y2, v2 = mp.mpf(1), mp.mpf(0), mp.mpf(0), mp.mpf(1)
    zeros, sign, h = 0, 1, T / STEPS
    for step in range(STEPS):
        a, b = series(alpha, beta, step * h, y1, v1), series(alpha, beta, step * h, y2, v2)
        for k in range(1, SAMPLES // STEPS + 1):
            if sign * mp.polyval(b[::-1], h * k / (SAMPLES // STEPS)) <= 0:
                zeros, sign = zeros + 1, -sign
        y1, v1 = mp.polyval(a[::-1], h), derivative(a, h)
        y2, v2 = mp.polyval(b[::-1], h), derivative(b, h)
    assert abs(y1 * v2 - y2 * v1 - 1) < mp.mpf(10) ** -35
    return y1, v2, zeros


def row(alpha, beta):
    y1, v2, n = solve(alpha, beta)
    delta = y1 + v2
    if abs(delta) <= 2:
        critical, m1 = mp.mpf(0 if n == 0 and delta == 2 else 1), -1
    else:
        m1 = n if (-1) ** n * delta > 0 else n + 1
        big = (abs(delta) + mp.sqrt(delta * delta - 4)) / 2
        critical = mp.mpf(0) if m1 == 0 else big ** (mp.mpf(-1) / m1)
    number = lambda x: mp.nstr(x, 30, min_fixed=-100, max_fixed=100)
    print(f"    {{{float(alpha)!r}, {float(beta)!r}, {number(delta)}, {n}, {m1}, {number(critical)}}},")


def boundary(beta, sign, low, high):
    """alpha between low and high with trace = sign 2."""
    f = lambda a: sum(solve(a, beta)[:2]) - 2 * sign
    return mp.findroot(f, (mp.mpf(low), mp.mpf(high)), solver="anderson", tol=mp.mpf(10) ** -30)


print("#pragma once")
print("// Made by hill_reference.py, which says how.\n")
print("namespace saltus::test {\n")
print("struct MathieuReference {")
print("  double alpha, beta, discriminant;\n  long zeros, m1;  // m1 = -1: |trace| <= 2\n  double critical_restitution;\n};\n")
print("/// Three or four points in each of the domains 0 to 5, and stable ones between them.")
print("inline const MathieuReference mathieu_reference[] = {")
for a, b in [(-0.5, 0.25), (-3.0, 1.5), (-6.5, 5.0),
             (1.0, 0.5), (0.75, 1.5), (-2.0, 4.0), (-7.5, 11.5),
             (4.0, 2.0), (4.5, 3.5), (3.0, 8.0), (1.5, 12.0),
             (9.25, 5.0), (10.0, 7.5), (9.5, 11.0),
             (19.5, 11.25), (20.0, 9.5), (18.5, 11.75),
             (28.0, 11.5), (28.25, 12.0), (27.875, 11.75),
             (2.5, 0.5), (6.0, 1.5), (12.0, 3.0), (20.5, 6.0), (31.0, 10.0)]:
    row(mp.mpf(a), mp.mpf(b))
print("};\n")
print("/// Within 1e-6 of a boundary |trace| = 2, on the unstable side and on the other.")
print("inline const MathieuReference mathieu_boundary[] = {")
for b, sign, low, high in [(0.5, -1, 1.3, 1.6), (0.5, -1, 0.3, 0.6), (2.0, 1, 4.8, 5.4), (2.0, 1, 3.4, 3.8),
                           (6.0, -1, 11.2, 12.8), (9.0, 1, 18.3, 19.3), (0.5, 1, -0.3, 0.0)]:
    at = boundary(mp.mpf(b), sign, low, high)
    for distance in (1e-6, -1e-6, 1e-9, -1e-9):
        row(mp.mpf(float(at + distance)), mp.mpf(b))
print("};\n")
print("}  // namespace saltus::test")
