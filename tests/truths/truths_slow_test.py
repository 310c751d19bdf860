"""Models from other people's programs and papers, and models that are meant to mislead, each against its truth: a closed
form, another program's number, or what must not be said. The program is in SALTUS; a word on the command line selects by name."""
import json
import math
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

MODELS = Path(__file__).resolve().parent / "models"
SALTUS = os.environ.get("SALTUS", "build/release/bin/saltus")
TRUTHS = []


def truth(name, command, model, *options, limit=120):
    """Adds a judge: it gets the JSON object and the exit code and gives (right?, what was found)."""
    words = [command, str(MODELS / f"{model}.toml"), *(str(o) for o in options)]

    def add(judge):
        TRUTHS.append((name, words, limit, judge))

    return add


def close(got, want, tolerance):
    return abs(got - want) <= tolerance * max(1.0, abs(want))


def final(*want, tolerance=1e-6):
    """The last state: q, v, then the states of first order; None is not compared."""
    def judge(result, code):
        end = result["final"]
        got = end["q"] + end["v"] + end.get("z", [])
        right = result["outcome"] == "reached_end" and all(
            close(g, w, tolerance) for g, w in zip(got, want) if w is not None)
        return right, got
    return judge


def last(*want, tolerance=1e-6):
    def judge(result, code):
        got = result["final"]["z"][-len(want):]
        return all(close(g, w, tolerance) for g, w in zip(got, want)), got
    return judge


def events(kind, least=1):
    def judge(result, code):
        count = sum(e["kind"] == kind for e in result["events"])
        return count >= least, f"{count} of {kind}"
    return judge


def event_at(kind, t, tolerance=1e-9):
    def judge(result, code):
        times = [e["t"] for e in result["events"] if e["kind"] == kind]
        return any(abs(x - t) <= tolerance for x in times), times[:4]
    return judge


def says(*words):
    return lambda result, code: (result["verdict"] in words or any(w in result["verdict"] for w in words), result["verdict"])


def never_says(word):
    return lambda result, code: (word not in result["verdict"], result["verdict"])


def outcome(*names):
    return lambda result, code: (code == 1 and result["outcome"] in names, (code, result["outcome"]))


def ends(result, code):
    return code is not None, code


# ---- events that long steps must not pass over
truth("a ball falls on a disc", "simulate", "missed_impact_falling_ball", "--set", "a=0", "--time", 10)(events("impact"))
truth("a pendulum meets a nail", "simulate", "missed_impact_pendulum", "--time", 1.5)(events("impact"))
truth("a thin region", "simulate", "thin_region", "--set", "c=500.3", "--set", "r=3", "--time", 1000)(
    last(2 * math.sqrt(9 - 0.04)))

# ---- switches that accumulate
truth("twisting comes to rest", "simulate", "switch_missed_after_accumulation", "--time", 40)(final(0, 0))
truth("two relays", "simulate", "two_relays_endless", "--time", 2)(last(0, 0))
# Roots at the limit: infinite slopes beside the surface, none along it.
truth("super-twisting", "simulate", "super_twisting", "--time", 3)(last(0, 0))
truth("its accumulation time", "simulate", "super_twisting", "--time", 3)(event_at("accumulation", 1.911227994404))
truth("preload and dry friction", "simulate", "preload_and_dry_friction", "--time", 40)(final(0, 0))
truth("Fuller's problem", "simulate", "fuller", "--time", 5)(last(0, 0))
truth("Fuller's accumulation time", "simulate", "fuller", "--time", 5)(event_at("accumulation", 2.7154237317))
truth("relays that accumulate", "simulate", "switch_zeno", "--time", 5)(last(0, 0))
truth("their accumulation time", "simulate", "switch_zeno", "--time", 5)(event_at("accumulation", 0.65))

# ---- conditions that jump, and windows
truth("a belt that reverses, 2.5", "simulate", "reversing_belt", "--time", 2.5)(final(1.3526, tolerance=2e-4))
truth("a belt that reverses, 10", "simulate", "reversing_belt", "--time", 10)(final(1.3110, tolerance=2e-4))
truth("a set point that jumps, 12.5", "simulate", "nested_switch", "--time", 12.5)(last(-1))
truth("a set point that jumps, 15.5", "simulate", "nested_switch", "--time", 15.5)(last(1))
truth("a triangle by acos(cos)", "simulate", "triangle_carrier", "--periods", 20)(
    last(12.0045199117, 0.5422880058, tolerance=1e-7))
