// Where what several switches hold is let go: by bounds, however short the push that does it.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <optional>
#include <random>

#include "tests/support/flow_support.hpp"

namespace saltus::test {
namespace {

/// A push a + b exp(−((t − c)/w)²) at a mass at rest that is held as long as it is below `limit`.
struct Push {
  const char* text;  // with parameters a, b, c, w in this order
  double limit;
};

// A relay and dry friction hold a mass at the place of the relay.
const Push by_relay = {R"toml(
[parameters]
a = 0
b = 1
c = 1
w = 1
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["-sign(x) - 0.5*sign(x') + a + b*exp(-((t - c)/w)^2)"]
)toml",
                       1.5};
// Two blocks stick to the ground and to each other: of the push at one of them the other takes what its own friction bears beside 0.1.
const Push by_friction = {R"toml(
[parameters]
a = 0
b = 1
c = 1
w = 1
[mechanics]
coordinates = ["x0", "x1"]
mass = [["1", "0"], ["0", "1"]]
force = ["-0.5*sign(x0') - 0.7*sign(x0' - x1') + a + b*exp(-((t - c)/w)^2)", "-0.5*sign(x1') + 0.7*sign(x0' - x1') - 0.1"]
)toml",
                          1.1};

// The same on a belt: the motion goes on while it is held.
const Push on_belt = {R"toml(
[parameters]
a = 0
b = 1
c = 1
w = 1
[mechanics]
coordinates = ["x0", "x1"]
mass = [["1", "0"], ["0", "1"]]
force = ["-0.5*sign(x0' - 0.3*t) - 0.7*sign(x0' - x1') + 0.3 + a + b*exp(-((t - c)/w)^2)", "-0.5*sign(x1' - 0.3*t) + 0.7*sign(x0' - x1') + 0.2"]
)toml",
                      1.1};
// A relay behind a root, at rest where both are zero.
const Push by_twisting = {R"toml(
[parameters]
a = 0
b = 1
c = 1
w = 1
[mechanics]
states = ["x", "y"]
rates = ["-1.5*sqrt(abs(x))*sign(x) + y", "-1.1*sign(x) + a + b*exp(-((t - c)/w)^2)"]
)toml",
                          1.1};

// The same relay on a slope that bears 1 of the weight upwards and 0.1 sideways.
const Push on_slope = {R"toml(
[parameters]
a = 0
b = 1
c = 1
w = 1
[mechanics]
coordinates = ["x", "y"]
mass = [["1", "0"], ["0", "1"]]
force = ["-sign(x) - 0.5*sign(x') + a + b*exp(-((t - c)/w)^2)", "-1"]
[[contact]]
name = "slope"
gap = "y - 0.1*x"
restitution = "0"
)toml",
                       1.6};
// It is pulled off a floor meanwhile.
const Push off_floor = {R"toml(
[parameters]
a = 0
b = 1
c = 1
w = 1
[mechanics]
coordinates = ["x", "y"]
mass = [["1", "0"], ["0", "1"]]
force = ["-sign(x) - 0.5*sign(x')", "-1 + a + b*exp(-((t - c)/w)^2)"]
[[contact]]
name = "floor"
gap = "y"
restitution = "0"
)toml",
                        1.0};

std::optional<double> first_end(const FlowResult& result, EventKind kind = EventKind::filippov_end) {
  for (const Event& event : result.events)
    if (event.kind == kind && event.t > 1e-6) return event.t;
  return std::nullopt;
}

void end_where_closed_forms_say(const Push& held, EventKind kind = EventKind::filippov_end) {
  std::mt19937 source(20252);
  const auto some = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(source); };
  const Motion motion = Motion::of(held.text);
  for (int count = 0; count < 10; ++count) {
    const double a = some(-0.4, 0.9);
    const double c = some(2.0, 8.0);
    const double w = std::pow(10.0, some(-4.0, -0.5));
    const bool ends = count % 4 != 0;
    const double b = held.limit - a + (ends ? 1.0 : -1.0) * std::pow(10.0, some(-3.0, ends ? 0.0 : -1.0));
    FlowRun run = motion.run_from({}, motion.start(), {0, ends ? c : 10.0}, Carries::state);
    std::copy_n(std::array{a, b, c, w}.begin(), 4, run.parameters.begin());
    const FlowResult result = motion.moved(run, Carries::state);
    ASSERT_EQ(result.outcome, Outcome::reached_end) << held.text << a << " " << b << " " << c << " " << w;
    const auto end = first_end(result, kind);
    ASSERT_EQ(end.has_value(), ends) << held.text << a << " " << b << " " << c << " " << w;
    if (ends) { EXPECT_NEAR(*end, c - w * std::sqrt(std::log(b / (held.limit - a))), 1e-7); }
  }
}

TEST(HeldBounds, AHoldEndsWhereItsForcesReachTheirLimitHoweverShortThePush) {
  for (const Push& held : {by_relay, by_friction, on_belt, by_twisting}) end_where_closed_forms_say(held);
}

TEST(HeldBounds, AHoldBesideAClosedContactEndsHoweverShortThePush) { end_where_closed_forms_say(on_slope); }

TEST(HeldBounds, AContactBesideAHoldOpensHoweverShortThePull) {
  end_where_closed_forms_say(off_floor, EventKind::slide_end);
}

}  // namespace
}  // namespace saltus::test
