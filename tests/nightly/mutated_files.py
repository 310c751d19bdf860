"""mutated_files.py COUNT [SEED [JOBS]]: damaged and forged result files are answered in words.

Files as the program writes them (tests/fuzz/corpus, orbits and branches with slides and chatters, journals of killed runs) are changed
at random: bits, bytes, numbers, members of JSON, lengths. Each is given to the command that reads it. It must end with an ordinary exit
code: no signal, no fault (70), and within 20 s of a processor; one that is still at work then is wrong, and asked to end, it must. Kernels are
interpreted (saltus/kernel/interpreted_code.cpp), so that most commands take some milliseconds; every hundredth compiles them as users' runs do.
"""
import copy
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SALTUS = os.environ.get("SALTUS", str(ROOT / "build/release/bin/saltus"))
INTERPRETED = {**os.environ, "SALTUS_CODEGEN": str(Path(SALTUS).parents[1] / "lib/saltus_interpreted.so")}
TABLE, SLIP, DRY = (str(ROOT / "examples" / name) for name in ("vibrating_table.toml", "stick_slip.toml", "dry_friction.toml"))
OSCILLATOR = str(ROOT / "examples/impact_oscillator.toml")
CORPUS = ROOT / "tests/fuzz/corpus"
SECONDS = 20  # of a processor
SHORT = ["--points", "2", "--quiet"]
VARY = ["--vary", "A=0.95:1.1", *SHORT]
MAP = ["map", OSCILLATOR, "--vary", "omega=2.5:3.1:16", "--vary", "e=0.4:0.9:8", "--periods", "8", "--threads", "1", "--quiet"]
RESPONSE = ["response", OSCILLATOR, "--vary", "omega=2.5:3.1:16", "--periods", "8", "--threads", "1", "--quiet"]
# Orbits and branches with what the corpus does not have: chatters, slides along switches, limits of both.
MADE = {
    "chatter.json": ["orbit", TABLE, "--set", "A=1.9", "--set", "e=0.3", "--transient", "30", "--samples", "2"],
    "chatters.json": ["continue", TABLE, "--set", "A=1.9", "--set", "e=0.3", "--transient", "30", "--vary", "A=1.88:2"],
    "slide.json": ["orbit", SLIP, "--transient", "50", "--samples", "2"],
    "slides.json": ["continue", SLIP, "--set", "belt=1.3", "--transient", "50", "--vary", "belt=1.2:1.5"],
    "dry.json": ["orbit", DRY, "--transient", "50", "--samples", "2"],
    "drys.json": ["continue", DRY, "--transient", "50", "--vary", "A=1.3:1.5"],
}
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


