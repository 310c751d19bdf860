// Events of different kinds inside one step: each is met, and in the order of time, however their zeros were first estimated.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/flow_support.hpp"

namespace saltus::test {
namespace {

const int seeded_order = setenv("RC_PARAMS", "seed=20245 max_success=25", 0);

class EventOrder : public OnEveryRoad {};
INSTANTIATE_TEST_SUITE_P(Roads, EventOrder, every_road, name_of_road);

/// Two masses on tables A cos t, from t = 0 on shifted by π, where both press: λ = 1 + A cos t. A runner x = t passes a surface and
/// a switch, behind which u is pushed.
std::string two_tables(double A, double B, double surface, double switched) {
  return fmt::format(R"toml(
[mechanics]
coordinates = ["z", "y", "x", "u"]
mass  = [["1", "0", "0", "0"], ["0", "1", "0", "0"], ["0", "0", "1", "0"], ["0", "0", "0", "1"]]
force = ["-1", "-1", "0", "if(x > {}, 1, 0)"]
[[contact]]
name = "first"
gap = "z + {}*cos(t)"
restitution = 0
[[contact]]
name = "second"
gap = "y + {}*cos(t)"
restitution = 0
[section]
surface = "x - {}"
[forcing]
period = "2*pi"
[initial]
z = {}
y = {}
"x'" = 1
)toml",
                     switched, A, B, surface, -A, -B);
}

double release_of(double A) { return std::numbers::pi - std::acos(1.0 / A); }

double time_of(const FlowResult& result, EventKind kind, std::size_t index) {
  for (const Event& event : result.events)
    if (event.kind == kind && event.index == index) return event.t;
  return std::nan("");
}

TEST_P(EventOrder, NothingIsPassedOnTheWayToARelease) {
  const bool held = rc::check("nothing is passed on the way to a release", [&] {
    const auto between = [](double low, double high) {
      return low + (high - low) * 1e-6 * static_cast<double>(*rc::gen::inRange(0, 1'000'001));
    };
    const double A = between(1.05, 4.0);
    const double first = release_of(A);
    // Before the release by parts of its time from all to 1e-7 of it, or behind it.
    const auto near = [&] {
      return first * (1.0 - (*rc::gen::arbitrary<bool>() ? 1.0 : -0.2) * std::pow(10.0, between(-7.0, -0.1)));
    };
    const double surface = near();
    const double switched = near();
    const double B = between(1.05, 4.0);
    RC_PRE(std::abs(surface - switched) > 1e-9);
    const Motion motion = of(two_tables(A, B, surface, switched));
    FlowRun run = motion.run_from({}, motion.start(), {0, 1.2 * std::max(first, release_of(B))}, Carries::state);
    run.watches = {{0, Crossing::up, 0.0}};
    const FlowResult result = motion.moved(run, Carries::state);
    RC_ASSERT(std::abs(time_of(result, EventKind::slide_end, 0) - first) < 1e-7);
    RC_ASSERT(std::abs(time_of(result, EventKind::slide_end, 1) - release_of(B)) < 1e-7);
    RC_ASSERT(std::abs(time_of(result, EventKind::section, 0) - surface) < 1e-9);
    RC_ASSERT(std::abs(time_of(result, EventKind::switched, 0) - switched) < 1e-9);
    const double pushed = result.end.t.phase - switched;
    RC_ASSERT(std::abs(result.end.x[3] - 0.5 * pushed * pushed) < 1e-8);
  });
  EXPECT_TRUE(held);
}

}  // namespace
}  // namespace saltus::test
