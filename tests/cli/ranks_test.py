"""A rank that fails before, during or after the work ends all ranks, with its message and its exit code."""
import shutil
import subprocess
import unittest
from pathlib import Path

from sweep_runs import DIAGRAM, MPIRUN, SALTUS, SMALL_MAP, SweepCase, mpirun


@unittest.skipIf(shutil.which("mpirun") is None, "no mpirun")
class Ranks(SweepCase):
    def ends(self, code, words, *arguments, **options):
        run = mpirun(3, *arguments, **options)  # ends within the timeout, or the test fails
        self.assertEqual(run.returncode, code, run.stderr)
        self.assertIn(words, run.stderr)

    def test_an_old_journal_ends_all_before_the_work(self):
        for command in (SMALL_MAP, DIAGRAM):
            out = self.file("a.nc")
            Path(out + ".journal").write_bytes(b"of somebody else")
            self.ends(2, "add --resume", *command, "--out", out)
            self.ends(2, "is no journal of this program", *command, "--out", out, "--resume")
            Path(out + ".journal").unlink()

    def test_a_file_that_cannot_be_written_ends_all_before_the_work(self):
        self.ends(4, "No such file or directory", *SMALL_MAP, "--out", self.file("missing/a.nc"))

    def test_one_rank_alone_that_fails_ends_all(self):
        model = self.file("m.toml")
        shutil.copy(SMALL_MAP[1], model)
        script = f'[ "$OMPI_COMM_WORLD_RANK" = 1 ] && exec "{SALTUS}" map "{self.file("none.toml")}" --vary omega=2:3:9 --vary e=0.4:0.9:9 --periods 9\n' \
                 f'exec "{SALTUS}" "$@"'
        run = subprocess.run([*MPIRUN, "-n", "3", "sh", "-c", script, "sh", "map", model, *SMALL_MAP[2:]],
                             capture_output=True, text=True, timeout=200, check=False)
        self.assertEqual(run.returncode, 4, run.stderr)
        self.assertIn("none.toml", run.stderr)

    def test_one_rank_with_other_options_ends_all(self):
        # The numbers of both were mixed in one result, with exit code 0.
        model = self.file("m.toml")
        shutil.copy(SMALL_MAP[1], model)
        script = f'[ "$OMPI_COMM_WORLD_RANK" = 1 ] && exec "{SALTUS}" "$@" --rtol 1e-6\nexec "{SALTUS}" "$@"'
        for command in (SMALL_MAP, DIAGRAM):
            run = subprocess.run([*MPIRUN, "-n", "3", "sh", "-c", script, "sh", command[0], model, *command[2:]],
                                 capture_output=True, text=True, timeout=200, check=False)
            self.assertEqual(run.returncode, 2, run.stderr)
            self.assertIn("process 1 of mpirun computes something else than process 0", run.stderr)

    def test_a_file_that_may_not_grow_ends_all_during_or_after_the_work(self):
        script = '[ "$OMPI_COMM_WORLD_RANK" = 0 ] && ulimit -f 3\nexec "$@"'
        run = subprocess.run([*MPIRUN, "-n", "3", "sh", "-c", script, "sh", SALTUS, *SMALL_MAP, "--out", self.file("a.nc")],
                             capture_output=True, text=True, timeout=200, check=False)
        self.assertEqual(run.returncode, 4, run.stderr)
        self.assertIn("File too large", run.stderr)


if __name__ == "__main__":
    unittest.main()
