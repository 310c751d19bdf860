"""Nothing is lost: outputs are whole or not there, inputs are never replaced, failures are ordinary ones."""
import os
import re
import resource
import subprocess
import unittest
from pathlib import Path

from hardened_runs import BALL, OSCILLATOR, SALTUS, TABLE, Folder, saltus

HILL = str(Path(BALL).parent / "mathieu_stop.toml")
MAP = ["map", OSCILLATOR, "--vary", "omega=2.5:3.1:6", "--vary", "e=0.4:0.9:4", "--periods", "5", "--quiet"]
RUN = ["simulate", BALL, "--time", "1", "--quiet"]


class Outputs(Folder):
    def test_a_file_name_is_never_a_command(self):
        for name in ("< touch PWNED; .svg", "|touch PWNED #.svg", "`touch PWNED`.svg", "a'b\"c\\d.svg", "-e.svg", "a\nb.svg",
                     "~.svg", "$HOME.svg", "a%d.png", "ä ö.pdf"):
            with self.subTest(name=name):
                run = saltus(*RUN, "--plot", name, cwd=self.folder)
                self.assertEqual(run.returncode, 0, run.stderr)
                stem = name[:-4]
                self.assertEqual(self.names(), sorted([name, stem + ".dat", stem + ".gp"]))
                drawn = (self.folder / name).read_bytes()
                (self.folder / name).unlink()
                again = subprocess.run(["gnuplot", "-d", "./" + stem + ".gp"], cwd=self.folder, capture_output=True, check=False)
                self.assertEqual(again.returncode, 0, again.stderr)
                self.assertEqual(self.names(), sorted([name, stem + ".dat", stem + ".gp"]))
                if name.endswith(".svg"):
                    self.assertEqual((self.folder / name).read_bytes(), drawn)
                for each in self.names():
                    (self.folder / each).unlink()

    def test_every_command_that_draws_takes_titles_and_names_as_data(self):
        title = r'title = "a\'b`touch PWNED`@x_{y}^%s|touch PWNED #\n$(touch PWNED) \\ \" \u0007 {/=50 X}"'.replace("\\'", "'")
        models = {}
        for name, source in (("forced.toml", OSCILLATOR), ("hill.toml", HILL)):
            text = Path(source).read_text(encoding="utf-8")
            models[name] = self.write(name, re.sub(r"(?m)^title\s*=.*$", lambda _: title, text))
        forced, hill = models["forced.toml"], models["hill.toml"]
        picture, short = "x'y`touch PWNED`$(touch PWNED)\"z\\ @{} %d; touch PWNED.svg", ["--periods", "9"]
        grid = ["--vary", "e=0.4:0.9:2", "--vary", "omega=2:3:2"]
        for command in (["simulate", forced, *short, "--plot-kind", "phase"], ["lyapunov", forced, *short], ["section", forced, *short],
                        ["diagram", forced, *grid[:2], *short, "--lyapunov"], ["map", forced, *grid, *short], ["orbit", forced],
                        ["basin", forced, "--vary", "x=-1:0:2", "--vary", "x'=-1:1:2", *short], ["response", forced, *grid[2:], *short],
                        ["continue", forced, "--set", "omega=2.4", "--vary", "omega=2.399:2.401"], ["hill", hill],
                        ["hill", hill, "--vary", "alpha=-8:32:3", "--vary", "beta=0:12:3"]):
            with self.subTest(command=command[0]):
                run = saltus(*command, "--quiet", "--plot", picture, cwd=self.folder)
                self.assertEqual(run.returncode, 0, run.stderr)
                data = [picture[:-4] + ending for ending in (".dat", ".gp", ".bin") if picture[:-4] + ending in self.names()]
                self.assertEqual(self.names(), sorted([*models, picture, *data]))
                again = subprocess.run(["gnuplot", "-d", "./" + picture[:-4] + ".gp"], cwd=self.folder, capture_output=True, check=False)
                self.assertEqual((again.returncode, self.names()), (0, sorted([*models, picture, *data])), again.stderr)
                for each in [picture, *data]:
                    (self.folder / each).unlink()

    def test_titles_are_drawn_as_they_are(self):
        for title in ("Free fall: z'' = -g", "'quoted'", "''", 'say "no"', "back\\slash \\n \\101", "a_{b}^c {/Bold d}", "100 % %d %s",
                      "@x @", "`touch PWNED`", "$x $(touch PWNED)", "Größe α → ∞", "#5; system('touch PWNED')"):
            with self.subTest(title=title):
                escaped = title.replace("\\", "\\\\").replace('"', '\\"')
                model = self.write("m.toml", f'title = "{escaped}"\n' + Path(BALL).read_text(encoding="utf-8").split("[parameters]")[0]
                                   .rsplit("title", 1)[0].split("#")[0] + "[parameters]"
                                   + Path(BALL).read_text(encoding="utf-8").split("[parameters]")[1])
                run = saltus("simulate", model, "--time", "1", "--quiet", "--plot", self.file("m.svg"), cwd=self.folder)
                self.assertEqual(run.returncode, 0, run.stderr)
                picture = (self.folder / "m.svg").read_text(encoding="utf-8")
                shown = title.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
                self.assertIn(shown, picture)
                self.assertNotIn("PWNED", self.names())

    def test_a_title_of_two_lines_is_two_lines_in_the_picture(self):
        text = Path(BALL).read_text(encoding="utf-8")
        model = self.write("m.toml", 'title = "first\\nsecond"\n[parameters]' + text.split("[parameters]")[1])
        self.assertEqual(saltus("simulate", model, "--time", "1", "--quiet", "--plot", self.file("m.svg")).returncode, 0)
        picture = (self.folder / "m.svg").read_text(encoding="utf-8")
        self.assertRegex(picture, r"(?s)first</text>.*second</text>")

    def test_the_environment_does_not_choose_how_it_is_drawn(self):
        pictures = set()
        for more in ({}, {"GNUTERM": "x11"}, {"GNUTERM": "nonsense; system('touch PWNED')"}, {"GNUPLOT_DEFAULT_GDFONT": "none"},
                     {"GNUPLOT_PS_DIR": "/nowhere", "FIT_LOG": "/nowhere/log", "COLUMNS": "1", "SALTUS_CODEGEN": ""}):
            run = saltus(*RUN, "--plot", self.file("m.svg"), cwd=self.folder, env={**os.environ, **more})
            self.assertEqual(run.returncode, 0, run.stderr)
            pictures.add((self.folder / "m.svg").read_bytes())
        self.assertEqual((len(pictures), self.names()), (1, ["m.dat", "m.gp", "m.svg"]))

    def test_a_picture_without_a_point_is_drawn(self):
        self.expect(1, "never met", "section", BALL, "--time", "0.1", "--surface", "z-100", "--plot", self.file("empty.svg"))
        self.assertIn("empty.svg", self.names())

    def test_the_file_is_written_before_the_picture_is_drawn(self):
        run = saltus(*RUN, "--out", self.file("a.csv"), "--plot", self.file("a.svg"), env={"PATH": "/nowhere"})
        self.assertEqual(run.returncode, 4)
        self.assertIn(b"gnuplot is not installed", run.stderr)
        self.assertIn("a.csv", self.names())
        run = saltus(*MAP, "--out", self.file("m.nc"), "--plot", self.file("m.png"), env={"PATH": "/nowhere"})
        self.assertEqual(run.returncode, 4)
        self.assertIn("m.nc", self.names())
        self.assertNotIn("m.nc.journal", self.names())

    def test_a_failed_run_does_not_replace_a_good_result(self):
        for name in ("o.json", "o.nc", "o.csv"):
            with self.subTest(name=name):
                good = ["orbit", OSCILLATOR, "--transient", "50", "--out", self.file(name)]
                self.assertEqual(saltus(*good).returncode, 0)
                before = (self.folder / name).read_bytes()
                bad = ["orbit", OSCILLATOR, "--case", "chaos", "--period", "3", "--iterations", "2", "--out", self.file(name)]
                for _ in range(2):  # an incomplete result replaces an incomplete one
                    run = saltus(*bad)
                    self.assertEqual(run.returncode, 1, run.stderr)
                    self.assertEqual((self.folder / name).read_bytes(), before)
                    self.assertIn(name.replace(".", ".partial."), self.names())
                self.assertEqual(saltus(*good).returncode, 0)
                self.assertEqual((self.folder / name).read_bytes(), before)

    def test_an_incomplete_result_without_a_better_one_has_the_name_that_was_asked_for(self):
        bad = ["orbit", OSCILLATOR, "--case", "chaos", "--period", "3", "--iterations", "2", "--out", self.file("o.json")]
        for _ in range(2):
            self.assertEqual(saltus(*bad).returncode, 1)
            self.assertEqual(self.names(), ["o.json"])

    def test_what_is_read_is_not_written(self):
        model = self.write("m.json", Path(TABLE).read_text(encoding="utf-8"))
        before = Path(model).read_bytes()
        os.symlink("m.json", self.file("link.json"))
        os.link(model, self.file("hard.json"))
        for name in ("m.json", "link.json", "hard.json"):
            for command in (["check", model], ["equations", model], ["show", "model", model], ["simulate", model, "--time", "1"],
                            ["orbit", model], ["continue", model, "--vary", "A=0.4:0.6"]):
                self.expect(2, "is read by this command", *command, "--out", self.file(name))
        orbit = self.file("o.json")
        self.assertEqual(saltus("orbit", TABLE, "--case", "period1", "--quiet", "--out", orbit).returncode, 0)
        self.expect(2, "is read by this command", "continue", TABLE, "--from", orbit, "--vary", "A=0.4:0.6", "--out", orbit)
        starts = self.write("s.csv", "z\n2\n")
        self.expect(2, "is read by this command", "lyapunov", TABLE, "--periods", "3", "--starts", starts, "--out", starts)
        self.assertEqual(Path(model).read_bytes(), before)

    def test_links_are_followed(self):
        for command in (["check", BALL], RUN):
            (self.folder / "real.json").write_text("old", encoding="utf-8")
            if not (self.folder / "link.json").is_symlink():
                os.symlink("real.json", self.file("link.json"))
            self.assertEqual(saltus(*command, "--out", self.file("link.json")).returncode, 0)
            self.assertTrue((self.folder / "link.json").is_symlink())
            self.assertIn("{", (self.folder / "real.json").read_text(encoding="utf-8"))

    def test_ordinary_failures_are_ordinary(self):
        os.symlink("b.toml", self.file("a.toml"))
        os.symlink("a.toml", self.file("b.toml"))
        long = "x" * 300
        for words, *command in (
                ("Too many levels of symbolic links", "check", self.file("a.toml")),
                ("Too many levels of symbolic links", *RUN, "--out", self.file("a.toml") + "/x.csv"),
                ("File name too long", "check", self.file(long + ".toml")),
                ("File name too long", *RUN, "--out", self.file(long + ".csv")),
                ("File name too long", *RUN, "--plot", self.file(long + ".svg")),
                ("No such file or directory", *RUN, "--out", self.file("no/a.csv")),
                ("Not a directory", *RUN, "--out", BALL + "/a.csv"),
                ("Not a directory", "check", BALL + "/m.toml"),
                ("Is a directory", "check", BALL, "--out", self.file_folder("d.json"))):
            self.expect(4, words, *command)

    def file_folder(self, name):
        (self.folder / name).mkdir(exist_ok=True)
        return self.file(name)

    def test_a_missing_temporary_folder_is_an_ordinary_failure(self):
        environment = {**os.environ, "TMPDIR": self.file("missing")}
        said = self.expect(4, "No such file or directory", *MAP, env=environment)
        self.assertIn("TMPDIR", said)
        self.expect(0, "", *RUN, "--plot", self.file("a.svg"), env=environment)

    def test_a_file_that_may_not_grow_is_an_ordinary_failure(self):
        def small():
            resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        for name in ("a.nc", "a.csv", "a.json"):
            self.expect(4, "File too large", *RUN, "--samples", "1000", "--out", self.file(name), preexec_fn=small)
        self.expect(4, "File too large", *MAP, "--out", self.file("m.nc"), preexec_fn=small)
        self.assertEqual([name for name in self.names() if name.endswith(".part")], [])

    def test_a_full_disk_says_so(self):
        disk = self.folder / "disk"
        disk.mkdir()
        mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "saltus_test", str(disk)], capture_output=True, check=False)
        if mount.returncode != 0:
            self.skipTest("no right to mount")
        self.addCleanup(subprocess.run, ["umount", str(disk)], check=True)
        for name in ("a.nc", "a.csv", "a.json"):
            said = self.expect(4, "No space left on device", *RUN, "--samples", "3000", "--out", str(disk / name))
            self.assertNotIn("denied", said)
        self.assertEqual(list(disk.iterdir()), [])
        # A map without --out keeps its tiles in a file without a name, which the message cannot tell.
        (disk / "other").write_bytes(bytes(15000))
        large = [*MAP[:2], "--vary", "omega=2.5:3.1:12", "--vary", "e=0.4:0.9:8", *MAP[6:]]
        self.expect(4, f"cannot write a temporary file in '{disk}': No space left on device", *large,
                    env={**os.environ, "TMPDIR": str(disk)})

    def test_a_library_without_a_descriptor_of_its_own_does_not_speak_of_permissions(self):
        words = [SALTUS, *RUN, "--out", self.file("a.nc")]
        run = subprocess.run(["sh", "-c", 'ulimit -n 4; exec "$@"', "sh", *words], capture_output=True, check=False, timeout=100)
        self.assertEqual(run.returncode, 4, run.stderr)
        self.assertIn(b"Too many open files", run.stderr)
        self.assertEqual(self.names(), [])

    def test_a_machine_that_gives_no_thread_is_an_ordinary_failure(self):
        user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.getuid() == 0 else []  # root has no such limit

        def alone(*arguments, threads=1):
            return subprocess.run([*user, "bash", "-c", f'ulimit -u {threads}; exec "$@"', "bash", SALTUS, *arguments],
                                  capture_output=True, check=False, timeout=100)
        if alone("check", BALL).returncode != 0:
            self.skipTest("no other user, or one that may not read the program")
        self.assertEqual(alone(*RUN).returncode, 0)  # compiled one after the other
        for command in (MAP, ["hill", HILL, "--vary", "alpha=-8:32:21", "--vary", "beta=0:12:11", "--quiet"]):
            with self.subTest(command=command[0]):
                run = alone(*command, "--threads", "1001")
                self.assertEqual((run.returncode, b"--threads 1001" in run.stderr), (2, True), run.stderr)
                run = alone(*command, "--threads", "3")
                self.assertEqual(run.returncode, 4, run.stderr)
                self.assertIn(b"no further thread can be started", run.stderr)
                self.assertEqual(alone(*command, "--threads", "1").returncode, 0)
        # Threads start each other, as long as there is work: it may be one of them that cannot, and nobody catches what it throws.
        for threads in (2, 3, 10, 100):
            run = alone(*MAP, "--threads", "1000", threads=threads)
            self.assertIn(run.returncode, (0, 4), run.stderr)
            self.assertEqual(b"no further thread can be started" in run.stderr, run.returncode == 4, run.stderr)

    def test_want_of_memory_is_an_ordinary_failure(self):
        def poor():
            resource.setrlimit(resource.RLIMIT_AS, (2 ** 31, 2 ** 31))
        if saltus("check", BALL, preexec_fn=poor).returncode != 0:
            self.skipTest("the program itself needs more, as with sanitizers")
        self.expect(4, "out of memory", "diagram", OSCILLATOR, "--vary", "e=0.1:0.9:1000000000", "--periods", "3", preexec_fn=poor)
        # Too little to load the code generator, for its tables, to compile: LLVM itself would end the program by a signal.
        for megabytes in (100, 150, *range(264, 480, 24)):
            most = megabytes * 2 ** 20
            run = saltus(*MAP, preexec_fn=lambda most=most: resource.setrlimit(resource.RLIMIT_AS, (most, most)))
            self.assertIn(run.returncode, (0, 4), (megabytes, run.stderr))

    def test_a_closed_descriptor_does_not_become_a_file(self):
        for closed in ("2>&-", "1>&-", "0<&-", "0<&- 1>&- 2>&-"):
            out = self.file("m.nc")
            command = " ".join(f"'{word}'" for word in [SALTUS, *[w for w in MAP if w != "--quiet"], "--out", out])
            run = subprocess.run(["sh", "-c", f"{command} {closed}"], check=False, timeout=100)
            self.assertIn(run.returncode, (0, 4))  # 4: the summary cannot be written
            self.assertTrue(Path(out).read_bytes().startswith(b"\x89HDF"))
            self.assertEqual(self.names(), ["m.nc"])
            Path(out).unlink()

    def test_what_a_killed_run_left_is_removed(self):
        import signal
        import time
        out = self.file("long.csv")
        run = subprocess.Popen([SALTUS, "simulate", BALL, "--time", "4", "--samples", "2000000", "--quiet", "--out", out])
        deadline = time.time() + 60
        while time.time() < deadline and run.poll() is None and not any(n.endswith(".part") for n in self.names()):
            time.sleep(0.005)
        run.send_signal(signal.SIGKILL)
        run.wait()
        self.assertEqual(saltus(*RUN, "--out", self.file("other.csv")).returncode, 0)
        self.assertEqual([name for name in self.names() if name.endswith(".part")], [])


if __name__ == "__main__":
    unittest.main()
