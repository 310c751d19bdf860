"""Streams: models from pipes, terminals that are not commanded, CSV that is not broken, options that are numbers."""
import csv
import io
import os
import subprocess
import unittest
from pathlib import Path

from hardened_runs import BALL, OSCILLATOR, TABLE, Folder, saltus

EVIL = "\x1b]0;owned\x07\x1b[2J\x1b[31mred\x9b31m\x90\x85\x7f\u202etxt\u2066"


def commands_in(data):
    text = data.decode("utf-8", errors="strict")
    return [c for c in text if (ord(c) < 32 and c not in "\n\t") or 0x7f <= ord(c) < 0xa0 or c in "\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"]


class Streams(Folder):
    def test_models_come_from_pipes(self):
        text = Path(BALL).read_bytes()
        direct = saltus("check", BALL).stdout
        for name in ("-", "/dev/stdin"):
            run = saltus("check", name, input=text)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(run.stdout, direct)
        run = saltus("simulate", "-", "--time", "1", "--plot", self.file("a.svg"), input=text)  # looks at the model twice
        self.assertEqual(run.returncode, 0, run.stderr)
        fifo = self.file("fifo.toml")
        os.mkfifo(fifo)
        with subprocess.Popen(["sh", "-c", 'cat "$0" > "$1"', BALL, fifo]) as writer:
            run = saltus("check", fifo)
            writer.wait()
        self.assertEqual(run.stdout, direct)
        self.assertEqual(saltus("check", "-", input=b"nonsense").returncode, 3)

    def test_no_text_of_a_model_commands_a_terminal(self):
        escaped = "".join(c if c.isprintable() and ord(c) < 127 else f"\\u{ord(c):04x}" for c in EVIL)
        body = Path(BALL).read_text(encoding="utf-8").split("[parameters]")[1]
        model = self.write("m.toml", f'title = "{escaped}"\nsource = "{escaped}"\n[parameters]{body}')
        for command in (["check", model], ["check", model, "--json"], ["equations", model], ["equations", model, "--latex"],
                        ["simulate", model, "--time", "1"], ["simulate", model, "--time", "1", "--json"],
                        ["check", model, "--out", self.file("c.txt")], ["simulate", model, "--time", "1", "--out", self.file("s.csv")]):
            run = saltus(*command)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(commands_in(run.stdout + run.stderr), [], command)
        for name in ("c.txt", "s.csv"):
            self.assertEqual(commands_in((self.folder / name).read_bytes()), [], name)

    def test_no_word_of_the_command_line_commands_a_terminal(self):
        model = self.write("wrong" + EVIL + ".toml", "nonsense")
        for command in ([EVIL], ["check", EVIL], ["check", model], ["check", BALL, "--" + EVIL], ["check", BALL, "--set", EVIL],
                        ["check", BALL, "--set", "e=" + EVIL], ["check", BALL, "--case", EVIL], ["simulate", BALL, "--time", EVIL],
                        ["simulate", BALL, "--time", "1", "--out", EVIL], ["show", EVIL, BALL], [*("continue", TABLE), "--from", EVIL],
                        ["continue", TABLE, "--vary", EVIL], ["section", BALL, "--time", "1", "--surface", EVIL]):
            run = saltus(*command)
            self.assertNotIn(run.returncode, (0, 70), command)
            self.assertGreaterEqual(run.returncode, 0, command)
            self.assertEqual(commands_in(run.stdout + run.stderr), [], command)

    def test_a_line_feed_in_an_option_does_not_break_a_csv(self):
        for option in (["--set", "e=0.5\n"], ["--set", "e=0.5\r\n+0"], ["--set", "e=0.5\n# complete: 0"]):
            out = self.file("s.csv")
            run = saltus("simulate", BALL, "--time", "1", "--samples", "3", "--quiet", *option, "--out", out)
            if run.returncode == 2:
                continue
            self.assertEqual(run.returncode, 0, run.stderr)
            with open(out, encoding="utf-8", newline="") as stream:
                lines = stream.read().replace("\r", "\n").split("\n")
            table = [line for line in lines if line and not line.startswith("#")]
            rows = list(csv.reader(io.StringIO("\n".join(table))))
            self.assertEqual({len(row) for row in rows}, {len(rows[0])})
            self.assertEqual(len(rows), 4)

    def test_a_line_feed_in_an_option_is_no_further_setting_of_a_netcdf_file(self):
        out = self.file("o.nc")
        run = saltus("orbit", TABLE, "--case", "period1", "--set", "A=0.5\n+0", "--quiet", "--out", out)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.expect(0, "branch", "continue", TABLE, "--from", out, "--vary", "A=0.45:0.55")

    def test_numbers_that_are_none_are_refused_with_the_name_of_their_option(self):
        for command, options in (
                (["simulate", BALL], ("--time", "--transient", "--rtol", "--atol")),
                (["lyapunov", OSCILLATOR, "--periods", "3"], ("--transient", "--error", "--spread", "--rtol")),
                (["diagram", OSCILLATOR, "--vary", "e=0.4:0.9:3"], ("--periods", "--time", "--settle", "--spread")),
                (["continue", TABLE, "--vary", "A=0.4:0.6"], ("--step", "--transient")),
                (["orbit", TABLE], ("--residual", "--time", "--transient")),
                (["response", OSCILLATOR, "--vary", "omega=2:3:3"], ("--step", "--periods", "--transient"))):
            for option in options:
                for value in ("nan", "inf", "-inf", "1e999"):
                    self.expect(2, option, *command, option, value)
        for command, options in (
                (["simulate", BALL, "--time", "1"], ("--samples",)),
                (["orbit", TABLE], ("--starts", "--period", "--segments", "--iterations", "--samples", "--seed", "--threads")),
                (["continue", TABLE, "--vary", "A=0.4:0.6"], ("--points", "--period")),
                (["diagram", OSCILLATOR, "--vary", "e=0.4:0.9:3", "--periods", "3"], ("--starts", "--ramps", "--seed"))):
            for option in options:
                for value in ("9223372036854775808", "18446744073709551615", "99999999999999999999999", "-1", "nan"):
                    self.expect(2, option, *command, option, value)
        large = "9223372036854775807"
        for option, command in (("--segments", ["orbit", TABLE]), ("--starts", ["orbit", TABLE]),
                                ("--samples", ["simulate", BALL, "--time", "1"]),
                                ("--period", ["continue", TABLE, "--vary", "A=0.4:0.6"]),
                                ("--starts", ["diagram", OSCILLATOR, "--vary", "e=0.4:0.9:3", "--periods", "3"]),
                                ("--ramps", ["diagram", OSCILLATOR, "--vary", "e=0.4:0.9:3", "--periods", "3"])):
            self.expect(2, f"{option} {large}", *command, option, large)
        for command in (["lyapunov", OSCILLATOR, "--periods", "3"], ["orbit", OSCILLATOR], ["continue", TABLE, "--vary", "A=0.4:0.6"],
                        ["diagram", OSCILLATOR, "--vary", "e=0.4:0.9:3", "--periods", "3"]):
            self.expect(2, "--modulo", *command, "--modulo", "nan")
        self.expect(2, "--periods 1e+12", "section", OSCILLATOR, "--periods", "1e12")
        self.expect(2, "--vary", "map", OSCILLATOR, "--vary", "e=0.4:0.9:1000000000", "--vary", "omega=2:3:3", "--periods", "3")
        for vary in ("e=nan:1:3", "e=0:inf:3", "e=0:1:99999999999999999999", "e=0:1:-3", "e=0:1:0"):
            self.expect(2, "--vary", "diagram", OSCILLATOR, "--periods", "3", "--vary", vary)


if __name__ == "__main__":
    unittest.main()
