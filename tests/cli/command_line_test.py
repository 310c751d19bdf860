"""The contract of the command line, seen from outside: exit codes, streams, JSON, help."""
import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

SALTUS = os.environ["SALTUS"]
ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted(ROOT.glob("examples/*.toml"))
BALL = str(ROOT / "examples/bouncing_ball.toml")


def saltus(*arguments, **options):
    return subprocess.run([SALTUS, *arguments], capture_output=True, text=True, timeout=60, check=False, **options)


def commands():
    """The names under "Commands" of the help, so that a new command is tested without being listed here."""
    block = saltus("--help").stdout.split("Commands\n")[1].split("\n\n")[0]
    return [line.split()[0] for line in block.splitlines() if line.startswith("  ") and not line.startswith("   ")]


class Help(unittest.TestCase):
    def test_without_arguments_the_program_prints_its_help_and_succeeds(self):
        self.assertEqual(saltus().stdout, saltus("--help").stdout)
        self.assertEqual(saltus().returncode, 0)

    def test_the_help_mentions_every_command_and_every_exit_code(self):
        text = saltus("--help").stdout
        for command in ("check", "equations", "show", "simulate", "lyapunov", "section"):
            self.assertRegex(text, rf"(?m)^  {command} ")
        for code in (0, 1, 2, 3, 4, 70, 130):
            self.assertRegex(text, rf"(?m)^  {code} ")

    def test_every_command_has_a_help_with_its_options_and_an_example(self):
        for command in commands():
            done = saltus(command, "--help")
            self.assertEqual(done.returncode, 0)
            for word in ("Usage\n", "--case NAME", "--set NAME=VALUE", "--json", "--out FILE", f"saltus {command} "):
                self.assertIn(word, done.stdout, command)

    def test_meanings_of_several_lines_stand_in_their_column(self):
        for command in commands():
            block = saltus(command, "--help").stdout.split("Options\n")[1].split("Examples\n")[0]
            column = len(re.match(r"  --help +", block[block.index("  --help"):])[0])
            for line in filter(None, block.splitlines()):
                self.assertTrue(line[column - 1] == " " and line[column] != " ", (command, line))

    def test_help_does_not_load_llvm(self):
        environment = dict(os.environ, LD_DEBUG="files")
        self.assertNotIn("libLLVM", saltus("--help", env=environment).stderr)
        self.assertIn("libLLVM", saltus("--version", env=environment).stderr)

    def test_the_version_names_saltus_llvm_the_processor_and_its_lanes(self):
        version = json.loads(saltus("--version", "--json").stdout)
        self.assertEqual(list(version), ["saltus", "llvm", "cpu", "lanes"])
        self.assertIn(version["lanes"], (2, 4, 8))
        self.assertIn(f"saltus {version['saltus']}\nLLVM {version['llvm']}\n", saltus("--version").stdout)


class Examples(unittest.TestCase):
    def test_there_are_examples(self):
        self.assertGreater(len(EXAMPLES), 10)

    def test_every_example_and_every_case_of_it_passes_check(self):
        for path in EXAMPLES:
            done = saltus("check", str(path), "--json")
            self.assertEqual((done.returncode, done.stderr), (0, ""), path.name)
            for case in json.loads(done.stdout)["cases"]:
                self.assertEqual(saltus("check", str(path), "--quiet", "--case", case["name"]).returncode, 0)

    def test_every_example_has_equations_as_text_latex_and_json(self):
        for path in EXAMPLES:
            for option in ([], ["--latex"], ["--json"]):
                done = saltus("equations", str(path), *option)
                self.assertEqual((done.returncode, done.stderr), (0, ""), path.name)
            data = json.loads(done.stdout)
            n = len(data["coordinates"])
            self.assertEqual([len(row) for row in data["mass"]], [n] * n, path.name)
            self.assertEqual(len(data["force"]), n, path.name)

    def test_every_example_shows_its_stages(self):
        for path in EXAMPLES:
            is_hill = json.loads(saltus("check", str(path), "--json").stdout)["hill"] is not None
            for stage in ("model", "expr") if is_hill else ("model", "expr", "kernel"):
                self.assertEqual(saltus("show", stage, str(path)).returncode, 0, path.name)


class Json(unittest.TestCase):
    def test_check_gives_the_members_of_the_contract(self):
        data = json.loads(saltus("check", BALL, "--json").stdout)
        self.assertEqual(data["coordinates"], ["z"])
        self.assertEqual(data["parameters"], {"g": 9.81, "e": 0.8, "z0": 1.0})
        self.assertEqual([contact["name"] for contact in data["contacts"]], ["floor"])
        self.assertEqual(data["switches"], [])

    def test_settings_change_the_numbers(self):
        data = json.loads(saltus("check", BALL, "--case", "elastic", "--set", "z0=2^3", "--set", "z'=-1", "--json").stdout)
        self.assertEqual(data["parameters"], {"g": 9.81, "e": 1.0, "z0": 8.0})
        self.assertEqual(data["initial"], {"z": 8.0, "z'": -1.0})

    def test_a_wrong_model_gives_its_diagnostics_on_standard_output(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "ball.toml").write_text(
                '[mechanics]\ncoordinates = ["z"]\nmass = [["1"]]\nforce = ["-gravty"]\n[parameters]\ngravity = 9.81\n')
            done = saltus("check", "ball.toml", "--json", cwd=folder)
            self.assertEqual((done.returncode, done.stderr), (3, ""))
            (diagnostic,) = json.loads(done.stdout)["diagnostics"]
            self.assertEqual({key: diagnostic[key] for key in ("file", "line", "column", "last_column", "severity")},
                             {"file": "ball.toml", "line": 4, "column": 12, "last_column": 17, "severity": "error"})
            self.assertEqual(diagnostic["suggestion"], "did you mean 'gravity'?")
            text = saltus("check", "ball.toml", cwd=folder)
            self.assertEqual((text.returncode, text.stdout), (3, ""))
            self.assertTrue(text.stderr.startswith(f"ball.toml:4:12: error: {diagnostic['message']}\n"))

    def test_a_missing_file_is_told_as_json_too(self):
        done = saltus("check", "no_such_file.toml", "--json")
        self.assertEqual(done.returncode, 4)
        self.assertIn("no_such_file.toml", json.loads(done.stdout)["diagnostics"][0]["message"])


class Files(unittest.TestCase):
    def test_the_ending_of_the_output_file_says_its_form(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, start in (("a.json", "{\n"), ("a.tex", "\\begin{align*}\n"), ("a.txt", "Bouncing ball\n")):
                done = saltus("equations", BALL, "--out", name, cwd=folder)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
                self.assertTrue((Path(folder) / name).read_text().startswith(start), name)

    def test_a_full_disk_is_no_success(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([SALTUS, "check", BALL], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 4)
        self.assertIn("cannot write to standard output", done.stderr)

    def test_a_reader_that_closes_the_pipe_is_no_failure(self):
        command = f"set -o pipefail; '{SALTUS}' show kernel '{ROOT}/examples/piston_crank.toml' | head -n 1"
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_quiet_check_says_nothing_of_a_right_model(self):
        done = saltus("check", BALL, "--quiet")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))


if __name__ == "__main__":
    unittest.main()
