// Models that people from outside tried, with what is true of them.

#include <gtest/gtest.h>

#include <cmath>

#include "saltus/analysis/motions/attractors.hpp"
#include "tests/analysis/motions/spectrum_of.hpp"
#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

using test::Mechanics;
using test::whole;

TEST(ForeignVerdicts, TheLorenzSystemHasItsSpectrumAlsoWhenATinyForcingMakesItsStrobeSlow) {
  const Mechanics lorenz = Mechanics::of(R"toml(
[mechanics]
states = ["x","y","z"]
rates = ["10*(y-x)","28*x - y - x*z + 1e-9*cos(0.05*t)","x*y - 8*z/3"]
[forcing]
period = "2*pi/0.05"
[initial]
x = 1
y = 1
z = 20
)toml");
  const LyapunovSpectrum s = whole(lorenz.spectrum({.transient = 2.0, .length = 25.0}));
  // 0.906, 0, −14.57 (Sprott 2003, and the sum is −41/3); over t = 3142 the largest is known to about 0.01.
  EXPECT_CLOSE(s.exponents.values[0], 0.906, sampling(0.012));
  EXPECT_CLOSE(s.exponents.values[1], 0.0, sampling(0.004));
  EXPECT_CLOSE(s.exponents.values[2], -14.57, sampling(0.012));
  ASSERT_TRUE(s.sum_rule_residual);
  EXPECT_CLOSE(*s.sum_rule_residual, 0.0, integration(1e-9, 100.0, 14.0));
  EXPECT_EQ(s.verdict.kind, MotionKind::chaotic);
}

const std::string period_adding = R"toml(
[parameters]
zeta  = 1.2
R     = 0.6
omega = 5
graze = "1/sqrt((1-omega^2)^2+(2*zeta*omega)^2)"
mu    = 0
rho   = "graze*(1-mu)"
[mechanics]
coordinates = ["x"]
mass  = [["1"]]
force = ["cos(omega*t) - x - 2*zeta*x'"]
[[contact]]
name = "stop"
gap  = "rho - x"
restitution = "R"
[forcing]
period = "2*pi/omega"
[initial]
x = 0
)toml";

TEST(ForeignVerdicts, ExponentsOfAnOrbitOfPeriodSixAreThoseOfItsMultipliersWhateverTheLengthOfTheRun) {
  const Mechanics model = Mechanics::of(period_adding, "", {{"mu", "0.03"}});
  for (const double periods : {197.0, 200.0, 203.0}) {
    const LyapunovSpectrum s = whole(model.spectrum({.transient = 200.0, .length = periods}));
    ASSERT_EQ(s.verdict.kind, MotionKind::periodic);
    ASSERT_EQ(s.verdict.period, 6U);
    // The multipliers by another road: the tangent over six periods of the strobe.
    FlowRun run;
    run.start = start_point(model.kernels(), {}, s.end.x, LaneStepper::Carries::state_and_tangent);
    run.period = model.start().period;
    run.end = {6, 0.0};
    run.parameters = model.start().parameters;
    const Matrix X = flow(model.kernels(), {}, run).end.tangent;
    const double trace = X.trace();
    const double determinant = X.determinant();
    const double root = std::sqrt(trace * trace - 4.0 * determinant);
    const double largest = std::max(std::abs(trace + root), std::abs(trace - root)) / 2.0;
    const double expected = std::log(largest) / (6.0 * run.period);
    EXPECT_CLOSE(expected, -0.0662, printed("-0.0662"));
    EXPECT_CLOSE(s.exponents.values[0], expected, integration(1e-6, 100.0));
  }
}