truth("a pulse behind abs", "simulate", "pulse", "--time", 5)(final(None, 2))

# ---- rest on a surface, which is left when another is met
for METHOD in ("rk", "auto"):
    truth(f"a peak detector, {METHOD}", "simulate", "peak_detector", "--time", 14.5, "--method", METHOD)(
        final(1.3460850032, None, 1.4249901943, tolerance=1e-8))
    truth(f"an elastoplastic oscillator, {METHOD}", "simulate", "elastoplastic", "--time", 40, "--method", METHOD)(
        final(-0.30310490133, 2.63380571246, 1, tolerance=1e-8))
truth("one that yields early", "simulate", "elastoplastic", "--set", "yield=0.3", "--time", 40, "--method", "exact")(
    final(-2.20161076784, 1.95762141123, 0.3, tolerance=1e-8))

# ---- starts on a surface
truth("rest on sign(x)", "simulate", "start_on_switch", "--time", 5)(final(0, 0))
for run in (["--periods", 2], ["--periods", 1, "--transient", 1]):
    truth(f"a switch at the strobe, {len(run)} words", "simulate", "bb", "--set", "x=0.546940624", "--set",
          "x'=-0.798036880", *run)(final(0.546940624, -0.79803688, tolerance=1e-4))
truth("coincident switches", "simulate", "coincident_switches", "--time", 10)(final(-3, 0))
truth("a section on a switch", "section", "section_on_switch_vdp", "--time", 200)(
    lambda r, c: (len(r["points"]) >= 30, f"{len(r['points'])} points"))

# ---- laws and gaps
truth("a Hertz spring", "simulate", "hertz_minimal", "--time", 2.539953134)(final(0.5, 0, tolerance=1e-6))
truth("a gap that becomes undefined", "simulate", "gap_nan", "--time", 5)(
    lambda r, c: (c == 1 and r["outcome"] == "gap_undefined" or events("impact")(r, c)[0], (c, r["outcome"])))
truth("walls that close", "simulate", "closing_walls", "--time", 5)(outcome("obstacles_exclude"))
truth("a gap cubed ends", "simulate", "gap_cubed", "--time", 5)(ends)
truth("chatter beside friction", "simulate", "chatter_time_with_friction", "--set", "V=1", "--periods", 1)(
    event_at("chatter", 2.3758956583, tolerance=1e-8))
truth("a cradle of five", "simulate", "cradle5_moreau", "--time", 5)(final(-math.sin(5 - 1.5 * math.pi)))
truth("twenty blocks in a stack", "simulate", "stack20", "--time", 1)(ends)


# ---- beside a wall: friction holds the block there, and where the force turns it lets go; with gaps and speeds that are rounding
def leaves_in_silence(x, v, impacts):
    """The block leaves as x, v say; nothing is told of what its gap and its speed do by rounding meanwhile."""
    def judge(result, code):
        right, got = final(x, v, tolerance=1e-8)(result, code)
        told = [e["kind"] for e in result["events"]]
        quiet = "grazing" not in told and told.count("impact") == impacts and told.count("filippov_start") == 1
        return right and quiet and code == 0, (got, told)
    return judge


T = 4 - 11 / 6  # since 3 (t - 1.5) = 1
WAVE = 6 - 7 * math.pi / 6  # since 2 sin t = -1 for the second time
for METHOD in ("rk", "auto"):
    truth(f"let go beside a wall, {METHOD}", "simulate", "beside_a_wall", "--time", 4, "--method", METHOD)(
        leaves_in_silence(T**3 / 2, 1.5 * T**2, 1))
    truth(f"held for long beside a wall, {METHOD}", "simulate", "beside_a_wall", "--set", "a=1", "--set", "b=2", "--set",
          "F=1.5", "--time", 6, "--method", METHOD)(leaves_in_silence(2.5**3 / 6, 2.5**2 / 2, 1))
    truth(f"a start beside a wall, {METHOD}", "simulate", "beside_a_wall", "--set", "a=1", "--set", "b=2", "--set", "F=1.5",
          "--set", "x=0", "--set", "x'=0", "--time", 6, "--method", METHOD)(leaves_in_silence(2.5**3 / 6, 2.5**2 / 2, 0))
    truth(f"held, pressed and held again, {METHOD}", "simulate", "beside_a_wall", "--set", "a=0", "--set", "A=2", "--set",
          "x=0", "--set", "x'=0", "--time", 6, "--method", METHOD)(
        lambda r, c: final(2 * math.sin(6) + 1 + math.sqrt(3) * WAVE - WAVE**2 / 2, 2 * math.cos(6) + math.sqrt(3) - WAVE,
                           tolerance=1e-8)(r, c))
    # By an integrator of its own, with the instants located by bisection.
    truth(f"pressed to a wall, {METHOD}", "simulate", "pressed_to_a_wall", "--time", 8, "--method", METHOD)(
        final(0.9359610945, 1.1268758028, tolerance=1e-8))
    truth(f"a start that a wall need not hold, {METHOD}", "simulate", "pressed_to_a_wall", "--set", "m=1", "--set", "k=0",
          "--set", "F=0.93", "--set", "A=0.8", "--set", "w=1.78", "--set", "phase=3.5", "--set", "B=0.54", "--set", "gap=0",
          "--set", "x=0", "--time", 4, "--method", METHOD)(final(0, 0))
