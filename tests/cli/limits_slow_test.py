"""The limits that docs/security.md states: what is at one is taken, what is beyond is refused in words that name it.

`TABLE` repeats the first column of the table there; each row names the tests that hold it. A row that is added or changed must be added or changed here.
"""
import unittest
from pathlib import Path

from hardened_runs import BALL, OSCILLATOR, ROOT, Folder

ONE = '[mechanics]\ncoordinates = ["x"]\nmass = [["1"]]\nforce = ["{}"]\n'
ELSEWHERE = {  # where a limit takes more than some seconds to reach
    "1 000 000 instructions of all programs that are compiled (`saltus show kernel` lists them)": "tests/kernel/coupling_test.cpp",
    "3000 unknowns of an orbit in a file: 1000 returns or segments of a model with two components; 20 000 of one that a motion leads to":
        "tests/cli/hostile_files_test.py",
}
TABLE = {
    "1 MB of model, 20 000 characters of an expression, nested 250 deep as written and 4000 deep as it is used, 2 000 000 nodes of the graph, "
    "200 definitions in a chain":  # the number of nodes: tests/expr/expr_test.cpp
        ("bytes", "characters", "brackets", "depth", "chain"),
    "1000 coordinates, 1000 states, 1000 contacts": ("coordinates", "states", "contacts"),
    "2000 switches": ("switches",),
    "1000 parameters, observables, cases and points of drawing; 2000 definitions":
        ("parameters", "observables", "cases", "points_of_drawing", "definitions"),
    "100 000 000 events of a motion, 10¹² periods": ("periods",),
    "100 000 000 points of a map or a basin": ("grid",),
    "1 000 000 starts, 10 000 000 samples or points of a section": ("starts", "samples"),
    "1000 threads of one process": ("threads",),
}


def numbered(count, line):
    return "".join(line.format(i) for i in range(count))


