"""What is asked of AUTO and of Saltus about each of AUTO's demos; `kinds` is what a third computation says that there is."""


def from_hopf(bounds, step=0.05, first=0.001, longest=60.0, equilibria=0.02, more=""):
    """The equilibria, and the family of orbits from each of their Hopf points."""
    low, high = bounds
    return f"""
eq = run(e='eq', IPS=1, ICP=[1], NMX=3000, DS={equilibria / 20}, DSMAX={equilibria}, UZSTOP={{1: [{low}, {high}]}}, TIGHT)
save(eq, 'eq')
for i, hb in enumerate(eq('HB')):
    r = run(hb, IPS=2, ICP=[1, 11], DS={first}, DSMAX={step}, NMX=400, UZSTOP={{11: {longest}, 1: [{low}, {high}]}})
    save(r, 'po%d' % i)
{more}
"""


def from_orbit(bounds, step, more=""):
    """From an orbit in both directions."""
    low, high = bounds
    return f"""
r = run(e='eq', dat='eq', IPS=2, ICP=[1, 11], NMX=400, DS={step / 20}, DSMAX={step}, UZSTOP={{1: [{low}, {high}]}}, TIGHT)
save(r, 'up')
s = run(e='eq', dat='eq', IPS=2, ICP=[1, 11], NMX=400, DS={-step / 20}, DSMAX={step}, UZSTOP={{1: [{low}, {high}]}}, TIGHT)
save(s, 'down')
{more}
"""


SWITCHED = """
for j, point in enumerate([*r('PD'), *s('PD')]):
    d = run(point, ISW=-1, NMX=400)
    save(d, 'double%d' % j)
"""
OTHER_BRANCHES = """
for j, bp in enumerate(r('BP')):
    s = run(bp, ISW=-1, NMX=400)
    save(s, 'other%d' % j)
"""
THIRD_SPECIES = """
for j, step in enumerate((0.0005, -0.0005)):
    s = run(r('UZ1'), ICP=[2, 11], DS=step, DSMAX=0.01, NMX=400, UZR={}, UZSTOP={2: [0.001, 0.05]})
    save(s, 'third%d' % j)
"""
TURN = 6.283185307179586
LORENZ = ["--set", "rho=20", "--set", "x=10", "--set", "y=13", "--set", "z=19"]
LARGE = ["--set", "u1=0.9", "--set", "u2=0.3", "--set", "u3=6"]
SMALL = ["--set", "D=0.22976098945", "--set", "u1=0.7887272894", "--set", "u2=0.686633801", "--set", "u3=2.8057704982", "--surface", "u3 - 2.8057704982"]

