// Impacts in a corner that accumulate faster than any clock: flights as short as the square of those before, speeds in a constant ratio.

#include <cmath>

#include "tests/support/flow_support.hpp"

namespace saltus {
namespace {

using test::Motion;

/// A point in a wedge of 45° between the floor y = 0, which does not throw it back, and the wall x = y that leans over it. The force
/// presses against the wall, and lifts off the floor what it does not press there.
std::string wedge(const std::string& law) {
  return R"toml([mechanics]
coordinates = ["x", "y"]
mass  = [["1", "0"], ["0", "1"]]
force = ["-1", "0.5"]
[[contact]]
name = "floor"
gap  = "y"
restitution = 0
[[contact]]
name = "wall"
gap  = "x - y"
restitution = 0.4
[initial]
x = 0.2
"x'" = -1
[solver]
impact_law = ")toml" +
         law + "\"\n";
}

/// The same round by round: from the floor at (h, 0) with velocity (−u, 0) to the wall, and back to the floor.
struct Wedge {
  long double h = 0.2L, u = 1.0L, t = 0.0L;

  void go_round() {
    const long double to_wall = 2.0L * h / (u + std::sqrt(u * u + 3.0L * h));  // h − u τ − ¾ τ² = 0
    const long double y = 0.25L * to_wall * to_wall;
    const long double impulse = 0.7L * (u + 1.5L * to_wall);
    const long double vx = -u - to_wall + impulse;
    const long double vy = 0.5L * to_wall - impulse;
    const long double to_floor = 2.0L * y / (-vy + std::sqrt(vy * vy - y));  // y + vy τ + ¼ τ² = 0
    h = y + vx * to_floor - 0.5L * to_floor * to_floor;
    u = -(vx - to_floor);
    t += to_wall + to_floor;
  }
};

class CornerAccumulation : public test::OnEveryRoad {};
INSTANTIATE_TEST_SUITE_P(Roads, CornerAccumulation, test::both_roads, test::name_of_road);

TEST_P(CornerAccumulation, EndsAtRestInTheCornerByEitherLaw) {
  Wedge reference;
  int rounds = 0;
  for (; reference.h > 1e-22L; ++rounds) reference.go_round();
  // The way is over after a few rounds, and the speed is not: what is left of it goes down by 0.3 a round, in no time.
  ASSERT_LT(rounds, 9);
  ASSERT_GT(reference.u, 1e-5L);
  const double end = static_cast<double>(reference.t);
  for (const std::string law : {"sequential", "moreau"}) {
    const Motion m = of(wedge(law));
    const FlowResult result = m.until(end + 1e-9);
    ASSERT_EQ(result.outcome, Outcome::reached_end) << law;
    EXPECT_LT(result.end.x.tail(2).norm(), 1e-12) << law;
    EXPECT_LT(result.end.x.head(2).norm(), 1e-13) << law;
    EXPECT_TRUE(result.end.mode.is_closed(0) && result.end.mode.is_closed(1)) << law;
    ASSERT_FALSE(result.events.empty());
    // A gap below 1e-13 is closed, at the speed of 1e-3 that is left.
    EXPECT_NEAR(result.events.back().t, end, 1e-10) << law;
    const FlowResult later = m.until(end + 3.0);
    EXPECT_LT(later.end.x.norm(), 1e-12) << law;
  }
}

/// Three equal particles on a line, of which the outer ones catch the one between them if r < 7 − 4√3 = 0.0718 (McNamara & Young 1992,
/// Inelastic collapse and clumping in a one-dimensional granular medium): gaps and their rates, impact by impact.
struct Collapse {
  long double r;
  long double gap[2] = {1.0L, 1.5L};
  long double rate[2] = {-1.0L, -1.0L};
  long double t = 0.0L;

  /// On the gap that closes first; the one that has just been struck opens.
  void strike() {
    const auto closes_in = [&](int i) { return rate[i] < 0.0L ? -gap[i] / rate[i] : 1e30L; };
    const int i = closes_in(0) < closes_in(1) ? 0 : 1;
    const long double dt = closes_in(i);
    t += dt;
    gap[1 - i] += rate[1 - i] * dt;
    gap[i] = 0.0L;
    rate[1 - i] += 0.5L * (1.0L + r) * rate[i];
    rate[i] *= -r;
  }
};

/// And a body that lies somewhere else, and has nothing to do with them.
std::string three_particles(const std::string& law, const std::string& r) {
  return R"toml([mechanics]
coordinates = ["a", "b", "c", "z"]
mass  = [["1", "0", "0", "0"], ["0", "1", "0", "0"], ["0", "0", "1", "0"], ["0", "0", "0", "1"]]
force = ["0", "0", "0", "-1"]
[[contact]]
name = "elsewhere"
gap  = "z"
restitution = 0.5
[[contact]]
name = "ab"
gap  = "b - a"
restitution = )toml" +
         r + "\n[[contact]]\nname = \"bc\"\ngap = \"c - b\"\nrestitution = " + r +
         "\n[initial]\na = -1\nb = 0\nc = 1.5\n\"a'\" = 1\n\"b'\" = 0\n\"c'\" = -1\n[solver]\nimpact_law = \"" + law +
         "\"\n";
}

TEST_P(CornerAccumulation, OfThreeParticlesIsTheirCollapse) {
  for (const std::string r : {"0.02", "0.05", "0.07"}) {
    Collapse reference{std::stold(r)};
    for (int count = 0; count < 400; ++count) reference.strike();
    ASSERT_LT(reference.gap[0] + reference.gap[1], 1e-20L);
    const double end = static_cast<double>(reference.t);
    // So near the limit the ratio of a round to the one before still changes when all is within rounding.
    const double within = r == "0.07" ? 1e-5 : 1e-10;
    for (const std::string law : {"sequential", "moreau"}) {
      const FlowResult result = of(three_particles(law, r)).until(end + 100.0);
      ASSERT_EQ(result.outcome, Outcome::reached_end) << law << " " << r;
      // The momentum is none, and they are where their centre is.
      EXPECT_LT((result.end.x.head(3).array() - 1.0 / 6.0).abs().maxCoeff(), 1e-12) << law << " " << r;
      EXPECT_LT(result.end.x.tail(4).norm(), 1e-14) << law << " " << r;
      ASSERT_GT(result.ledger.chatters, 0) << law << " " << r;
      for (const Event& event : result.events) {
        if (event.kind != EventKind::chatter) continue;
        EXPECT_NEAR(event.t, end, within) << law << " " << r;
      }
    }
  }
}

}  // namespace
}  // namespace saltus