class Limits(Folder):
    def taken(self, text, *options):
        self.expect(0, "", "check", self.write("model.toml", text), "--quiet", *options, timeout=1000)

    def refused(self, text, *words):
        said = self.expect(3, words[0], "check", self.write("model.toml", text), timeout=1000)
        for each in words:
            self.assertIn(each, said)

    def test_every_row_of_the_table_is_tested(self):
        page = (ROOT / "docs/security.md").read_text(encoding="utf-8").split("## Limits")[1].split("## Exit codes")[0]
        rows = [line.split("|")[1].strip() for line in page.splitlines() if line.startswith("| ")][1:]
        self.assertEqual(sorted(rows), sorted([*TABLE, *ELSEWHERE]))
        for names in TABLE.values():
            for name in names:
                self.assertTrue(hasattr(self, "test_" + name), name)
        for file in ELSEWHERE.values():
            self.assertTrue((ROOT / file).exists(), file)

    def test_bytes(self):
        text = ONE.format("-x")
        self.taken(text + "#" * (1000000 - len(text)))
        self.refused(text + "#" * (1000001 - len(text)), "1000001 bytes", "at most 1000000 bytes")

    def test_characters(self):
        self.taken(ONE.format("-x" + "+x" * 9999))
        self.refused(ONE.format("-x " + "+x" * 9999), "20001 characters", "at most 20000")

    def test_brackets(self):
        for left, right in (("(", ")"), ("sin(", ")"), ("-", "")):
            self.refused(ONE.format(left * 251 + "x" + right * 251), "nests too deeply", "at most 250 levels")
            self.taken(ONE.format(left * 249 + "x" + right * 249))

    def test_depth(self):
        def text(each):  # 200 definitions, each so many steps above the one before
            chain = "[define]\nd0 = \"x\"\n" + "".join(f'd{i} = "{"sin(" * each}d{i - 1}{")" * each}"\n' for i in range(1, 200))
            return chain + ONE.format("-d199")
        self.refused(text(21), "d191 = ", "nest too deeply")  # 4000/21

    def test_chain(self):
        def text(n):
            return '[define]\nd0 = "x"\n' + "".join(f'd{i} = "d{i - 1}+t"\n' for i in range(1, n)) + ONE.format(f"d{n - 1}")
        self.taken(text(200))
        self.refused(text(201), "a chain of more than 200 definitions", "at most 200")

    def test_coordinates(self):
        def text(n):
            names, kinetic = ", ".join(f'"x{i}"' for i in range(n)), "+".join(f"x{i}'^2" for i in range(n))
            return f'[mechanics]\ncoordinates = [{names}]\nkinetic = "{kinetic}"\npotential = "0"\n'
        self.taken(text(100))  # a thousand are read, and their equations refused: more than 2 000 000 nodes
        self.refused(text(1001), "too many coordinates", "at most 1000")

    def test_states(self):
        def text(n):
            names, rates = ", ".join(f'"p{i}"' for i in range(n)), ", ".join(f'"-p{i}"' for i in range(n))
            return ONE.format("-x") + f"states = [{names}]\nrates = [{rates}]\n"
        self.taken(text(100))
        self.refused(text(1001), "too many states", "at most 1000")

    def test_contacts(self):
        contact = '[[contact]]\nname = "c{0}"\ngap = "x + {0}"\nrestitution = 0.5\n'
        self.taken(ONE.format("-x") + numbered(1000, contact))
        self.refused(ONE.format("-x") + numbered(1001, contact), "there are 1001 contacts", "at most 1000")

    def test_switches(self):
        def text(n):
            return ONE.format(" + ".join(f"s{i // 500}" for i in range(0, n, 500))).replace("[mech", "[define]\n" + "".join(
                f's{j} = "{"+".join(f"sign(x-{i})" for i in range(500 * j, min(n, 500 * j + 500)))}"\n' for j in range((n + 499) // 500)) + "[mech")
        self.taken(text(2000))
        self.refused(text(2001), "more than 2000 switches")

    def test_parameters(self):
        self.taken("[parameters]\n" + numbered(1000, "p{} = 1\n") + ONE.format("-x"))
        self.refused("[parameters]\n" + numbered(1001, "p{} = 1\n") + ONE.format("-x"), "too many parameters", "at most 1000")

    def test_observables(self):
        self.taken(ONE.format("-x") + "[observe]\n" + numbered(1000, 'o{} = "x"\n'))
        self.refused(ONE.format("-x") + "[observe]\n" + numbered(1001, 'o{} = "x"\n'), "1001 observables", "at most 1000")

    def test_cases(self):
        text = "[parameters]\na = 1\n" + ONE.format("-a*x")
        self.taken(text + numbered(1000, "[case.c{0}]\na = {0}\n"))
        self.refused(text + numbered(1001, "[case.c{0}]\na = {0}\n"), "1001 cases", "at most 1000")

    def test_points_of_drawing(self):
        self.taken(ONE.format("-x") + "[draw]\n" + numbered(1000, 'p{} = ["x", "0"]\n'))
        self.refused(ONE.format("-x") + "[draw]\n" + numbered(1001, 'p{} = ["x", "0"]\n'), "1001 entries", "at most 1000")

    def test_definitions(self):
        self.taken("[define]\n" + numbered(2000, 'd{} = "x"\n') + ONE.format("-x"))
        self.refused("[define]\n" + numbered(2001, 'd{} = "x"\n') + ONE.format("-x"), "too many definitions", "at most 2000")

    def test_periods(self):
        self.expect(2, "--periods 1e+12", "section", OSCILLATOR, "--periods", "1e12")

    def test_grid(self):
        for command, first, second in (("map", "e=0.4:0.9:", "omega=2:3:"), ("basin", "x=-1:0:", "x'=0:1:")):
            self.expect(2, "at most 100000000", command, OSCILLATOR, "--periods", "1", "--vary", first + "10001", "--vary", second + "10000")

    def test_starts(self):
        self.expect(2, "1000000", "lyapunov", OSCILLATOR, "--periods", "1", "--starts", "1000001")

    def test_samples(self):
        self.expect(2, "10000000", "simulate", BALL, "--time", "1", "--samples", "10000001")
        self.expect(2, "at most 10000000", "section", OSCILLATOR, "--periods", "10000001")

    def test_threads(self):
        self.expect(2, "--threads 1001", "lyapunov", OSCILLATOR, "--periods", "1", "--threads", "1001")


if __name__ == "__main__":
    unittest.main()
