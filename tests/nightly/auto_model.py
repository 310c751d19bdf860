"""A model of Saltus as equations for AUTO-07p: the same text for both programs."""
import re
import tomllib


FUNCTIONS = {"sin", "cos", "tan", "atan", "exp", "log", "sqrt", "tanh", "pi", "t"}


def name_of(name):
    """Fortran does not tell u from U, which it wants for itself."""
    return "m_" + name.replace("'", "_dot")


def fortran(text):
    """x^2/3 becomes m_x**2/3d0: whole numbers are no integers there."""
    text = re.sub(r"(?<![\w.])[A-Za-z_]\w*'?", lambda m: m[0] if m[0] in FUNCTIONS else name_of(m[0]), text)
    text = text.replace("^", "**")
    return re.sub(r"(?<![\w.])(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)", _number, text)


def _number(match):
    before = match.string[: match.start()].rstrip()
    if before.endswith("**"):
        return match.group(0)
    return re.sub("[eE]", "d", match.group(0)) if re.search("[eE]", match.group(0)) else match.group(0) + "d0"


def value_of(entry):
    return fortran(entry) if isinstance(entry, str) else repr(float(entry)).replace("e", "d") + ("" if "e" in repr(float(entry)) else "d0")


def states_and_rates(model, period):
    mechanics = model["mechanics"]
    states = list(mechanics.get("states", []))
    rates = list(mechanics.get("rates", []))
    coordinates = mechanics.get("coordinates", [])  # of unit mass
    states = [*coordinates, *[c + "'" for c in coordinates], *states]
    rates = [*[c + "'" for c in coordinates], *mechanics.get("force", []), *rates]
    if period:  # AUTO has no t: an oscillator that keeps to the circle is the forcing
        frequency = period
        states += ["zs", "zc"]
        rates = [r.replace(f"sin({frequency}*t)", "zs") for r in rates]
        rates += [f"zs + {frequency}*zc - zs*(zs^2+zc^2)", f"-{frequency}*zs + zc - zc*(zs^2+zc^2)"]
    return states, rates


def lines_of(text, width=100):
    """Fortran's lines are short."""
    parts = [text[i:i + width] for i in range(0, len(text), width)]
    return "&\n&".join(parts)


def equations(path, first, parameters, state, frequency=None):
    """FUNC and STPNT; `first` names the parameters in the order of PAR, the rest follow. From a constant state, or on a circle of the forcing."""
    with open(path, "rb") as file:
        model = tomllib.load(file)
    values = {**model["parameters"], **parameters}
    names = [*first, *[n for n in values if n not in first]]
    number = {name: i + 1 if i < 10 else i + 10 for i, name in enumerate(names)}  # PAR(11) is the period
    states, rates = states_and_rates(model, frequency)
    defined = model.get("define", {})
    plain = [name_of(s) for s in states]
    double = ", ".join([*map(name_of, [*names, *defined]), *plain, "pi"])
    body = ["pi = 4*atan(1d0)"]
    body += [f"{name_of(name)} = PAR({number[name]})" for name in names]
    body += [f"{name} = U({i + 1})" for i, name in enumerate(plain)]
    body += [f"{name_of(name)} = {fortran(text)}" for name, text in defined.items()]
    body += [f"F({i + 1}) = {fortran(rate)}" for i, rate in enumerate(rates)]
    start = [f"PAR({number[name]}) = {value_of(values[name])}" for name in names]
    start += [f"U({i + 1}) = {value_of(state[name])}" for i, name in enumerate(states) if name in state]
    if frequency:
        start += ["PAR(11) = 8*atan(1d0)/" + value_of(values[frequency])]
        start += [f"U({len(states) - 1}) = sin(8*atan(1d0)*T)", f"U({len(states)}) = cos(8*atan(1d0)*T)"]
    text = f"""SUBROUTINE FUNC(NDIM,U,ICP,PAR,IJAC,F,DFDU,DFDP)
IMPLICIT NONE
INTEGER, INTENT(IN) :: NDIM, IJAC, ICP(*)
DOUBLE PRECISION, INTENT(IN) :: U(NDIM), PAR(*)
DOUBLE PRECISION, INTENT(OUT) :: F(NDIM)
DOUBLE PRECISION, INTENT(INOUT) :: DFDU(NDIM,NDIM), DFDP(NDIM,*)
DOUBLE PRECISION :: {double}
{chr(10).join(lines_of(line) for line in body)}
END SUBROUTINE
SUBROUTINE STPNT(NDIM,U,PAR,T)
IMPLICIT NONE
INTEGER, INTENT(IN) :: NDIM
DOUBLE PRECISION, INTENT(INOUT) :: U(NDIM), PAR(*)
DOUBLE PRECISION, INTENT(IN) :: T
{chr(10).join(start)}
END SUBROUTINE
"""
    for empty in ("BCND", "ICND", "FOPT", "PVLS"):
        text += f"SUBROUTINE {empty}\nEND SUBROUTINE\n"
    return text, len(states)
