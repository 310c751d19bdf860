#!/usr/bin/env python3
"""The net under a change of the engine: what the program prints, for every command on every example and case.
    tools/record_outputs.py record PROGRAM FOLDER     runs them and keeps their output, one file each
    tools/record_outputs.py record PROGRAM FOLDER WORDS   only those whose names match this regular expression
    tools/record_outputs.py compare FOLDER FOLDER     which files differ, and how; exit 1 if some do
Small settings: motions by Runge-Kutta and in closed form, spectra, sections, orbits, branches, responses, sweeps with one
thread and two, lanes full and partly filled."""
import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIMIT = 600  # seconds for one run


def cases(model: Path) -> list[list[str]]:
    names = re.findall(r"^\[case\.(\w+)\]", model.read_text(), re.M)
    return [[]] + [["--case", name] for name in names]


def motions(length: list[str], short: list[str]) -> dict[str, list[str]]:
    runs = {}
    for method in ("rk", "exact"):
        runs[f"simulate_{method}"] = ["simulate", *length, "--report", "--samples", "17", "--method", method]
        runs[f"lyapunov_{method}"] = ["lyapunov", *length, "--method", method]
        runs[f"section_{method}"] = ["section", *length, "--method", method]
        runs[f"orbit_{method}"] = ["orbit", *short, "--method", method]
    return runs


def sweep(parameter: str, value: float, length: list[str]) -> dict[str, list[str]]:
    runs = {}
    for threads in ("1", "2"):
        for count in ("3", "16"):  # lanes partly filled, lanes full and filled again
            vary = f"{parameter}={value}:{value * 1.05}:{count}"
            runs[f"diagram_{count}_{threads}"] = ["diagram", "--vary", vary, *length, "--lyapunov", "--threads", threads]
    runs["continue"] = ["continue", "--vary", f"{parameter}={value}:{value * 1.02}"]
    return runs


def runs_of(model: Path) -> dict[str, list[str]]:
    text = model.read_text()
    if "[hill]" in text:
        return {"hill": ["hill"], "show": ["show", "events"]}
    forced = "[forcing]" in text
    length = ["--periods", "12"] if forced else ["--time", "12"]
    runs = motions(length, [])
    numbers = re.findall(r"^(\w+)\s*=\s*([0-9.]+)\s*(?:#.*)?$", text.split("[parameters]")[-1].split("\n[")[0], re.M)
    if numbers and (forced or "[section]" in text):
        name, value = numbers[0]
        runs |= sweep(name, float(value), length)
    return runs


def record(program: str, folder: Path, wanted: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    jobs = []
    for model in sorted((ROOT / "examples").glob("*.toml")):
        for case in cases(model):
            for name, words in runs_of(model).items():
                file = folder / "__".join([model.stem, *case[1:], name])
                if re.search(wanted, file.name):
                    jobs.append((file, [program, words[0], f"examples/{model.name}", *words[1:], *case, "--json", "--quiet"]))

    def one(job: tuple[Path, list[str]]) -> None:
        file, command = job
        try:
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=LIMIT)
            file.write_text(f"exit {done.returncode}\n{done.stdout}{done.stderr}")
        except subprocess.TimeoutExpired:
            file.write_text(f"no end in {LIMIT} s\n")

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(one, jobs))
    print(f"{len(jobs)} outputs")


def differences(a, b, place: str = "") -> list[str]:
    """Places in two JSON values that differ, the first of each kind."""
    if isinstance(a, dict) and isinstance(b, dict):
        found = [f"{place}.{k} only on one side" for k in a.keys() ^ b.keys()]
        return found + [d for k in a.keys() & b.keys() for d in differences(a[k], b[k], f"{place}.{k}")]
    if isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            return [f"{place}: {len(a)} and {len(b)} entries"]
        return [d for i, (x, y) in enumerate(zip(a, b)) for d in differences(x, y, f"{place}[{i}]")]
    return [] if a == b else [f"{place}: {a} and {b}"]


def compare(left: Path, right: Path) -> int:
    names = sorted({f.name for f in left.iterdir()} | {f.name for f in right.iterdir()})
    wrong = 0
    for name in names:
        if not (left / name).exists() or not (right / name).exists():
            print(f"{name}: only on one side")
            wrong += 1
            continue
        a, b = ((folder / name).read_text() for folder in (left, right))
        if a == b:
            continue
        wrong += 1
        try:
            found = differences(json.loads(a.split("\n", 1)[1]), json.loads(b.split("\n", 1)[1]))
        except ValueError:
            found = [f"{a[:120]!r} and {b[:120]!r}"]
        print(f"{name}: {len(found)} places, the first: {found[0] if found else 'exit code'}")
    print(f"{len(names) - wrong} of {len(names)} the same")
    return wrong > 0


def main() -> int:
    if len(sys.argv) in (4, 5) and sys.argv[1] == "record":
        record(str(Path(sys.argv[2]).resolve()), Path(sys.argv[3]), sys.argv[4] if len(sys.argv) == 5 else "")
        return 0
    if len(sys.argv) == 4 and sys.argv[1] == "compare":
        return compare(Path(sys.argv[2]), Path(sys.argv[3]))
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main())