# Both go where slope t - against = 2, and from there 2 x'' = slope (t - that).
for SLOPE, AGAINST in ((1, 0.5), (1, 0), (2, 0.25)):
    PUSHED = 3 - (2 + AGAINST) / SLOPE
    for METHOD in ("rk", "auto"):
        truth(f"a block pushes a block as a wall would, {SLOPE} {AGAINST} {METHOD}", "simulate", "block_pushes_block",
              "--set", f"slope={SLOPE}", "--set", f"against={AGAINST}", "--time", 3, "--method", METHOD)(
            final(*[SLOPE * PUSHED**3 / 12] * 2, *[SLOPE * PUSHED**2 / 4] * 2, tolerance=1e-8))

# ---- spectra and verdicts
truth("Lorenz with a slow forcing", "lyapunov", "exponents_lorenz", "--periods", 50, "--transient", 5)(
    lambda r, c: (all(close(float(e), w, 0.05) for e, w in zip(r["exponents"], (0.906, 0, -14.57))), r["exponents"]))
truth("a gear is no torus", "lyapunov", "gear_mesh_stiffness", "--set", "Fa=0.2", "--set", "Omega=0.95", "--set",
      "Fm=0.13", "--transient", 100, "--periods", 150)(never_says("quasi"))
truth("period adding is no torus", "lyapunov", "period_adding", "--set", "mu=0.057255", "--transient", 500,
      "--periods", 200)(never_says("quasi"))
# Laminar phases last for thousands of periods: over eight starts, runs of 2,000 give 0.0007 to 0.0091, with a deviation of 0.0031
# against a mean of 0.0068 (400,000 periods): four standard errors need some 10,000 periods at least.
truth("period adding is chaotic", "lyapunov", "period_adding", "--set", "mu=0.057255", "--transient", 500,
      "--periods", 20000)(says("chaotic"))
truth("a long period between slides", "lyapunov", "stop_oscillator", "--transient", 500, "--periods", 2000)(
    lambda r, c: (r["verdict"] == "periodic" and r["period"] == 76, (r["verdict"], r["period"])))
truth("whole periods of a periodic motion", "lyapunov", "period_adding", "--set", "mu=0.03", "--transient", 500,
      "--periods", 200)(lambda r, c: (abs(float(r["exponents"][0]) + 0.0662) < 1e-3, r["exponents"]))
truth("van der Pol's torus", "lyapunov", "forced_van_der_pol", "--transient", 200, "--periods", 2000)(says("quasi"))
for units in ((), ("--set", "B=3e6")):
    truth(f"units do not matter {units[1:]}", "lyapunov", "units_of_verdicts", "--transient", 500, "--periods", 1000,
          *units)(says("chaotic"))
truth("no angle from samples", "lyapunov", "angles_from_samples", "--periods", 12, "--transient", 2)(
    lambda r, c: (r["verdict"] != "periodic", r["verdict"]))
truth("a drift is no torus", "lyapunov", "drift_quasiperiodic", "--periods", 400, "--transient", 200)(never_says("quasi"))
truth("attractors once", "basin", "stop_oscillator", "--set", "omega=2.8", "--set", "rho=0.17", "--vary",
      "x=-2:0.17:21", "--vary", "x'=-2:2:21", "--periods", 100, "--transient", 300)(
    lambda r, c: (len(r["attractors"]) == 3, f"{len(r['attractors'])} attractors"))

