"""Completion by bash and the manual page, made of the same tables as the help: what the shell itself completes, what man reads."""
import os
import re
import shutil
import subprocess
import unittest

SALTUS = os.environ["SALTUS"]


def saltus(*arguments):
    return subprocess.run([SALTUS, *arguments], capture_output=True, text=True, timeout=60, check=False)


def commands():
    block = saltus("--help").stdout.split("Commands\n")[1].split("\n\n")[0]
    return [line.split()[0] for line in block.splitlines()]


def options(command):
    return re.findall(r"(?m)^  (--[a-z-]+)", saltus(command, "--help").stdout)


def completed(*words):
    """What bash offers for the last of the words."""
    script = (f"source <('{SALTUS}' completion bash); COMP_WORDS=({' '.join(words)} ''); COMP_CWORD={len(words) - 1}; _saltus; "
              'printf "%s\\n" "${COMPREPLY[@]}"')
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60, check=True).stdout.split()


class Completion(unittest.TestCase):
    def test_bash_completes_commands_options_and_names(self):
        self.assertEqual(completed("saltus", "sim"), ["simulate"])
        self.assertEqual(completed("saltus", "continue", "m.toml", "--fam"), ["--family"])
        self.assertEqual(completed("saltus", "continue", "m.toml", "--direction", "u"), ["up"])
        self.assertEqual(completed("saltus", "simulate", "m.toml", "--method", "e"), ["exact"])
        self.assertIn("CHANGELOG.md", completed("saltus", "check", "CHANGE"))
        self.assertEqual(completed("saltus", "continue", "m.toml", "--from", "CHANGE"), ["CHANGELOG.md"])

    def test_every_option_of_every_command_is_completed_and_stands_in_the_manual(self):
        manual = saltus("man").stdout.replace("\\-", "-")
        zsh = saltus("completion", "zsh").stdout
        for command in commands():
            self.assertEqual(sorted(completed("saltus", command, "m.toml", "--")), sorted(options(command)), command)
            page = manual.split(f".SS saltus {command} ")[1].split(".SS saltus")[0]
            words = zsh.split(f"    {command})\n")[1].split(";;\n")[0]
            for option in set(options(command)) - {"--help"}:
                self.assertRegex(page, rf"(?m)^\.B {option}( |$)", command)
                self.assertIn(f"{option}[", words, command)

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_groff_reads_the_manual_without_a_warning(self):
        done = subprocess.run(["groff", "-k", "-man", "-ww", "-Tutf8"], input=saltus("man").stdout, capture_output=True, text=True,
                              timeout=60, check=True)
        self.assertEqual(done.stderr, "")
        self.assertIn("--rtol NUMBER", re.sub(r"\x1b\[[0-9;]*m|.\x08", "", done.stdout).replace("\u2212", "-"))

    def test_others_are_refused(self):
        for words in (["completion"], ["completion", "fish"], ["man", "2"]):
            self.assertEqual(saltus(*words).returncode, 2, words)


if __name__ == "__main__":
    unittest.main()