TEST(ForeignVerdicts, AWeaklyChaoticMotionOfThePlaneIsNoTorusAndALongRunSeesItsChaos) {
  const Mechanics model = Mechanics::of(period_adding, "", {{"mu", "0.057255"}});
  const LyapunovSpectrum brief = whole(model.spectrum({.transient = 500.0, .length = 200.0}));
  EXPECT_EQ(brief.verdict.kind, MotionKind::undecided) << brief.verdict.reason;
  EXPECT_NE(brief.verdict.reason.find("no invariant circle"), std::string::npos) << brief.verdict.reason;
  LyapunovOptions options{.transient = 500.0, .length = 20'000.0};
  options.flow.method = FlowMethod::automatic;
  const LyapunovSpectrum longer = whole(model.spectrum(options));
  EXPECT_EQ(longer.verdict.kind, MotionKind::chaotic) << longer.verdict.reason;
}

TEST(ForeignVerdicts, AGearOfPeriodTwentyFourIsNoTorusOnItsWayThere) {
  const Mechanics gear = Mechanics::of(R"toml(
[parameters]
Omega = 0.95
zeta  = 0.05
Fm    = 0.13
Fa    = 0.2
kappa = 0.25
b     = 1
[define]
g = "if(q > b, q - b, if(q < -b, q + b, 0))"
k = "1 - kappa*cos(Omega*t)"
[mechanics]
coordinates = ["q"]
mass  = [["1"]]
force = ["Fm + Fa*Omega^2*cos(Omega*t) - 2*zeta*q' - k*g"]
[forcing]
period = "2*pi/Omega"
[initial]
q = 1.1
)toml");
  EXPECT_NE(whole(gear.spectrum({.transient = 100.0, .length = 150.0})).verdict.kind, MotionKind::quasi_periodic);
  const LyapunovSpectrum longer = whole(gear.spectrum({.transient = 1000.0, .length = 1500.0}));
  EXPECT_EQ(longer.verdict.kind, MotionKind::periodic);
  EXPECT_EQ(longer.verdict.period, 24U);
  EXPECT_CLOSE(longer.kaplan_yorke, 1.0, exact);
}

TEST(ForeignVerdicts, AForcedVanDerPolOscillatorIsATorusOfDimensionTwo) {
  const Mechanics oscillator = Mechanics::of(R"toml(
[mechanics]
coordinates = ["x"]
mass  = [["1"]]
force = ["(1-x^2)*x' - x + 0.3*cos(1.7*t)"]
[forcing]
period = "2*pi/1.7"
[initial]
x = 1
)toml");
  for (const double periods : {600.0, 2000.0}) {
    const LyapunovSpectrum s = whole(oscillator.spectrum({.transient = 200.0, .length = periods}));
    EXPECT_EQ(s.verdict.kind, MotionKind::quasi_periodic) << s.verdict.reason;
    EXPECT_EQ(s.verdict.frequencies, 2U);
    EXPECT_CLOSE(s.kaplan_yorke, 2.0, exact);
  }
}

TEST(ForeignVerdicts, AChaoticOscillatorIsChaoticWhateverItsSizeAndThatOfANeighbourItDoesNotFeel) {
  const std::string model = R"toml(
[parameters]
L = 1e-3
B = 3e4
[mechanics]
coordinates = ["x", "y"]
mass  = [["1", "0"], ["0", "1"]]
force = ["L*cos(2.8*t) - x - 0.1*x'", "-0.5*y' - y + B*cos(2.8*t)"]
[[contact]]
name = "stop"
gap  = "-x"
restitution = 0.8
[forcing]
period = "2*pi/2.8"
[initial]
x = "-0.2*L"
)toml";
  for (const char* L : {"1e-9", "1e-3", "1e3"})
    for (const char* B : {"1e-6", "1", "3e4", "1e9"}) {
      const Mechanics both = Mechanics::of(model, "", {{"L", L}, {"B", B}});
      LyapunovOptions options{.transient = 300.0, .length = 600.0};
      options.flow.method = FlowMethod::automatic;
      const LyapunovSpectrum s = whole(both.spectrum(options));
      EXPECT_EQ(s.verdict.kind, MotionKind::chaotic) << L << " " << B << ": " << s.verdict.reason;
      EXPECT_CLOSE(s.exponents.values[0], 0.158, sampling(s.exponents.standard_errors[0] + 1e-3));
    }
}

const std::string fermi_ulam = R"toml(
[parameters]
eps = 0.05
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["0"]
[[contact]]
name = "fixed"
gap = "1 - x"
restitution = 1
[[contact]]
name = "moving"
gap = "x - eps*cos(t)"
restitution = 1
[forcing]
period = "2*pi"
[initial]
x = 0.5
"x'" = 0.6
)toml";