# ---- orbits, branches, amplitudes
truth("starts in a stiff region end", "orbit", "auto_ab", "--starts", 10, limit=60)(
    lambda r, c: (c == 0 and all(o["period"] > 0.1 for o in r["orbits"]), (c, len(r["orbits"]))))
truth("forty starts", "orbit", "auto_lor", "--starts", 40, limit=60)(
    lambda r, c: (c == 0 and all(o["period"] > 0.1 for o in r["orbits"]), (c, len(r["orbits"]))))
# Liouville: the multipliers of Lorenz' orbits multiply to exp(-(sigma + 1 + beta) T).
for rho in (20, 15, 14):
    truth(f"contraction of Lorenz' orbit at {rho}", "orbit", "auto_lor", "--set", f"rho={rho}", "--set", "x=10", "--set",
          "y=13", "--set", "z=19")(
        lambda r, c: (abs(sum(m["log_abs"] for m in r["multipliers"]) + 41 / 3 * r["period"]) < 1e-8,
                      (sum(m["log_abs"] for m in r["multipliers"]), r["period"])))
truth("the amplitude at the end of a slide", "response", "capsule_without_drift", "--vary", "omega=0.776:0.876:6",
      "--direction", "up", "--observe", "u", "--continuation")(
    lambda r, c: (all(abs(p["amplitude"] - 0.58565) < 1e-3 for p in r["points"]
                      if abs(p["parameter"] - 0.85355942) < 1e-6), len(r["points"])))
truth("no false fold", "continue", "auto_plp", "--vary", "rho=2.5:5.5", "--transient", 200)(
    lambda r, c: (all(min(abs(s["p"] - w) for w in (2.75968745550, 5.00783976076)) < 1e-6
                      for s in r["special"] if s["kind"] == "LP"), [s["p"] for s in r["special"] if s["kind"] == "LP"]))
# COCO's numbers, from collocation: folds and branch points of an orbit whose switch passes in the instant of the strobe.
truth("a switch at the strobe, followed", "continue", "continue_switch_at_strobe", "--vary", "om=0.7:1.2")(
    lambda r, c: (c == 0 and all(any(s["kind"] == kind and abs(s["p"] - p) < 1e-6 for s in r["special"])
                                 for kind, p in (("LP", 1.11097074), ("LP", 0.81948801), ("BP", 1.07596781),
                                                 ("BP", 0.85439959))), [(s["kind"], s["p"]) for s in r["special"]]))
# Where the force only touches zero within a slide, a hop of the length 4d vanishes with d² ~ q1 − q1*: hops of 0.0327555449 at
# 0.61151116827 and of 0.0316071943 at 0.61150804507 give q1* = 0.6114658.
truth("a hop that vanishes", "continue", "../../../examples/triple_pendulum_barrier", "--case", "fig4cd", "--vary",
      "q1=0.6:0.66", "--direction", "down", limit=300)(
    lambda r, c: (c == 0 and any(s["kind"] == "SL" and abs(s["p"] - 0.6114658) < 1e-6 for s in r["special"]),
                  [(s["kind"], s["p"]) for s in r["special"]]))
truth("two pendulums that turn", "orbit", "auto_pen")(
    lambda r, c: (abs(r["period"] - 1.57387972) < 1e-6, r["period"]))


truth("a level where a step ends", "section", "level_at_the_end_of_a_step", "--time", 10.2, "--method", "rk")(
    lambda r, c: ([round(p[0]) for p in r["points"]] == list(range(91, 101)), r["points"]))


def run(words, limit):
    try:
        done = subprocess.run([SALTUS, *words, "--json", "--quiet"], capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None, None, f"no end in {limit} s"
    try:
        return json.loads(done.stdout), done.returncode, ""
    except ValueError:
        return None, done.returncode, (done.stderr or done.stdout).strip()[-200:]


def judged(entry):
    name, words, limit, judge = entry
    result, code, said = run(words, limit)
    try:
        right, got = judge(result, code)
    except (KeyError, TypeError, IndexError, ValueError) as problem:
        right, got = False, said or f"no such result: {problem!r}"
    return name, right, got


def main():
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    chosen = [entry for entry in TRUTHS if word in entry[0]]
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(judged, chosen))
    for name, right, got in results:
        if not right:
            print(f"wrong: {name}: {str(got)[:200]}")
    wrong = sum(not right for _, right, _ in results)
    print(f"{len(results) - wrong} passed, {wrong} failed")
    return wrong > 0 or not results


if __name__ == "__main__":
    sys.exit(main())
