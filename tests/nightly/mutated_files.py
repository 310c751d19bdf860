"""mutated_files.py COUNT [SEED]: damaged and forged result files are answered in words.

Files as the program writes them (tests/fuzz/corpus, and a journal) are changed at random: bits, bytes, numbers, members of JSON,
lengths. Each is given to the command that reads it. It must end with an ordinary exit code: no signal, no fault (70), and within
the time limit; one that is still at work then must end when it is asked to.
"""
import copy
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SALTUS = os.environ.get("SALTUS", str(ROOT / "build/release/bin/saltus"))
TABLE = str(ROOT / "examples/vibrating_table.toml")
CORPUS = ROOT / "tests/fuzz/corpus"
SECONDS = 20
VARY = ["--vary", "A=0.95:1.1", "--points", "2", "--quiet"]
MAP = ["map", TABLE, "--vary", "A=0.5:0.9:16", "--vary", "e=0.5:0.8:16", "--periods", "60", "--threads", "1", "--quiet"]
NUMBERS = [0, 1, -1, 2, 0.5, 1e9, 1e15, 2 ** 31, 2 ** 32, 2 ** 63, 2 ** 64, 1e300, -1e300, 1e-300, 10001, 63, 64, 65]


def places(value, found):
    """All (container, key) of a JSON value."""
    for key in (value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()):
        found.append((value, key))
        places(value[key], found)
    return found


def changed_json(rng, data):
    value = json.loads(data)
    for _ in range(rng.randint(1, 3)):
        container, key = rng.choice(places(value, []))
        kind = rng.randrange(6)
        if kind == 0:
            container[key] = rng.choice(NUMBERS)
        elif kind == 1:
            container[key] = rng.choice([None, True, "", "x", [], {}, [[]], "impact", "switch", "chatter", [0] * 100])
        elif kind == 2 and isinstance(container, list):
            del container[key]
        elif kind == 3 and isinstance(container, list):
            container.insert(key, copy.deepcopy(container[key]))
        elif kind == 4:
            container[key] = copy.deepcopy(rng.choice(places(value, []))[0])
        elif isinstance(container[key], (int, float)) and not isinstance(container[key], bool):
            container[key] = container[key] * rng.choice([-1, 2, 1 + 1e-6, 1000])
    return json.dumps(value).encode()


def changed_bytes(rng, data):
    data = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(data)) if data else 0
        kind = rng.randrange(5)
        if kind == 0 and data:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1 and data:
            data[at] = rng.randrange(256)
        elif kind == 2:
            del data[at:at + rng.choice([1, 2, 8, 64, len(data)])]
        elif kind == 3:
            data[at:at] = data[at:at + rng.choice([1, 8, 64])]
        else:
            data[at:at + 8] = rng.choice([b"\xff" * 8, bytes(8), b"\x00" * 7 + b"\x80", b"\xff" * 7 + b"\x7f"])
    return bytes(data)


def ended(command):
    """The exit code; one that takes too long is asked to end, and must."""
    with subprocess.Popen([SALTUS, *command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as run:
        try:
            run.communicate(timeout=SECONDS)
            return run.returncode, False
        except subprocess.TimeoutExpired:
            run.send_signal(signal.SIGTERM)
            try:
                run.communicate(timeout=10)
                return run.returncode, True
            except subprocess.TimeoutExpired:
                run.kill()
                return "hang", True


def kept_journal(folder):
    """The journal of a run that was killed on its way, with some of its tiles."""
    journal = folder / "k.nc.journal"
    for _ in range(100):
        with subprocess.Popen([SALTUS, *MAP, "--out", str(folder / "k.nc")]) as run:
            while run.poll() is None and not (journal.exists() and journal.stat().st_size > 4000):
                time.sleep(0.002)
            run.kill()
        if journal.exists():
            return journal
    raise RuntimeError("no run was killed before its end")


def kinds(folder):
    journal = kept_journal(folder)
    resumed = [*MAP, "--out", str(folder / "k.nc"), "--resume"]
    yield "orbit", [(p.read_bytes(), ".json") for p in sorted((CORPUS / "orbit").iterdir())], \
        lambda file: ["continue", TABLE, "--from", file, "--point", "1", *VARY]
    yield "branch", [(p.read_bytes(), ".json") for p in sorted((CORPUS / "branch").iterdir())], \
        lambda file: ["continue", TABLE, "--from", file, "--point", random.choice(["PD1", "1", "3"]), *VARY]
    yield "branch.nc", [((CORPUS / "diagram/branch.nc").read_bytes(), ".nc")], \
        lambda file: ["continue", TABLE, "--from", file, "--point", "PD1", *VARY]
    yield "diagram.nc", [((CORPUS / "diagram/diagram.nc").read_bytes(), ".nc")], \
        lambda file: ["continue", TABLE, "--case", "period1", "--set", "A=1", *VARY, "--over", file, "--plot", str(folder / "p.svg")]
    yield "starts", [(p.read_bytes(), ".csv") for p in sorted((CORPUS / "starts").iterdir())], \
        lambda file: ["lyapunov", TABLE, "--periods", "2", "--starts", file, "--quiet"]
    yield "journal", [(journal.read_bytes(), ".journal")], lambda file: (shutil.copy(file, journal), resumed)[1]


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    rng = random.Random(seed)
    random.seed(seed)
    codes, slow, bad = Counter(), 0, []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        every = list(kinds(folder))
        for k in range(count):
            kind, seeds, command = every[k % len(every)]
            data, ending = rng.choice(seeds)
            data = changed_json(rng, data) if ending == ".json" and rng.random() < 0.7 else changed_bytes(rng, data)
            file = folder / f"changed{ending}"
            file.write_bytes(data)
            code, late = ended(command(str(file)))
            codes[kind, code] += 1
            slow += late
            if code not in (0, 1, 2, 4, 130):
                bad.append((kind, code))
                kept = ROOT / "build" / f"mutated_{k}{ending}"
                kept.write_bytes(data)
                print(f"{kind}: exit code {code}: {kept}", flush=True)
    for (kind, code), times in sorted(codes.items(), key=str):
        print(f"{kind:12} exit code {code}: {times}")
    print(f"{count} mutated files, {len(bad)} answered wrongly, {slow} still at work after {SECONDS} s")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