TEST(ForeignVerdicts, ABallOnAnInvariantCurveOfAPlaneMapIsNotChaoticAndHasTwoFrequencies) {
  const Mechanics ball = Mechanics::of(fermi_ulam);
  for (const double periods : {100.0, 400.0}) {
    const Verdict verdict = whole(ball.spectrum({.transient = 50.0, .length = periods})).verdict;
    EXPECT_NE(verdict.kind, MotionKind::chaotic) << periods << ": " << verdict.reason;
    EXPECT_NE(verdict.frequencies, 3U) << periods;
  }
  const LyapunovSpectrum longer = whole(ball.spectrum({.transient = 50.0, .length = 4000.0}));
  EXPECT_EQ(longer.verdict.kind, MotionKind::quasi_periodic) << longer.verdict.reason;
  EXPECT_EQ(longer.verdict.frequencies, 2U);
  EXPECT_CLOSE(longer.kaplan_yorke, 2.0, exact);
}

TEST(ForeignVerdicts, ABallInTheStochasticSeaIsChaotic) {
  const Mechanics ball = Mechanics::of(fermi_ulam, "", {{"x", "0.3"}, {"x'", "0.15"}});
  const Verdict verdict = whole(ball.spectrum({.transient = 50.0, .length = 4000.0})).verdict;
  EXPECT_EQ(verdict.kind, MotionKind::chaotic) << verdict.reason;
}

TEST(ForeignVerdicts, AnUndampedOscillatorWithASmallForceHasTwoFrequencies) {
  const Mechanics oscillator = Mechanics::of(R"toml(
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["-x - x^3 + 1e-4*cos(t)"]
[forcing]
period = "2*pi"
[initial]
x = 1
)toml");
  const LyapunovSpectrum s = whole(oscillator.spectrum({.length = 400.0}));
  EXPECT_NE(s.verdict.kind, MotionKind::chaotic) << s.verdict.reason;
  if (s.verdict.kind == MotionKind::quasi_periodic) { EXPECT_EQ(s.verdict.frequencies, 2U) << s.verdict.reason; }
}

TEST(ForeignVerdicts, ABallThatBouncesElasticallyIsNotUnstable) {
  // Its period is 2√2 times the root of its height: a perturbation of the height grows like t, and no exponent is positive.
  const Mechanics ball = Mechanics::of(R"toml(
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["-1"]
[[contact]]
name = "a"
gap = "x"
restitution = 1
[section]
surface = "x'"
direction = "down"
[initial]
x = 0.25
)toml");
  for (const double time : {30.0, 100.0, 300.0, 1000.0}) {
    const Verdict verdict = whole(ball.spectrum({.length = time})).verdict;
    EXPECT_EQ(verdict.kind, MotionKind::periodic) << time << ": " << verdict.reason;
    EXPECT_EQ(verdict.reason.find("unstable"), std::string::npos) << time << ": " << verdict.reason;
  }
}

TEST(SumRule, HoldsWhereTheFieldJumpsAtASwitchOfTheVelocity) {
  // Passing x' = 1/2 upwards multiplies areas by (a − 0.6)/a with the acceleration a before it: less than 1, and not e².
  const Mechanics friction = Mechanics::of(R"toml(
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["-x - 0.1*x' - 0.3*sign(x' - 0.5) + 3*cos(1.3*t)"]
[forcing]
period = "2*pi/1.3"
[initial]
x = 1
)toml");
  const LyapunovSpectrum s = whole(friction.spectrum({.transient = 100.0, .length = 60.0}));
  ASSERT_TRUE(s.sum_rule_residual);
  EXPECT_CLOSE(*s.sum_rule_residual, 0.0, integration(1e-9, 100.0, 1.0));
  EXPECT_LT(s.exponents.values[0] + s.exponents.values[1], -0.11);  // damping alone would give −0.1
  EXPECT_EQ(s.verdict.kind, MotionKind::periodic) << s.verdict.reason;
}

