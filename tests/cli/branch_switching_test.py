"""Branches through switches: their special points are those of the motion, each listed once, and none of the surfaces by which a law is written down."""
import unittest

import numpy

from branch_runs import BranchRuns

# The buck converter of Fossas & Olivar 1996, times in ms: the voltage is compared with a ramp that begins anew in every period.
BUCK = """[parameters]
E = 20
[mechanics]
states = ["v", "i"]
rates = ["(i - v/22)/0.047", "(if(8.4*(v - 11.3) < 3.8 + 4.4*mod(t, 0.4)/0.4, E, 0) - v)/20"]
[forcing]
period = "0.4"
[initial]
v = 12
i = 0.55
"""
# A block on a belt with friction that falls with the speed, forced (Popp & Stelter 1990): orbits of three periods on a closed curve.
FORCED_BLOCK = """[parameters]
w = 1.5
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["-x - 0.02*x' + 0.3*cos(w*t) - sign(x' - 0.5)*(0.25 + 0.15/(1 + 1.42*abs(x' - 0.5)) + 0.01*(x' - 0.5)^2)"]
[forcing]
period = "2*pi/w"
[initial]
x = 0.4
"x'" = 0.5
"""
A = numpy.array([[-1.0 / (22.0 * 0.047), 1.0 / 0.047], [-1.0 / 20.0, 0.0]])
VALUES, VECTORS = numpy.linalg.eig(A)


def grown(t):
    return (VECTORS * numpy.exp(VALUES * t) @ numpy.linalg.inv(VECTORS)).real


def monodromy(E):
    """Of the orbit that is off until the ramp reaches the voltage, and on for the rest of the period: its pieces are linear."""
    on = -numpy.linalg.solve(A, [0.0, E / 20.0])

    def apart(z):
        behind = grown(z[2]) @ z[:2]
        end = on + grown(0.4 - z[2]) @ (behind - on)
        return numpy.array([*(end - z[:2]), 8.4 * (behind[0] - 11.3) - 3.8 - 11.0 * z[2]])

    z = numpy.array([12.0, 0.6, 0.2])
    for _ in range(20):
        steps = 1e-6 * numpy.eye(3)
        slope = numpy.array([(apart(z + d) - apart(z - d)) / 2e-6 for d in steps]).T
        z = z - numpy.linalg.solve(slope, apart(z))
    rate = A @ grown(z[2]) @ z[:2]
    normal = numpy.array([8.4, 0.0])
    saltation = numpy.eye(2) + numpy.outer([0.0, E / 20.0], normal) / (normal @ rate - 11.0)
    return grown(0.4 - z[2]) @ saltation @ grown(z[2])


def doubling(low, high):
    for _ in range(60):
        middle = 0.5 * (low + high)
        signs = [numpy.linalg.det(monodromy(E) + numpy.eye(2)) > 0.0 for E in (low, middle)]
        low, high = (middle, high) if signs[0] == signs[1] else (low, middle)
    return low


class Switching(BranchRuns):
    def test_a_buck_converter_doubles_its_period_and_nothing_happens_where_it_switches_half_way_along_the_ramp(self):
        # mod(t, T) is watched by the zeros of sin(2πt/T), half way between as well: there, at E = 24.037 and 31.556, it was called a grazing.
        model = self.folder / "buck.toml"
        model.write_text(BUCK)
        branch = self.branch(model, "--vary", "E=20:33")
        self.assertEqual([s["kind"] for s in branch["special"]], ["PD"])
        self.assertAlmostEqual(branch["special"][0]["p"], doubling(24.2, 24.8), delta=1e-9)
        self.assertEqual([end["reason"] for end in branch["ends"]], ["bound", "bound"])

    def test_a_closed_branch_that_is_begun_in_one_of_its_grazings_lists_it_once(self):
        model, file = self.folder / "block.toml", self.folder / "block.json"
        model.write_text(FORCED_BLOCK)
        branch = self.branch(model, "--vary", "w=1.3:1.6", "--transient", "200", "--out", file)
        self.assertEqual([(s["kind"], s["passage"]) for s in branch["special"]], [("GR", "folds_back")] * 2)
        again = self.branch(model, "--vary", "w=1.3:1.6", "--from", file, "--point", "GR1")
        self.assertEqual([(s["kind"], s["passage"]) for s in again["special"]], [("GR", "folds_back")] * 2)
        for one, other in zip(sorted(s["p"] for s in branch["special"]), sorted(s["p"] for s in again["special"])):
            self.assertAlmostEqual(one, other, delta=1e-9)


if __name__ == "__main__":
    unittest.main()
