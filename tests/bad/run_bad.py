"""Wrong models and wrong command lines, each beside the exact message it must give. Run by ctest as `bad_models`.

    tests/bad/run_bad.py --saltus build/dev/bin/saltus [--update] [NAME ...]

A case NAME is made of files in this folder:
    NAME.toml       the model; or
    NAME.make       a Python snippet that writes it: `path` is the pathlib.Path of the file (for files too large or too
                    strange to keep, or one that must not be readable)
    NAME.cmd        optional: another command line than `check {model}`; {model} stands for NAME.toml
    NAME.expected   first line `exit N`, then the text of stderr, exactly

Every case runs in a scratch folder that holds copies of all models, so messages name the file as the user wrote it.
--update writes the .expected files anew; read the difference before you commit it.
"""
import argparse
import difflib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SECONDS = 60  # a hostile file must be refused, not digested


def names():
    return sorted({path.stem for kind in ("*.toml", "*.make", "*.cmd", "*.expected") for path in HERE.glob(kind)})


def observed(name, saltus, scratch):
    """`exit N` and stderr of one case, as text."""
    model = scratch / f"{name}.toml"
    make = HERE / f"{name}.make"
    if make.exists():
        exec(compile(make.read_text(encoding="utf-8"), str(make), "exec"), {"path": model})
    command_file = HERE / f"{name}.cmd"
    command = command_file.read_text(encoding="utf-8").strip() if command_file.exists() else "check {model}"
    arguments = [word.replace("{model}", model.name) for word in shlex.split(command)]
    try:
        done = subprocess.run([saltus, *arguments], cwd=scratch, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"no exit within {SECONDS} s\n"
    return f"exit {done.returncode}\n" + done.stderr.decode("utf-8", "backslashreplace")


def main():
    parser = argparse.ArgumentParser(description="wrong models against their messages")
    parser.add_argument("--saltus", required=True, help="the program")
    parser.add_argument("--update", action="store_true", help="write the expectations anew")
    parser.add_argument("names", nargs="*", help="only these cases")
    options = parser.parse_args()
    saltus = os.path.abspath(options.saltus)

    failures = 0
    cases = options.names or names()
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        for model in HERE.glob("*.toml"):
            shutil.copy(model, scratch)
        for name in cases:
            seen = observed(name, saltus, scratch)
            expected_file = HERE / f"{name}.expected"
            expected = expected_file.read_text(encoding="utf-8") if expected_file.exists() else ""
            if seen == expected:
                continue
            if options.update:
                expected_file.write_text(seen, encoding="utf-8")
                print(f"{name}: updated")
                continue
            failures += 1
            print(f"--- {name}")
            print(*difflib.unified_diff(expected.splitlines(), seen.splitlines(), "expected", "observed", lineterm=""),
                  sep="\n")
    print(f"{len(cases)} wrong models and command lines, {failures} with another message than expected")
    return 1 if failures or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