TEST(ForeignVerdicts, TheLogisticMapAsAMotionIsNoTorusAfterItsDoublings) {
  // w goes to r x (1 − x) in the first half of a period and x to w in the second. At 3.57005 a cycle of 256 points is stable, which
  // a run of 600 does not see to repeat.
  const Mechanics map = Mechanics::of(R"toml(
[parameters]
r = 3.57005
[mechanics]
states = ["x", "w"]
rates = ["if(mod(t, 1) < 0.5, 0, 80*(w - x))", "if(mod(t, 1) < 0.5, 80*(r*x*(1 - x) - w), 0)"]
[forcing]
period = "1"
[initial]
x = 0.3
w = 0.3
)toml");
  const LyapunovSpectrum s = whole(map.spectrum({.transient = 100.0, .length = 1000.0}));
  EXPECT_EQ(s.verdict.kind, MotionKind::undecided);
}

TEST(ForeignVerdicts, AJosephsonJunctionThatIsAlmostLockedSlipsAndIsNotPeriodic) {
  // φ' = I − sin φ + cos t: locked from I = 1 on (I < 1.1 looked at). Below, it slips once in some thousands of periods.
  const Mechanics junction = Mechanics::of(R"toml(
[mechanics]
states = ["phi"]
rates = ["0.99999 - sin(phi) + cos(t)"]
[forcing]
period = "2*pi"
)toml");
  const LyapunovSpectrum s = whole(junction.spectrum({.transient = 500.0, .length = 10000.0}));
  EXPECT_NE(s.verdict.kind, MotionKind::periodic);
}

TEST(ForeignVerdicts, AnUnstableLinearMotionGrowsAndIsNotChaotic) {
  const Mechanics saddle =
      Mechanics::of("[mechanics]\ncoordinates = [\"x\"]\nmass = [[\"1\"]]\nforce = [\"x\"]\n[initial]\nx = 1\n");
  for (const double time : {50.0, 300.0, 600.0}) {
    const LyapunovSpectrum s = whole(saddle.spectrum({.length = time}));
    EXPECT_EQ(s.verdict.kind, MotionKind::undecided) << time << ": " << s.verdict.reason;
  }
  // Mathieu's equation in its first tongue, a = 1, q = 1/4: the exponent is 0.1241 (SciPy), q/2 to first order.
  const Mechanics mathieu = Mechanics::of(
      "[mechanics]\ncoordinates = [\"x\", \"y\"]\nmass = [[\"1\", \"0\"], [\"0\", \"1\"]]\n"
      "force = [\"-(1 - 0.5*cos(2*t))*x\", \"-y - 0.1*y' + cos(2*t)\"]\n[forcing]\nperiod = \"pi\"\n[initial]\nx = "
      "1\n");
  const LyapunovSpectrum s = whole(mathieu.spectrum({.length = 200.0}));
  EXPECT_CLOSE(s.exponents.values[0], 0.1241, sampling(2e-3));
  EXPECT_EQ(s.verdict.kind, MotionKind::undecided) << s.verdict.reason;
}

TEST(ForeignVerdicts, AHeteroclinicCycleDoesNotRestAtTheSaddlesThatItPasses) {
  // May and Leonard 1975: it stays with each species for longer than with all before together.
  const Mechanics species = Mechanics::of(
      "[mechanics]\nstates = [\"x\", \"y\", \"z\"]\nrates = [\"x*(1 - x - 0.8*y - 1.3*z)\", \"y*(1 - 1.3*x - y - "
      "0.8*z)\", \"z*(1 - 0.8*x - 1.3*y - z)\"]\n[section]\nsurface = \"x - y\"\n[initial]\nx = 0.5\ny = 0.3\nz = "
      "0.2\n");
  const Verdict verdict = whole(species.spectrum({.length = 5000.0})).verdict;
  EXPECT_NE(verdict.kind, MotionKind::equilibrium) << verdict.reason;
  EXPECT_NE(verdict.kind, MotionKind::periodic) << verdict.reason;
}