DEMOS = {
    "ab": dict(model="ab", varied="p1", first=["p1"], auto_values={"p1": 0.1}, auto_state={"u": 0.15, "v": 0.5}, judge_values={},
               auto=from_hopf((0.09, 0.25)), saltus=[["continue", "--vary", "p1=0.1:0.25", "--transient", "60"]],
               kinds=["HB", "LP"], ends=["bound", "hopf"]),
    "abc": dict(model="abc", varied="D", first=["D"], auto_values={"D": 0.15}, auto_state={"u1": 0.3, "u2": 0.3, "u3": 1}, judge_values={},
                auto=from_hopf((0.1, 0.4)),
                saltus=[["continue", "--set", "D=0.3", *LARGE, "--surface", "u3 - 4", "--vary", "D=0.1:0.4", "--transient", "200"],
                        ["orbit", *SMALL, "--transient", "0", "--out", "FOLDER/small.json"],
                        ["continue", "--from", "FOLDER/small.json", "--vary", "D=0.1:0.4"]],
                kinds=["HB", "LP", "LP", "HB", "HB", "LP", "HB"], ends=["hopf"]),
    "plp": dict(model="plp", varied="rho", first=["rho"], auto_values={"rho": 1e-3}, auto_state={"S": 110, "A": 500}, judge_values={},
                auto=from_hopf((0.0, 20.0), step=5.0, first=0.1, equilibria=5.0, longest=200.0),
                saltus=[["continue", "--vary", "rho=2.5:5.5", "--transient", "200"]],
                kinds=["HB", "LP", "LP", "HB"], ends=["hopf"]),
    "pp2": dict(model="pp2", varied="quota", first=["quota"], auto_values={"quota": 0.5}, auto_state={"u": 0.333, "v": 0.78},
                judge_values={}, auto=from_hopf((0.4, 0.75), longest=100.0),
                saltus=[["continue", "--set", "quota=0.69", "--vary", "quota=0.6:0.75", "--transient", "400"]],
                kinds=["HB"], ends=["hopf", "heteroclinic"]),
    "ppp": dict(model="ppp", varied="quota", first=["quota"], auto_values={"quota": 0.1}, auto_state={"u": 0.17, "v": 0.28, "w": 0},
                judge_values={}, auto=from_hopf((0.0, 0.6)),
                saltus=[["continue", "--period", "1", "--transient", "0", "--vary", "quota=0:0.6"]],
                kinds=["HB", "HB"], ends=["hopf"]),
    "lor": dict(model="lor", varied="rho", first=["rho"], auto_values={"rho": 280}, judge_values={}, near=1e-4,
                orbit=([-4.0674614, -24.183805, 219.00338], 0.4345219561, 280.0, 0.0), auto=from_orbit((200.0, 290.0), 5.0, SWITCHED),
                saltus=[["continue", "--vary", "rho=200:290"], ["continue", "--vary", "rho=200:290", "--switch", "PD1"]],
                kinds=["PD", "PD"], ends=["bound"]),
    "lrz": dict(model="lor", varied="rho", first=["rho"], auto_values={"rho": 20}, auto_state={"x": 7.1, "y": 7.1, "z": 19}, judge_values={},
                auto=from_hopf((10.0, 30.0), step=0.5, first=0.02, longest=40.0, equilibria=1.0),
                saltus=[["orbit", *LORENZ, "--out", "FOLDER/orbit.json"], ["continue", "--from", "FOLDER/orbit.json", "--vary", "rho=13:30"]],
                kinds=["HB"], ends=["homoclinic", "hopf"]),
    "frc": dict(model="frc_forced", varied="bet", first=["r", "bet"], auto_values={"r": 0}, auto_state={"v": 0.5, "w": 0}, judge_values={},
                forced="bet", auto="""
r = run(e='eq', IPS=2, ICP=[1, 11], NMX=400, DS=0.01, DSMAX=0.05, UZSTOP={1: 0.2}, TIGHT)
s = run(r('UZ1'), ICP=[2, 11], NMX=600, DS=-0.5, DSMAX=5.0, UZSTOP={2: [1.0, 110.0]})
save(s, 'po')
""", saltus=[["orbit", "--out", "FOLDER/orbit.json"], ["continue", "--from", "FOLDER/orbit.json", "--vary", "bet=1:110"]],
                kinds=[], ends=["bound"]),
    "chu": dict(model="chu", varied="alpha", first=["alpha"], auto_values={"alpha": 1}, auto_state={"x": 1.5, "y": 0, "z": -1.5},
                judge_values={}, near=1e-6, auto=from_hopf((0.0, 15.0), step=0.1, longest=10.0, equilibria=0.1),
                saltus=[["continue", "--set", "alpha=7", "--vary", "alpha=-1:15", "--stop", "LP5"]],
                kinds=["HB"] + ["PD"] + 5 * ["LP", "PD"], ends=["hopf", "stopped"]),
    "tor": dict(model="tor", varied="nu", first=["nu"], auto_values={"nu": -0.9}, auto_state={"x": 0, "y": 0, "z": 0}, judge_values={},
                auto=from_hopf((-0.9, -0.4), step=0.02, more=OTHER_BRANCHES),
                saltus=[["orbit", "--transient", "0", "--out", "FOLDER/orbit.json"],
                        ["continue", "--from", "FOLDER/orbit.json", "--vary", "nu=-0.9:-0.4", "--stop", "LP3", "--out", "FOLDER/branch.json"],
                        ["continue", "--from", "FOLDER/branch.json", "--vary", "nu=-0.9:-0.4", "--switch", "BP1", "--stop", "LP1"]],
                # The halves of the branch that begins in BP1 are mirror images: each of their points is counted once.
                kinds=["HB", "LP", "BP", "LP", "BP", "LP", "NS", "PD", "PD", "LP"], ends=["hopf", "stopped"]),
    "pen": dict(model="pen", varied="I", first=["I"], auto_values={}, judge_values={},
                orbit=([1.240368, 1.240368, 4.07832, 4.07832], 1.57387972, 0.4, [TURN, TURN, 0.0, 0.0]), auto=from_orbit((0.1, 1.0), 0.02, SWITCHED),
                saltus=[["continue", "--vary", "I=0.1:1"], ["continue", "--vary", "I=0.1:1", "--switch", "PD1"]],
                kinds=["PD", "LP", "BP", "BP", "LP"], ends=["bound", "homoclinic"]),
    "ops": dict(model="ops", varied="p3", first=["p3"], auto_values={"p3": 0.8}, auto_state={"x": 0.8, "y": 1.26, "z": 0.8}, judge_values={},
                auto=from_hopf((0.79, 1.0), step=0.1), saltus=[["continue", "--vary", "p3=0.8:1"]],
                kinds=["LP", "LP", "HB"], ends=["bound", "hopf"]),
    "tfc": dict(model="tfc", varied="d2", first=["d1", "d2"], auto_values={"d1": 1.1083}, auto_state={"u": -0.413, "v": -1.5995, "w": 0},
                judge_values={"d1": 0.75}, apart=1e-4,
                auto=from_hopf((0.2, 1.2)).replace("NMX=400, UZSTOP", "NMX=400, UZR={1: 0.75}, UZSTOP").replace("DS=0.001, DSMAX=0.02", "DS=-0.001, DSMAX=0.02") + THIRD_SPECIES,
                saltus=[["continue", "--vary", "d2=0.001:0.05", "--transient", "1000"]], kinds=["BP"], ends=["bound"]),
    "lcbp": dict(model="lcbp", varied="p1", first=["p1"], auto_values={"p1": 1}, judge_values={}, apart=2e-3,
                 orbit=([1.0, 0.0], 1.0, 1.0, 0.0), auto=from_orbit((0.05, 4.0), 0.1),
                 saltus=[["continue", "--set", "x=2", "--vary", "p1=0.05:4"]], kinds=["BP"], ends=["bound"]),
    "phs": dict(model="phs", varied="lam", first=["lam"], auto_values={"lam": -0.5}, auto_state={"x": 0, "y": 0}, judge_values={},
                auto=from_hopf((-0.6, 0.5), step=0.1, longest=40.0),
                saltus=[["continue", "--family", "--vary", "lam=-0.1:0.1", "--transient", "0"]], kinds=["HB"], ends=["hopf", "homoclinic"]),
}
