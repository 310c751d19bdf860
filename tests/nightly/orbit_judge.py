"""A third opinion on special orbits: shooting over one period with scipy, equilibria with 30 digits of mpmath. It knows nothing of Saltus but the model file."""
import tomllib

import mpmath
import numpy
import sympy
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve


def python_of(text):
    return text.replace("'", "_dot").replace("^", "**").replace("log", "ln")


class Judge:
    """x' = f(x, p) of a model without forcing, with derivatives by sympy."""

    def __init__(self, path, free, given):
        with open(path, "rb") as file:
            model = tomllib.load(file)
        mechanics = model["mechanics"]
        coordinates = mechanics.get("coordinates", [])  # of unit mass
        names = [*coordinates, *[c + "'" for c in coordinates], *mechanics.get("states", [])]
        rates = [*[c + "'" for c in coordinates], *mechanics.get("force", []), *mechanics.get("rates", [])]
        plain = [n.replace("'", "_dot") for n in names]
        known = {n: sympy.Symbol(n) for n in [*plain, free]}
        known["pi"] = sympy.pi
        parse = lambda text: sympy.sympify(python_of(str(text)), locals=known)
        for name, value in {**model["parameters"], **given}.items():
            if name != free:
                known[name] = sympy.nsimplify(parse(value), rational=True)
        for name, text in model.get("define", {}).items():
            known[name] = parse(text)
        self.x = [known[n] for n in plain]
        self.p = known[free]
        self.f = sympy.Matrix([parse(rate) for rate in rates])
        self.fx = self.f.jacobian(self.x)
        fp = self.f.diff(self.p)
        every = sympy.lambdify([*self.x, self.p], [list(self.f), self.fx.tolist(), list(fp)], "math", cse=True)
        self.every = lambda x, p: [numpy.array(part, float) for part in every(*x, p)]

    def flow(self, x, T, p):
        """φ, ∂φ/∂x, ∂φ/∂p over T."""
        n = len(x)

        def rates(_, z):
            f, fx, fp = self.every(z[:n], p)
            X = z[n:].reshape(n, n + 1)
            dX = fx @ X
            dX[:, n] += fp
            return numpy.concatenate([f, dX.ravel()])

        start = numpy.concatenate([x, numpy.eye(n, n + 1).ravel()])
        end = solve_ivp(rates, (0.0, T), start, method="DOP853", rtol=1e-13, atol=1e-15).y[:, -1]
        X = end[n:].reshape(n, n + 1)
        return end[:n], X[:, :n], X[:, n]

    def orbit(self, x, T, p, turn):
        """The orbit that lasts T near x: its start, p, ∂φ/∂x and dp/dT."""
        x = numpy.array(x, float)
        a, n = x.copy(), len(x)
        normal = self.every(x, p)[0]
        for _ in range(12):
            end, Phi, phi_p = self.flow(x, T, p)
            G = numpy.concatenate([end - x - turn, [normal @ (x - a)]])
            J = numpy.zeros((n + 1, n + 1))
            J[:n, :n], J[:n, n], J[n, :n] = Phi - numpy.eye(n), phi_p, normal
            change = numpy.linalg.solve(J, -G)
            x, p = x + change[:n], p + change[n]
            if numpy.max(numpy.abs(change) / (1e-3 + numpy.abs([*x, p]))) < 1e-11:
                break
        rate = self.every(end, p)[0]
        self.determinant = numpy.linalg.det(J)
        return x, p, Phi, numpy.linalg.solve(J, -numpy.append(rate, 0.0))[n]

    def condition(self, kind, Phi, slope):
        n = len(Phi)
        return {"LP": lambda: slope, "PD": lambda: numpy.linalg.det(Phi + numpy.eye(n)),
                "NS": lambda: numpy.linalg.det(Phi) - 1.0}[kind]()

    def special(self, kind, x, T, p, turn=0.0):
        """The parameter of an LP, PD or NS (of three states): secants on the period."""
        x, p, Phi, slope = self.orbit(x, T * (1 + 1e-7), p, turn)
        before, g_before, T_before = p, self.condition(kind, Phi, slope), T * (1 + 1e-7)
        for _ in range(10):
            x, p, Phi, slope = self.orbit(x, T, p, turn)
            g = self.condition(kind, Phi, slope)
            if g == g_before or abs(p - before) < 1e-15 * abs(p):
                break
            T, T_before, g_before, before = T - g * (T - T_before) / (g - g_before), T, g, p
        return p

    def at_parameter(self, x, T, p, turn):
        """The orbit at p near x: the determinant of the equations for x and T, the start and the period."""
        x = numpy.array(x, float)
        a, n = x.copy(), len(x)
        normal = self.every(x, p)[0]
        normal /= numpy.linalg.norm(normal)
        for _ in range(12):
            end, Phi, _ = self.flow(x, T, p)
            rate = self.every(end, p)[0]
            J = numpy.zeros((n + 1, n + 1))
            J[:n, :n], J[:n, n], J[n, :n] = Phi - numpy.eye(n), rate, normal
            change = numpy.linalg.solve(J, -numpy.concatenate([end - x - turn, [normal @ (x - a)]]))
            x, T = x + change[:n], T + change[n]
            if numpy.max(numpy.abs(change)) < 1e-11:
                break
        return numpy.linalg.det(J), x, T

    def crossing(self, x, T, p, apart, turn=0.0):
        """The parameter of a BP on a branch that goes on in p: the determinant vanishes; it is interpolated between orbits on both sides."""
        places = numpy.array([-3, -2, -1, 1, 2, 3]) * apart
        values = [self.at_parameter(x, T, p + s, turn)[0] for s in places]
        inverse = numpy.polyfit(numpy.array(values) / numpy.max(numpy.abs(values)), places / apart, 5)
        return p + apart * inverse[-1]

    def crossing_in_period(self, x, T, p, apart, turn=0.0):
        """The same on a branch along which the period changes, also beside a fold."""
        places = numpy.array([-3, -2, -1, 1, 2, 3]) * apart
        values, parameters = [], []
        for s in places:
            parameters.append(self.orbit(x, T + s, p, turn)[1])
            values.append(self.determinant)
        at = numpy.polyfit(numpy.array(values) / numpy.max(numpy.abs(values)), places / apart, 5)[-1]
        return p + numpy.polyval(numpy.polyfit(places / apart, numpy.array(parameters) - p, 5), at)

    def hopf(self, x, p):
        """The equilibrium with a pair ±iω: a₁ = 0 of two states, a₁a₂ = a₃ of three, by the coefficients of det(λ − f_x)."""
        n = len(x)
        z = sympy.Symbol("z")
        a = self.fx.charpoly(z).all_coeffs()[1:]
        equations = [*self.f, a[0] if n == 2 else a[0] * a[1] - a[2]]
        function = sympy.lambdify([*self.x, self.p], equations, "mpmath")
        with mpmath.workdps(30):
            return float(mpmath.findroot(lambda *z: function(*z), [*map(mpmath.mpf, x), mpmath.mpf(p)], tol=1e-40)[n])

    def equilibrium(self, guess, p):
        return [float(v) for v in fsolve(lambda x: self.every(x, p)[0], guess, xtol=1e-14)]

    def samples(self, x, T, p, turn=0.0, count=200):
        """The orbit at p near x at equal times, as AUTO reads it."""
        _, x, T = self.at_parameter(x, T, p, turn)
        times = numpy.linspace(0.0, T, count + 1)
        path = solve_ivp(lambda _, z: self.every(z, p)[0], (0.0, T), x, method="DOP853", rtol=1e-13, atol=1e-15, t_eval=times)
        return "".join(" ".join(f"{v:.16e}" for v in [t, *z]) + "\n" for t, z in zip(times, path.y.T))