TEST(ForeignVerdicts, AStrangeNonchaoticAttractorIsNoTorus) {
  // The overdamped pendulum of Romeiras and Ott 1987 and Ding, Grebogi and Ott 1989, V = 0.55. At K = 1.36 perturbations
  // grow by e^2.2 at most, in 500 periods and in 4000; at 1.335 by e^6.4, 7.0, 8.9 in 500, 2000, 4000 (an independent program), which
  // may be a torus with a slope of 15,700: see published_motions_slow_test.cpp.
  const std::string pendulum = R"toml(
[parameters]
K = 1.36
[mechanics]
states = ["phi", "theta"]
rates = ["K + 0.55*(cos(t) + cos(theta)) + cos(phi)", "(sqrt(5) - 1)/2"]
[forcing]
period = "2*pi"
[initial]
phi = 0.1
)toml";
  const auto kind = [&](const std::string& K) {
    return whole(Mechanics::of(pendulum, "", {{"K", K}}).spectrum({.transient = 200.0, .length = 500.0})).verdict.kind;
  };
  EXPECT_EQ(kind("1.36"), MotionKind::quasi_periodic);
  for (const char* K : {"1.335", "1.342"}) EXPECT_EQ(kind(K), MotionKind::undecided) << K;
}

TEST(ForeignVerdicts, RotorsThatTurnEitherWayAreTwoToriThoughTheirExponentsAgree) {
  const Mechanics rotor = Mechanics::of(R"toml(
[mechanics]
coordinates = ["phi"]
mass = [["1"]]
force = ["-0.1*phi'*(phi'^2 - 1.5) + 0.2*sin(phi) + 0.1*cos(t)"]
[forcing]
period = "2*pi"
)toml");
  std::vector<LyapunovStart> starts(3, rotor.start());
  starts[0].x[1] = 1.2;
  starts[1].x[1] = -1.2;
  starts[2].x[1] = 1.5;
  const auto spectra = lyapunov_spectra(rotor.kernels(), starts, {.transient = 200.0, .length = 600.0});
  for (const LyapunovSpectrum& s : spectra) EXPECT_EQ(s.verdict.kind, MotionKind::quasi_periodic) << s.verdict.reason;
  const Translations translations = translations_of(rotor.kernels(), starts[0].parameters);
  EXPECT_EQ(distinct_attractors(spectra, translations).size(), 2U);
}

TEST(ForeignVerdicts, AMotionBelowTheAbsoluteToleranceIsNotSaidToRepeat) {
  // Ueda's oscillator with a unit of length of 10⁻¹²: chaotic, 0.1034 (Sprott 2003).
  const std::string ueda = R"toml(
[parameters]
L = 1e-12
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["-0.05*x' - x^3/L^2 + 7.5*L*sin(t)"]
[forcing]
period = "2*pi"
[initial]
x = "L"
)toml";
  const Mechanics small = Mechanics::of(ueda);
  EXPECT_NE(whole(small.spectrum({.transient = 100.0, .length = 200.0})).verdict.kind, MotionKind::periodic);
  LyapunovOptions finer{.transient = 100.0, .length = 200.0};
  finer.flow.atol = 1e-24;
  EXPECT_EQ(whole(small.spectrum(finer)).verdict.kind, MotionKind::chaotic);
}

TEST(ForeignVerdicts, ThreeOscillatorsWithoutDampingLieOnATorusOfThreeDimensions) {
  const Mechanics three = Mechanics::of(
      "[mechanics]\ncoordinates = [\"x\", \"y\", \"z\"]\nmass = [[\"1\", \"0\", \"0\"], [\"0\", \"1\", \"0\"], [\"0\", "
      "\"0\", \"1\"]]\nforce = [\"-x\", \"-2.1234567*y\", \"-3.777713*z\"]\n[section]\nsurface = \"x\"\n[initial]\nx = "
      "1\ny = 1\nz = 1\n");
  const LyapunovSpectrum s = whole(three.spectrum({.length = 3000.0}));
  EXPECT_EQ(s.verdict.kind, MotionKind::quasi_periodic) << s.verdict.reason;
  EXPECT_CLOSE(s.kaplan_yorke, 3.0, exact);
}

}  // namespace
}  // namespace saltus
