// What is said of a motion does not depend on the units in which its model is written: X = s x for each coordinate alone, τ = c t.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstdlib>

#include "saltus/analysis/motions/attractors.hpp"
#include "saltus/analysis/motions/signature.hpp"
#include "tests/analysis/motions/spectrum_of.hpp"

namespace saltus {
namespace {

using test::Mechanics;

// The same units every time, few enough for a few seconds; RC_PARAMS in the environment asks for others.
const int seeded = setenv("RC_PARAMS", "seed=20266 max_success=8", 0);

std::string power(int exponent) { return "1e" + std::to_string(exponent); }

std::vector<Assignment> units(int x, int y, int t) { return {{"s", power(x)}, {"r", power(y)}, {"c", power(t)}}; }

// An impact oscillator beside a linear one: x'' = a cos ωt − x − 0.1 x' with a stop.
const std::string stop = R"toml(
[parameters]
s = 1
r = 1
c = 1
R = 0.8
omega = 2.8
[mechanics]
coordinates = ["X", "Y"]
mass  = [["1", "0"], ["0", "1"]]
force = ["(s*cos(omega*t/c) - X - 0.1*c*X')/c^2", "(r*cos(omega*t/c) - Y - 0.5*c*Y')/c^2"]
[[contact]]
name = "stop"
gap  = "-X/s"
restitution = "R"
[forcing]
period = "2*pi*c/omega"
[initial]
X = "-0.2*s"
)toml";

// van der Pol's, forced: a torus.
const std::string torus = R"toml(
[parameters]
s = 1
r = 1
c = 1
[mechanics]
coordinates = ["X"]
mass  = [["1"]]
force = ["((1 - (X/s)^2)*c*X' - X + 0.3*s*cos(1.7*t/c))/c^2"]
[forcing]
period = "2*pi*c/1.7"
[initial]
X = "s"
)toml";

// Two wells at x = ±1, beside a coordinate that dies out.
const std::string wells = R"toml(
[parameters]
s = 1
r = 1
c = 1
[mechanics]
coordinates = ["X", "Y"]
mass  = [["1", "0"], ["0", "1"]]
force = ["(X - X^3/s^2 - 0.5*c*X')/c^2", "(-Y - c*Y')/c^2"]
[initial]
X = "0.3*s"
Y = "r"
)toml";

/// A step has an absolute error, too: it is told in the unit of what it is to resolve.
LyapunovOptions options(double transient, double length, int x, int y, int t) {
  LyapunovOptions result{.transient = transient, .length = length};
  result.flow.method = FlowMethod::automatic;
  const int smallest = std::min({x, y, x - t, y - t, 0});
  result.flow.atol *= std::pow(10.0, smallest);
  return result;
}

RC_GTEST_PROP(Units, AChaoticAndAPeriodicImpactOscillatorStaySoInEveryUnit, ()) {
  const int x = *rc::gen::inRange(-9, 10);
  const int y = *rc::gen::inRange(-9, 10);
  const int t = *rc::gen::inRange(-6, 7);
  const LyapunovSpectrum chaos = Mechanics::of(stop, "", units(x, y, t)).spectrum(options(200.0, 400.0, x, y, t));
  RC_ASSERT(chaos.verdict.kind == MotionKind::chaotic);
  auto set = units(x, y, t);
  set.push_back({"R", "0.2"});
  const LyapunovSpectrum orbit = Mechanics::of(stop, "", set).spectrum(options(200.0, 100.0, x, y, t));
  RC_ASSERT(orbit.verdict.kind == MotionKind::periodic);
  RC_ASSERT(orbit.verdict.period == 2U);
}

RC_GTEST_PROP(Units, ATorusStaysOneInEveryUnit, ()) {
  const int x = *rc::gen::inRange(-9, 10);
  const int t = *rc::gen::inRange(-6, 7);
  const LyapunovSpectrum s = Mechanics::of(torus, "", units(x, 0, t)).spectrum(options(100.0, 800.0, x, 0, t));
  RC_ASSERT(s.verdict.kind == MotionKind::quasi_periodic);
}

RC_GTEST_PROP(Units, TwoWellsAreTwoAttractorsInEveryUnit, ()) {
  const int x = *rc::gen::inRange(-9, 10);
  const int y = *rc::gen::inRange(-9, 10);
  const int t = *rc::gen::inRange(-6, 7);
  const Mechanics model = Mechanics::of(wells, "", units(x, y, t));
  const double time = std::pow(10.0, t);
  std::vector<LyapunovStart> starts;
  for (const double at : {0.3, -0.3, 1.7, -1.7, 0.9, -1.1}) {
    starts.push_back(model.start());
    starts.back().x[0] = at * std::pow(10.0, x);
  }
  const auto spectra = lyapunov_spectra(model.kernels(), starts, options(150.0 * time, 50.0 * time, x, y, t));
  const auto attractors = distinct_attractors(spectra, {});
  RC_ASSERT(attractors.size() == 2U);
  AttractorList list;
  for (const LyapunovSpectrum& spectrum : spectra) {
    RC_ASSERT(spectrum.verdict.kind == MotionKind::equilibrium);
    list.label(signature_of(spectrum, {}), 0);
  }
  RC_ASSERT(list.entries().size() == 2U);
}

}  // namespace
}  // namespace saltus