def ends(run, seconds):
    """True if it ends before it has used so much of a processor, or before a machine that gives it none has had ten minutes."""
    def used():
        fields = Path(f"/proc/{run.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    most, last = used() + seconds, time.monotonic() + 600
    while time.monotonic() < last:
        try:
            run.wait(timeout=1)
            return True
        except subprocess.TimeoutExpired:
            if used() > most:
                return False
    return False


def ended(command, environment):
    """The exit code; one that takes too long is asked to end, and must."""
    with subprocess.Popen([SALTUS, *command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          env=environment) as run:
        if ends(run, SECONDS):
            return run.returncode, False
        run.send_signal(signal.SIGTERM)
        if ends(run, 2):
            return run.returncode, True
        run.kill()
        return "hang", True


def kept_journal(folder, command, name):
    """The journal of a run that was killed on its way, with some of its tiles."""
    out = folder / name
    journal = folder / (name + ".journal")
    for _ in range(200):
        with subprocess.Popen([SALTUS, *command, "--out", str(out)], env=INTERPRETED) as run:
            while run.poll() is None and not (journal.exists() and journal.stat().st_size > 3000):
                time.sleep(0.0005)
            run.kill()
        if journal.exists():
            return journal
    raise RuntimeError("no run was killed before its end")


def made(folder, name):
    run = subprocess.run([SALTUS, *MADE[name], "--quiet", "--out", str(folder / name)], check=False, env=INTERPRETED)
    if run.returncode not in (0, 1):
        raise RuntimeError(f"{name}: exit code {run.returncode}")
    return ((folder / name).read_bytes(), ".json")


def kinds(folder, rng):
    """Of each kind its name, the files to begin with, the command that reads one."""
    def corpus(name):
        return [(p.read_bytes(), p.suffix) for p in sorted((CORPUS / name).iterdir())]

    def again(model, points, *vary):
        return lambda file: ["continue", model, "--from", file, *(["--point", rng.choice(points)] if points else []), *vary, *SHORT]

    yield "orbit", corpus("orbit"), again(TABLE, [], "--vary", "A=0.3:1.4")
    yield "branch", corpus("branch"), again(TABLE, ["PD1", "1", "3"], "--vary", "A=0.95:1.1")
    yield "branch.nc", [((CORPUS / "diagram/branch.nc").read_bytes(), ".nc")], again(TABLE, ["PD1"], "--vary", "A=0.95:1.1")
    yield "diagram.nc", [((CORPUS / "diagram/diagram.nc").read_bytes(), ".nc")], \
        lambda file: ["continue", TABLE, "--case", "period1", "--set", "A=1", *VARY, "--over", file, "--plot", str(folder / "p.svg")]
    yield "starts", corpus("starts"), lambda file: ["lyapunov", TABLE, "--periods", "2", "--starts", file, "--quiet"]
    for name, command in (("map", MAP), ("response", RESPONSE)):
        journal = kept_journal(folder, command, name + ".nc")
        yield name + " journal", [(journal.read_bytes(), ".journal")], \
            lambda file, journal=journal, command=command: (shutil.copy(file, journal), [*command, "--out", str(journal)[:-8], "--resume"])[1]
    yield "chatter", [made(folder, "chatter.json")], again(TABLE, [], "--vary", "A=1.88:2")
    yield "chatters", [made(folder, "chatters.json")], again(TABLE, ["SL1", "1", "9"], "--vary", "A=1.88:2")
    yield "slide", [made(folder, "slide.json")], again(SLIP, [], "--vary", "belt=0.3:1.5")
    yield "slides", [made(folder, "slides.json")], again(SLIP, ["SL1", "1", "3"], "--vary", "belt=1.2:1.5")
    yield "dry", [made(folder, "dry.json"), made(folder, "drys.json")], again(DRY, ["SL1", "1", "3"], "--vary", "A=1.2:1.8")


def tried(count, seed):
    """How often each kind has ended with each code, how many were late, what was answered wrongly."""
    rng = random.Random(seed)
    codes, slow, bad = Counter(), 0, 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        every = list(kinds(folder, rng))
        for k in range(count):
            kind, seeds, command = every[k % len(every)]
            data, ending = rng.choice(seeds)
            data = changed_json(rng, data) if ending == ".json" and rng.random() < 0.7 else changed_bytes(rng, data)
            file = folder / f"changed{ending}"
            file.write_bytes(data)
            code, late = ended(command(str(file)), None if k % 100 == 99 else INTERPRETED)
            codes[kind, code] += 1
            slow += late
            if late or code not in (0, 1, 2, 4, 130):
                kept = ROOT / "build" / f"mutated_{seed}_{k}{ending}"
                kept.write_bytes(data)
                print(f"{kind}: exit code {code}{', still at work' if late else ''}: {kept}", flush=True)
                bad += 1
            if k % 1000 == 999:
                print(f"seed {seed}: {k + 1} files, {bad} answered wrongly, {slow} still at work after {SECONDS} s", flush=True)
    return codes, slow, bad


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    jobs = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    shares = [count // jobs + (j < count % jobs) for j in range(jobs)]
    with ThreadPoolExecutor(jobs) as pool:
        parts = list(pool.map(tried, shares, range(seed, seed + jobs)))
    codes = sum((part[0] for part in parts), Counter())
    slow, bad = sum(part[1] for part in parts), sum(part[2] for part in parts)
    for (kind, code), times in sorted(codes.items(), key=str):
        print(f"{kind:16} exit code {code}: {times}")
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    print(f"{count} mutated files, {bad} answered wrongly, {slow} still at work after {SECONDS} s; the largest process had {largest} MB")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
