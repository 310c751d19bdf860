"""Files that are given to --from, --over, --starts and --resume may have been written by anybody."""
import json
import os
import signal
import unittest
from pathlib import Path

from hardened_runs import BRANCH, ORBIT, OSCILLATOR, TABLE, Folder, saltus
from interrupted_runs import assert_ends, started, wait_until

CEILING = """
[[contact]]
name = "ceiling"
gap = "50 - z"
restitution = 0.5
"""


class HostileFiles(Folder):
    branch_text = orbit_text = None

    def setUp(self):
        super().setUp()
        cls = type(self)
        if cls.branch_text is None:
            for name, command in (("branch", BRANCH), ("orbit", ORBIT)):
                run = saltus(*command, "--quiet", "--out", self.file(name + ".json"))
                self.assertEqual(run.returncode, 0, run.stderr)
                setattr(cls, name + "_text", (self.folder / (name + ".json")).read_text(encoding="utf-8"))
        self.branch, self.orbit = json.loads(cls.branch_text), json.loads(cls.orbit_text)

    def refused(self, content, words, code=4):
        file = self.write("changed.json", content if isinstance(content, str) else json.dumps(content))
        return self.expect(code, words, "continue", TABLE, "--from", file, "--point", "1", "--vary", "A=0.36:1.2")

    def with_segment(self, **changes):
        for special in self.branch["special"]:
            special["orbit"]["segments"][0].update(changes)
        return self.branch

    def test_every_index_length_and_name_of_a_segment_is_checked_with_its_place(self):
        for name, value in (("index", 1000000000), ("index", -1), ("index", 0.5), ("chatter", 1000000000),
                            ("closed", [0, 0]), ("closed", [7]), ("closed", "no"), ("sign", [1]), ("filippov", [2]),
                            ("end", "nothing"), ("end", 3), ("offset", "inf"), ("turns", [0]), ("x", [1]), ("x", [1, None]),
                            ("duration", 1e300), ("duration", None), ("blows", [[9]]), ("blows", 3), ("together", 1)):
            with self.subTest(name=name, value=value):
                self.branch = json.loads(self.branch_text)
                said = self.refused(self.with_segment(**{name: value}), "changed.json': at special[0].orbit.segments[0]")
                self.assertIn("expected", said)
                self.assertNotIn("fault", said)

    def test_counts_beyond_reason_are_refused(self):
        for value in (1000000000, 1e300, -1, 0, "many", 2.5):
            with self.subTest(returns=value):
                self.refused(self.orbit | {"returns": value}, "at returns: expected a whole number from 1 to 1000")
        self.refused(self.branch | {"points": {}}, "at points: expected a list")
        for special in self.branch["special"]:
            special["orbit"]["periods"] = 10 ** 9
        self.refused(self.branch, "orbit.periods: expected a whole number from 1 to 1000")

    def test_deep_nesting_wrong_types_and_no_json_are_refused_with_the_place(self):
        self.refused("[" * 1000000, "nested more than 32 deep")
        self.refused(self.branch_text[:-20], "no JSON at line")
        self.refused("[]", "at x: expected something")
        self.refused("3", "at x: expected something")
        self.refused('{"x": [1e999, 0]}', "out of range")
        self.refused(self.orbit | {"recipe": {"assignments": {"A": 1}}}, "at recipe.assignments.A: expected a text")
        self.refused(self.orbit | {"label": 3}, "at label: expected a text")

    def test_orbits_of_another_model_are_refused_and_other_text_is_a_warning(self):
        file = self.write("branch.json", self.branch_text)
        text = Path(TABLE).read_text(encoding="utf-8")
        ceiling = self.write("ceiling.toml", text.replace("[forcing]", CEILING + "\n[forcing]"))
        again = ["--from", file, "--point", "PD1", "--vary", "A=0.9:1.2", "--points", "2"]
        self.expect(2, "its contacts are table, here they are table, ceiling", "continue", ceiling, *again)
        renamed = self.write("renamed.toml", text.replace('coordinates = ["z"]', 'coordinates = ["y"]').replace(
            "gap         = \"z", "gap         = \"y").replace('z = "A + 1"', 'y = "A + 1"').split("[observe]")[0])
        self.expect(2, "its components are z, z', here they are y, y'", "continue", renamed, *again)
        retold = self.write("retold.toml", text.replace("Ball on", "A ball on"))
        run = saltus("continue", retold, *again)
        self.assertIn(b"warning: the text of the model is not the one", run.stderr)
        self.assertIn(run.returncode, (0, 1))

    def test_a_model_in_the_recipe_that_is_none_is_refused(self):
        self.orbit["recipe"]["model_text"] = "[" * 100
        self.refused(self.orbit, "the model that it keeps cannot be read")

    def test_a_pipe_that_nobody_fills_is_not_waited_for_when_asked_to_end(self):
        for name, *command in (("pipe.json", "continue", TABLE, "--vary", "A=0.36:1.2", "--from"),
                               ("pipe.nc", "continue", TABLE, "--vary", "A=0.36:1.2", "--from"),
                               ("pipe.csv", "lyapunov", TABLE, "--periods", "3", "--starts")):
            with self.subTest(name=name):
                os.mkfifo(self.file(name))
                run = started(*command, self.file(name))
                wait_until(run, lambda name=name: self.opened_by_a_reader(name))  # and from then on it waits for what comes
                assert_ends(self, run, signal.SIGINT)

    def opened_by_a_reader(self, name):
        try:
            pipe = os.open(self.file(name), os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            return False
        self.addCleanup(os.close, pipe)
        return True

    def test_damaged_netcdf_is_answered_in_words(self):
        file = self.file("branch.nc")
        self.assertEqual(saltus(*BRANCH, "--quiet", "--out", file).returncode, 0)
        good = Path(file).read_bytes()
        again = ["continue", TABLE, "--from", file, "--point", "1", "--vary", "A=0.4:0.6", "--points", "1", "--quiet"]
        for at in range(8, len(good), len(good) // 12):
            Path(file).write_bytes(good[:at] + bytes([good[at] ^ 0xff]) + good[at + 1:])
            run = saltus(*again)
            self.assertIn(run.returncode, (0, 1, 2, 4), (at, run.stderr))
            Path(file).write_bytes(good[:at])
            run = saltus(*again)
            self.assertEqual(run.returncode, 4, (at, run.stderr))
            self.assertIn(b"cannot read", run.stderr)
        Path(file).write_bytes(b"CDF\x01" + bytes(100))
        self.expect(4, "it is no NetCDF-4 file", *again)

    def test_an_address_opens_no_connection(self):
        for address in ("http://127.0.0.1:9/a.nc", "https://127.0.0.1:9/a.nc", "s3://bucket/a.nc", "file:///etc/passwd#mode=zarr.nc"):
            self.expect(4, "No such file or directory", "continue", TABLE, "--from", address, "--vary", "A=0.4:0.6")
            self.expect(4, "No such file or directory", *BRANCH, "--over", address, "--plot", self.file("a.svg"))

    def test_lists_of_starts_are_checked_line_by_line(self):
        length = ["--periods", "3", "--quiet"]
        for text, words in (("z,z'\n1,nan\n", ":2: 'nan' is no number"), ("z,z'\n1\n", ":2: 1 numbers"),
                            ("z,z'\n1,2,3\n", ":2: 3 numbers"), ("y\n1\n", ":1: 'y' is no component"),
                            ("", "no states"), ("\x00\n", "is no component"), ("z\n1e999\n", "is no number")):
            self.expect(4, words, "lyapunov", TABLE, *length, "--starts", self.write("s.csv", text))
        self.expect(4, "is a folder", "lyapunov", TABLE, *length, "--starts", str(self.folder))

    def test_a_forged_journal_gives_neither_data_nor_counts(self):
        out = self.file("map.nc")
        command = ["map", OSCILLATOR, "--vary", "omega=2.5:3.1:6", "--vary", "e=0.4:0.9:4", "--periods", "5",
                   "--quiet", "--out", out]
        self.assertEqual(saltus(*command).returncode, 0)
        whole = Path(out).read_bytes()
        journal = Path(out + ".journal")
        for forged in (b"saltus journal 2\n" + b"f" * 16 + b"\nprogram=x\n", b"saltus journal 1\n", b"\x00" * 4096):
            journal.write_bytes(forged)
            self.expect(2, "journal", *command, "--resume")
        journal.unlink()
        self.assertEqual(saltus(*command).returncode, 0)
        self.assertEqual(Path(out).read_bytes(), whole)

    def test_a_journal_is_neither_written_nor_removed_where_a_link_leads_or_a_pipe_stands(self):
        journal = self.file("map.nc.journal")
        command = ["map", OSCILLATOR, "--vary", "omega=2.5:3.1:2", "--vary", "e=0.4:0.9:2", "--periods", "2", "--quiet",
                   "--out", self.file("map.nc")]
        self.write("empty", "")
        for target in ("empty", "new"):
            os.symlink(target, journal)
            for resume in ([], ["--resume"]):
                self.expect(4, "a journal is no link", *command, *resume)
            self.assertEqual(self.names(), ["empty", "map.nc.journal"])
            self.assertEqual((self.folder / "empty").read_bytes(), b"")
            os.unlink(journal)
        os.mkfifo(journal)
        self.expect(4, "it is no ordinary file", *command)
        self.assertTrue((self.folder / "map.nc.journal").is_fifo())


if __name__ == "__main__":
    unittest.main()
