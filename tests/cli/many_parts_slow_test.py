"""Models of a hundred coordinates, hundreds of contacts and switches: no limit of a machine word, and the right motion."""
import json
import math
import unittest
from pathlib import Path

from hardened_runs import TABLE, Folder, pendulums, saltus

N = 100  # masses


def chain(contacts: int, method: str, law: str) -> str:
    """Equal masses between two walls, linked by equal springs and let go from rest in their first mode,
    x_i = cos(w t) sin(i pi/(N + 1)) with w = 2 sin(pi/(2 (N + 1))). The first N contacts are below the masses at 1/2: both middle masses
    strike together when cos(w t) = -1/2 / sin(middle). The others are further away."""
    names = ", ".join(f'"x{i}"' for i in range(1, N + 1))
    mass = ", ".join("[" + ", ".join('"1"' if i == j else '"0"' for j in range(N)) + "]" for i in range(N))
    force = []
    for i in range(1, N + 1):
        neighbours = " + ".join(f"x{j}" for j in (i - 1, i + 1) if 1 <= j <= N)
        force.append(f'"{neighbours} - 2*x{i}"')
    lines = ["[mechanics]", f"coordinates = [{names}]", f"mass = [{mass}]",
             f"force = [{', '.join(force)}]"]
    for k in range(contacts):
        gap = f"x{k % N + 1} + {0.5 + k // N}"
        lines += ["[[contact]]", f'name = "c{k}"', f'gap = "{gap}"', "restitution = 0.5"]
    lines += ["[solver]", f'impact_law = "{law}"', f'method = "{method}"', "[initial]"] + [f"x{i} = {math.sin(i * math.pi / (N + 1))!r}" for i in range(1, N + 1)]
    return "\n".join(lines)


OMEGA = 2.0 * math.sin(math.pi / (2 * (N + 1)))
MIDDLE = math.sin(50 * math.pi / (N + 1))  # of masses 50 and 51
STRIKE = math.acos(-0.5 / MIDDLE) / OMEGA
SPEED = OMEGA * math.sqrt(MIDDLE ** 2 - 0.25)


class ManyParts(Folder):
    def run_json(self, *arguments):
        run = saltus(*arguments, "--json", timeout=1000)
        self.assertEqual(run.returncode, 0, run.stderr.decode(errors="replace"))
        return json.loads(run.stdout)

    def test_a_hundred_coordinates_and_two_hundred_contacts_strike_when_they_must(self):
        for method, law in (("exact", "sequential"), ("rk", "moreau")):
            with self.subTest(method=method, law=law):
                model = self.write("chain.toml", chain(200, method, law))
                result = self.run_json("simulate", model, "--time", repr(STRIKE + 0.01), "--events")
                impacts = [event for event in result["events"] if event["kind"] == "impact"]
                self.assertEqual(sorted(event["contact"] for event in impacts), ["c49", "c50"])
                for event in impacts:
                    self.assertAlmostEqual(event["t"], STRIKE, delta=1e-7)
                    self.assertAlmostEqual(event["gamma_minus"], -SPEED, delta=1e-8)
                    self.assertAlmostEqual(event["gamma_plus"], 0.5 * SPEED, delta=1e-8)

    def test_a_switching_force_of_three_hundred_sides_keeps_its_energy(self):
        sides = 300
        force = " - ".join(f"sign(x - {i})" for i in range(sides))
        model = self.write("switches.toml", f"""
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["- {force}"]
[initial]
x = -0.5
"x'" = 600
""")
        result = self.run_json("simulate", model, "--time", "0.4")

        def energy(x, v):
            return 0.5 * v * v + sum(abs(x - i) for i in range(sides))
        x, v = result["final"]["q"][0], result["final"]["v"][0]
        self.assertGreater(x, 200.0)
        self.assertAlmostEqual(energy(x, v) / energy(-0.5, 600.0), 1.0, delta=1e-9)

    def test_fifteen_hundred_switches_of_one_force_are_compiled_and_moved_through(self):
        force = "+".join(f"sign(x-{i})" for i in range(1500))
        model = self.write("switches.toml", f'[mechanics]\ncoordinates = ["x"]\nmass = [["1"]]\nforce = ["{force}"]\n'
                                            '[initial]\nx = -0.5\n')
        x, v = (self.run_json("simulate", model, "--time", "0.1")["final"][name][0] for name in ("q", "v"))
        self.assertAlmostEqual(x, -8.0, delta=1e-9)  # all switches pull the same way: -0.5 - 1500 t^2/2
        self.assertAlmostEqual(v, -150.0, delta=1e-9)

    def test_a_million_instructions_are_the_limit_and_the_largest_program_is_named(self):
        # Thirty pendulums in absolute angles are below it, forty above.
        said = self.expect(3, "too large to be compiled", "check", self.write("pendulums.toml", pendulums(40)), timeout=1000)
        self.assertIn("expected at most 1000000", said)

    def test_files_and_journals_know_contacts_beyond_the_sixty_fourth(self):
        # A ball on the vibrating table, whose contact is the last of a hundred: the others are below it, out of reach.
        text = Path(TABLE).read_text(encoding="utf-8")
        below = "".join(f'[[contact]]\nname = "below{k}"\ngap = "z - z_table + {k + 1}"\nrestitution = 0.5\n' for k in range(99))
        head, contact, rest = text.partition("[[contact]]")
        model = self.write("hundred.toml", head + below + contact + rest)
        orbit, branch = self.file("orbit.json"), self.file("branch.json")
        self.run_json("orbit", model, "--case", "period1", "--set", "A=1", "--out", orbit)
        vary = ["--vary", "A=0.95:1.1"]
        self.assertEqual(saltus("continue", model, "--from", orbit, *vary, "--quiet", "--out", branch).returncode, 0)
        special = [point for point in json.loads(Path(branch).read_text())["special"] if point["kind"] == "PD"]
        # (A omega^2/g)^2 = (pi (1 - e)/(1 + e))^2 + (2 (1 + e^2)/(1 + e)^2)^2 with e = 0.8
        doubling = math.hypot(math.pi * 0.2 / 1.8, 2 * 1.64 / 1.8 ** 2)
        self.assertAlmostEqual(special[0]["p"], doubling, delta=1e-9)
        run = saltus("continue", model, "--from", branch, "--point", "PD1", "--vary", "A=0.95:1.1", "--points", "4", "--quiet")
        self.assertIn(run.returncode, (0, 1), run.stderr.decode(errors="replace"))
        sweep = ["map", "--case", "period1", "--vary", "A=0.9:1:4", "--vary", "e=0.79:0.8:2", "--periods", "8", "--json"]
        one = saltus("map", TABLE, *sweep[1:])
        hundred = saltus("map", model, *sweep[1:], "--out", self.file("map.nc"))
        self.assertEqual((one.returncode, hundred.returncode), (0, 0), hundred.stderr.decode(errors="replace"))
        for a, b in zip(sum(json.loads(one.stdout)["values"], []), sum(json.loads(hundred.stdout)["values"], []), strict=True):
            self.assertAlmostEqual(a, b, delta=1e-12)


if __name__ == "__main__":
    unittest.main()
