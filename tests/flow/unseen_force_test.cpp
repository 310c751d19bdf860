// Forces that are shorter than a step: no pulse is stepped over, whatever its place, width and kind.

#include "saltus/flow/unseen_force.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>
#include <numbers>

#include "saltus/flow/segment_flow.hpp"
#include "tests/support/flow_support.hpp"

namespace saltus {
namespace {

using test::Motion;

const int seeded = setenv("RC_PARAMS", "seed=20245 max_success=25", 0);

/// A pulse p(u), and P with P′ = p.
struct Pulse {
  std::string text;
  double (*integral)(double u);
};
const std::vector<Pulse> pulses = {
    {"exp(-u^2)", [](double u) { return 0.5 * std::sqrt(std::numbers::pi) * std::erf(u); }},
    {"1/(1 + u^2)", [](double u) { return std::atan(u); }},
    {"1/cosh(u)^2", [](double u) { return std::tanh(u); }},
    {"(1 - tanh(u)^2)", [](double u) { return std::tanh(u); }},
};

/// y′ = cos x + a/w p((x − c)/w) with x = t, the pulse one of the state x or of the time.
std::string model_of(const Pulse& pulse, const std::string& of) {
  return "[parameters]\nw = 1e-3\nc = 1.5\na = 1\n[define]\nu = \"(" + of + " - c)/w\"\n[mechanics]\n" +
         "states = [\"x\", \"y\"]\nrates = [\"1\", \"cos(x) + a/w*" + pulse.text + "\"]\n[initial]\nx = 0\ny = 0\n";
}

struct Chosen {
  double w, c, a;
  double impulse(const Pulse& pulse, double T) const {
    return a * (pulse.integral((T - c) / w) - pulse.integral(-c / w));
  }
};

/// y at time T.
double end_of(const Motion& motion, const Chosen& chosen, double T) {
  FlowRun run = motion.run_from({}, motion.start(), {0, T}, test::Carries::state);
  run.parameters = {chosen.w, chosen.c, chosen.a};
  const FlowResult result = motion.moved(run, test::Carries::state);
  EXPECT_EQ(result.outcome, Outcome::reached_end);
  return result.end.x[1];
}

/// One model for each pulse, of the state and of the time, alone and in lanes.
const std::vector<Motion>& motions(unsigned width) {
  static const auto all = [](unsigned w) {
    std::vector<Motion> made;
    for (const Pulse& pulse : pulses)
      for (const std::string of : {"x", "t"})
        made.push_back(Motion::of(model_of(pulse, of), {.widths = w == 1 ? std::vector{1u} : std::vector{1u, w}}));
    return made;
  };
  static const std::vector<Motion> alone = all(1);
  static const std::vector<Motion> in_lanes = all(4);
  return width == 1 ? alone : in_lanes;
}

// Their impulses, from a thousandth of what the rest of the force does on, to what is permitted of a step or two.
RC_GTEST_PROP(UnseenForce, NoPulseIsSteppedOver, ()) {
  const double T = 3.0;
  const auto kind = *rc::gen::inRange<std::size_t>(0, 2 * pulses.size());
  const unsigned width = *rc::gen::element(1u, 4u);
  const auto real = [](double lo, double hi) { return lo + (hi - lo) * 1e-6 * *rc::gen::inRange(0, 1000001); };
  const Chosen chosen{T * std::pow(10.0, real(-4.0, -1.0)), T * real(0.05, 0.95), std::pow(10.0, real(-3.0, 0.0))};
  const double y = end_of(motions(width)[kind], chosen, T);
  const double truth = std::sin(T) + chosen.impulse(pulses[kind / 2], T);
  // What is permitted of a step; a pulse that is missed is wrong by 1e-3 at least.
  const double permitted = UnseenForce::permitted * (1e-10 * (1.0 + 4.0 * chosen.a) + 1e-12);
  RC_ASSERT(std::abs(y - truth) < permitted);
}

// With a force that is not written with any such function nothing is looked at.
TEST(UnseenForce, IsNotLookedForInAModelOfLowPolynomialsAndSines) {
  const Motion duffing = Motion::of(R"model(
[mechanics]
coordinates = ["x"]
mass = [["2 + cos(x)"]]
force = ["-x - x^3 - 0.1*x' + sin(t)*cos(x)"]
[forcing]
period = "2*pi"
)model");
  EXPECT_FALSE(UnseenForce::of(duffing.kernels(), 1).has_value());
  EXPECT_TRUE(UnseenForce::of(motions(1).front().kernels(), 1).has_value());
}

// x″ + x = p(t) has, behind a Gaussian pulse, x = √π e^(−w²/4) sin(t − c).
TEST(UnseenForce, AnOscillatorAtRestIsSetInMotionByAShortPulse) {
  const Motion motion = Motion::of(R"model(
[parameters]
w = 1
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["-x + exp(-((t - 40)/w)^2)/w"]
)model");
  for (const double w : {1e-1, 1e-2, 1e-3, 1e-4, 1e-5}) {
    FlowRun run = motion.run_from({}, motion.start(), {0, 45.0}, test::Carries::state);
    run.parameters = {w};
    const double truth = std::sqrt(std::numbers::pi) * std::exp(-0.25 * w * w) * std::sin(5.0);
    EXPECT_NEAR(motion.moved(run, test::Carries::state).end.x[0], truth, 2e-9) << w;
  }
}

// cos(t)^400 is a row of pulses, ∫ over half a turn: π C(400, 200)/2^400.
TEST(UnseenForce, AHighPowerIsARowOfPulses) {
  const Motion motion = Motion::of(R"model(
[mechanics]
states = ["y"]
rates = ["cos(t)^400"]
)model");
  double one = std::numbers::pi;
  for (int k = 1; k <= 200; ++k) one *= (2.0 * k - 1.0) / (2.0 * k);
  EXPECT_NEAR(motion.until(10.5 * std::numbers::pi).end.x[0], 10.5 * one, 1e-8);
}

// A particle that slides along a dry floor, and one held by a slide, meet pulses as a free one does.
TEST(UnseenForce, IsSeenWhileSliding) {
  const Motion motion = Motion::of(R"model(
[parameters]
w = 1e-4
[mechanics]
coordinates = ["x", "y"]
mass = [["1", "0"], ["0", "1"]]
force = ["exp(-((x - 1.7)/w)^2)/w", "-1"]
[[contact]]
name = "floor"
gap = "y"
restitution = 0
[initial]
x = 0
"x'" = 1
)model");
  const FlowResult result = motion.until(5.0);
  // ½ v² grows by ∫ f dx = √π.
  EXPECT_NEAR(result.end.x[2], std::sqrt(1.0 + 2.0 * std::sqrt(std::numbers::pi)), 2e-9);
}

// Segments of orbits, forwards and backwards, see what motions see.
TEST(UnseenForce, IsSeenBySegmentsBothWays) {
  const Motion& motion = motions(1).front();
  const Mode free = start_point(motion.kernels(), {}, motion.start(), test::Carries::state).mode;
  const Chosen chosen{3e-4, 1.234, 1.0};
  SegmentFlow segment(motion.kernels(), motion.options, {chosen.w, chosen.c, chosen.a}, test::Carries::state);
  const Segment there = segment(0.0, motion.start(), free, 3.0, SegmentFlow::Watch::nothing);
  EXPECT_NEAR(there.x[1], std::sin(3.0) + chosen.impulse(pulses.front(), 3.0), 1e-8);
  const Segment back = segment(3.0, there.x, free, -3.0, SegmentFlow::Watch::nothing);
  EXPECT_NEAR(back.x[1], 0.0, 2e-8);
}

}  // namespace
}  // namespace saltus
