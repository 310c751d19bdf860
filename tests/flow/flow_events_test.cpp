// Closed forms: what happens, when, and how the motion goes on.

#include <numbers>

#include "tests/support/flow_support.hpp"
#include "tests/support/oracles.hpp"

namespace saltus {
namespace {

using test::Carries;
using test::count_of;
using test::Motion;
constexpr double pi = std::numbers::pi;

// ---- the dip experiment ------------------------------------------------------------------------------------------

class Dip : public testing::TestWithParam<std::tuple<FlowMethod, double>> {};

TEST_P(Dip, FindsEveryVisitToAWallHoweverShallow) {
  Motion m = Motion::of(test::dip_text);
  std::tie(m.options.method, m.options.rtol) = GetParam();
  m.options.atol = m.options.rtol / 100.0;
  for (int exponent = 1; exponent <= 12; ++exponent) {
    const double d = std::pow(10.0, -exponent);
    int missed = 0;
    for (int phase = 0; phase < 400; ++phase) {
      // q = cos(t + φ) from φ ∈ [−π + 1, 1]: within 2π it comes down to −1 once or twice.
      const double phi = 1.0 - pi + pi * phase / 400.0;
      FlowRun run = m.run_from({}, Vector{{std::cos(phi), -std::sin(phi)}}, {0, pi - phi + 0.5}, Carries::state);
      run.parameters = {d};
      const FlowResult result = flow(m.kernels(), m.options, run);
      const bool met = count_of(result, EventKind::impact) + count_of(result, EventKind::grazing) > 0;
      missed += met ? 0 : 1;
    }
    EXPECT_CLOSE(missed, 0, exact) << "of 400 at d = 1e-" << exponent;
  }
}
INSTANTIATE_TEST_SUITE_P(Tolerances, Dip,
                         testing::Values(std::tuple{FlowMethod::runge_kutta, 1e-10},
                                         std::tuple{FlowMethod::runge_kutta, 1e-6},
                                         std::tuple{FlowMethod::exact, 1e-10}));

// ---- bouncing ball -----------------------------------------------------------------------------------------------

class BouncingBall : public test::OnEveryRoad {
 protected:
  static Motion ball(const std::string& e) { return example("bouncing_ball", {.set = {{"e", e}}}); }
};

class BallThatComesToRest : public BouncingBall {
 protected:
  static void expect_ball(double e, double accumulation_error);
};

void BallThatComesToRest::expect_ball(double e, double accumulation_error) {
  const Motion m = ball(std::to_string(e));
  const test::BouncingBall closed{.g = 9.81, .e = e, .z0 = 1.0};
  const FlowResult result = m.until(1.2 * closed.accumulation() + 1.0);
  ASSERT_EQ(result.outcome, Outcome::reached_end);
  std::size_t k = 0;
  double chatter = 0.0;
  double worst = 0.0;
  for (const Event& event : result.events) {
    if (event.kind == EventKind::impact) {
      worst = std::max(worst, std::abs(event.t / closed.impact(k) - 1.0));
      ++k;
    }
    if (event.kind == EventKind::chatter) chatter = event.t;
  }
  EXPECT_GT(k, 10U);
  EXPECT_CLOSE(worst, 0.0, integration(1e-12, 1.0, 1.0));
  EXPECT_CLOSE(chatter, closed.accumulation(), integration(accumulation_error, 1.0));
  ASSERT_TRUE(result.end.mode.is_closed(0));
  EXPECT_CLOSE(result.end.x, Vector(Vector::Zero(2)), rounding(4, 1.0));
  // It carries the ball's weight for ever.
  EXPECT_CLOSE(m.mechanism().field(0.0, result.end.x, result.end.mode).force[0], 9.81, rounding(4));
  EXPECT_CLOSE(count_of(result, EventKind::slide_end), 0, exact);
}

TEST_P(BallThatComesToRest, StrikesAtTheClosedFormInstantsAndComesToRestForE050) { expect_ball(0.5, 1e-12); }
TEST_P(BallThatComesToRest, StrikesAtTheClosedFormInstantsAndComesToRestForE099) { expect_ball(0.99, 1e-11); }
TEST_P(BallThatComesToRest, StrikesAtTheClosedFormInstantsAndComesToRestForE0999) { expect_ball(0.999, 1e-11); }

TEST_P(BouncingBall, RestsAfterItsFirstImpactIfPlastic) {
  const FlowResult result = ball("0").until(1.0);
  EXPECT_CLOSE(result.ledger.impacts, 1, exact);
  EXPECT_CLOSE(count_of(result, EventKind::slide_start), 1, exact);
  EXPECT_TRUE(result.end.mode.is_closed(0));
}

TEST_P(BouncingBall, StartsOnTheFloorApproachingRestingAndLeaving) {
  const Motion m = ball("0.8");
  const auto from = [&](double v) { return m.flow_from({}, Vector{{0.0, v}}, {0, 0.1}); };
  const FlowResult approaching = from(-2.0);
  ASSERT_GE(approaching.events.size(), 1U);
  EXPECT_EQ(approaching.events[0].kind, EventKind::impact);
  EXPECT_CLOSE(approaching.end.x[0], 1.6 * 0.1 - 0.5 * 9.81 * 0.01, rounding(100));
  const FlowResult resting = from(0.0);
  EXPECT_TRUE(resting.end.mode.is_closed(0));
  EXPECT_CLOSE(resting.ledger.impacts, 0, exact);
  EXPECT_CLOSE(resting.end.x[0], 0.0, exact);
  const FlowResult leaving = from(2.0);
  EXPECT_CLOSE(leaving.ledger.impacts, 0, exact);
  EXPECT_CLOSE(leaving.end.x[0], 2.0 * 0.1 - 0.5 * 9.81 * 0.01, rounding(100));
}

INSTANTIATE_TEST_SUITE_P(Roads, BouncingBall, test::every_road, test::name_of_road);
INSTANTIATE_TEST_SUITE_P(Roads, BallThatComesToRest, test::both_roads, test::name_of_road);

// ---- vibrating table ---------------------------------------------------------------------------------------------

class VibratingTable : public test::OnEveryRoad {};
INSTANTIATE_TEST_SUITE_P(Roads, VibratingTable, test::both_roads, test::name_of_road);

TEST_P(VibratingTable, IsLeftWhenItsAccelerationExceedsGravityAndChattersEachPeriod) {
  // A ω² = 1.3 g: the ball leaves where −A cos t = −1, i.e. cos t = 1/1.3 on the way up past t = 2π − acos(1/A).
  const Motion m = example("vibrating_table", {.set = {{"A", "1.3"}, {"e", "0.3"}, {"z", "1.31"}}});
  const FlowResult result = m.until(12 * 2 * pi);
  ASSERT_EQ(result.outcome, Outcome::reached_end);
  std::size_t left = 0;
  for (const Event& event : result.events) {
    if (event.kind != EventKind::slide_end) continue;
    ++left;
    const double phase = std::remainder(event.t, 2 * pi);
    EXPECT_CLOSE(phase, -std::acos(1.0 / 1.3), integration(1e-10, 1.0, 1.0)) << event.t;
  }
  EXPECT_GE(left, 10U);
  EXPECT_GE(count_of(result, EventKind::chatter), 10U);
  for (std::size_t i = 1; i < result.events.size(); ++i) EXPECT_LE(result.events[i - 1].t, result.events[i].t) << i;
  EXPECT_LE(result.ledger.worst_penetration, 1e-13);
}

TEST_P(VibratingTable, NeverLetsGoBelowOneG) {
  const FlowResult result = example("vibrating_table", {.case_name = "resting"}).until(40 * 2 * pi);
  EXPECT_TRUE(result.end.mode.is_closed(0));
  EXPECT_CLOSE(count_of(result, EventKind::slide_end), 0, exact);
  EXPECT_CLOSE(result.end.x[0], 0.3 * std::cos(result.end.t.phase), rounding(10));
}

TEST_P(VibratingTable, KeepsToTheExactMotionWithOneImpactPerPeriod) {
  const Motion m = example("vibrating_table", {.case_name = "period1"});
  const double lag = m.value_of("lag");
  const FlowResult result = m.until(20 * 2 * pi);
  std::size_t k = 0;
  for (const Event& event : result.events)
    EXPECT_CLOSE(event.t, 2 * pi * static_cast<double>(++k) - lag, integration(1e-10, 10.0));
  EXPECT_CLOSE(k, 20, exact);
}

// ---- several contacts --------------------------------------------------------------------------------------------

class Cradle : public test::OnEveryRoad {};
INSTANTIATE_TEST_SUITE_P(Roads, Cradle, test::every_road, test::name_of_road);

TEST_P(Cradle, SequentialImpactsHandTheSpeedToTheLastBallAndMoreauSharesIt) {
  Motion m = example("newton_cradle", {.case_name = "touching"});
  // The left ball arrives with speed `lift` at t = π/2.
  const FlowResult toy = m.until(pi / 2 + 1e-3);
  ASSERT_EQ(toy.outcome, Outcome::reached_end);
  const double c = std::cos(1e-3);
  EXPECT_CLOSE(toy.end.x[3], 0.0, integration(1e-9, 1.0, 1.0));
  EXPECT_CLOSE(toy.end.x[4], 0.0, integration(1e-9, 1.0, 1.0));
  EXPECT_CLOSE(toy.end.x[5], 0.5 * c, integration(1e-9, 1.0, 1.0));
  m.options.impact_law = ImpactLaw::moreau;
  const FlowResult together = m.until(pi / 2 + 1e-3);
  ASSERT_EQ(together.outcome, Outcome::reached_end);
  EXPECT_CLOSE(together.end.x[3], -0.5 / 3 * c, integration(1e-9, 1.0, 1.0));
  EXPECT_CLOSE(together.end.x[4], 1.0 / 3 * c, integration(1e-9, 1.0, 1.0));
  EXPECT_CLOSE(together.end.x[5], 1.0 / 3 * c, integration(1e-9, 1.0, 1.0));
}

class Corner : public test::OnEveryRoad {};
INSTANTIATE_TEST_SUITE_P(Roads, Corner, test::every_road, test::name_of_road);

TEST_P(Corner, OfOrthogonalWallsIsDeterminedByEitherLaw) {
  for (const ImpactLaw law : {ImpactLaw::sequential, ImpactLaw::moreau}) {
    Motion m = of(test::corner_text("x", "y"));
    m.options.impact_law = law;
    const FlowResult result = m.until(2.0);  // meets both walls at t = 1 with velocity (−1, −1)
    ASSERT_EQ(result.outcome, Outcome::reached_end);
    EXPECT_CLOSE(result.ledger.impacts, 2, exact);
    EXPECT_CLOSE(result.end.x, (Vector{{0.5, 0.5, 0.5, 0.5}}), rounding(100));
  }
}

TEST_P(Corner, OfObliqueWallsIsAmbiguousInSequenceAndDeterminedTogether) {
  Motion m = of(test::corner_text("x", "y - x/2"));
  const FlowResult result = m.flow_from({}, Vector{{1.0, 1.0, -1.0, -1.0}}, {0, 2.0});
  EXPECT_EQ(result.outcome, Outcome::ambiguous_impact);
  EXPECT_EQ(result.contacts.size(), 2U);
  ASSERT_TRUE(std::holds_alternative<OrderDecides>(result.details));
  // x first: (0.5, −1), (−0.25, 0.5), (0.125, 0.5); the oblique wall first: (−1.3, −0.4), (0.65, −0.4), (0.215, 0.47).
  EXPECT_CLOSE(std::get<OrderDecides>(result.details).difference, 0.09, rounding(1000));
  EXPECT_CLOSE(result.end.t.phase, 1.0, rounding(100));
  EXPECT_CLOSE(result.end.x.head(2).norm(), 0.0, rounding(100, 1.0));
  m.options.impact_law = ImpactLaw::moreau;
  const FlowResult together = m.flow_from({}, Vector{{1.0, 1.0, -1.0, -1.0}}, {0, 2.0});
  ASSERT_EQ(together.outcome, Outcome::reached_end);
  // γ = (−1, −½), both reversed with e = ½: x' = ½, y' − x'/2 = ¼.
  EXPECT_CLOSE(together.end.x.tail(2), (Vector{{0.5, 0.5}}), rounding(100));
}

TEST(DoublePendulum, FallsIntoItsCorner) {
  const Motion m = Motion::example("double_pendulum_wall", {.case_name = "corner"});
  const FlowResult result = m.until(1.0);
  ASSERT_EQ(result.outcome, Outcome::reached_end);
  ASSERT_GE(result.ledger.impacts, 3);
  EXPECT_CLOSE(result.events[0].index, 0, exact);  // wall, floor and wall again within 8 ms
  EXPECT_CLOSE(result.events[1].index, 1, exact);
  EXPECT_CLOSE(result.events[2].index, 0, exact);
  EXPECT_LT(result.events[2].t - result.events[0].t, 8e-3);
  EXPECT_LE(result.ledger.worst_penetration, 1e-12);
}

class Sliding : public test::OnEveryRoad {};
INSTANTIATE_TEST_SUITE_P(Roads, Sliding, test::every_road, test::name_of_road);

TEST_P(Sliding, IsInterruptedByAnImpactOnAnotherWallAndGoesOn) {
  // A block slides on the floor y = 0 under gravity, starts with speed 1 at x = 0 and meets the wall x = 1 at t = 1.
  Motion m = of(test::corner_text("1 - x", "y", "0", "-1"));
  const FlowResult result = m.flow_from({}, Vector{{0.0, 0.0, 1.0, 0.0}}, {0, 2.0});
  ASSERT_EQ(result.outcome, Outcome::reached_end);
  EXPECT_CLOSE(count_of(result, EventKind::impact), 1, exact);
  EXPECT_CLOSE(count_of(result, EventKind::slide_end), 0, exact);
  EXPECT_TRUE(result.end.mode.is_closed(1));
  EXPECT_CLOSE(result.end.x, (Vector{{0.5, 0.0, -0.5, 0.0}}), rounding(100));
}

TEST_P(Sliding, EndsWhenALeaningWallThrowsTheBlockUp) {
  // The wall leans away: its normal (−1, 1) has a part upwards.
  Motion m = of(test::corner_text("1 - x + y", "y", "0", "-1"));
  const FlowResult result = m.flow_from({}, Vector{{0.0, 0.0, 1.0, 0.0}}, {0, 1.1});
  ASSERT_EQ(result.outcome, Outcome::reached_end);
  // γ⁻ = −1, G = 2, Λ = (1 + ½)/2: v⁺ = (1, 0) + (−1, 1) 0.75.
  EXPECT_CLOSE(result.end.x.tail(2), (Vector{{0.25, 0.75 - 0.1}}), rounding(1000));
  EXPECT_FALSE(result.end.mode.is_closed(1));
}

class Contacts : public test::OnEveryRoad {};
INSTANTIATE_TEST_SUITE_P(Roads, Contacts, test::both_roads, test::name_of_road);

TEST_P(Contacts, ThatDependOnEachOtherAreNamed) {
  const Motion m = of(test::corner_text("y", "2*y", "0", "-1"));
  const FlowResult result = m.flow_from({}, Vector{{0.0, 0.0, 1.0, 0.0}}, {0, 1.0});
  EXPECT_EQ(result.outcome, Outcome::dependent_contacts);
  EXPECT_EQ(result.contacts.size(), 2U);
}

// ---- switches ----------------------------------------------------------------------------------------------------

class Belt : public test::OnEveryRoad {};
INSTANTIATE_TEST_SUITE_P(Roads, Belt, test::stepped_roads, test::name_of_road);

TEST_P(Belt, TakesTheBlockAlongUntilTheSpringEqualsTheFriction) {
  const Motion m = example("friction_belt");
  const FlowResult result = m.until(40.0);
  ASSERT_EQ(result.outcome, Outcome::reached_end);
  std::size_t ends = 0;
  double caught = 0.0;
  double x_caught = 0.0;
  for (const Event& event : result.events) {
    if (event.kind == EventKind::filippov_start) {
      caught = event.t;
      x_caught = event.x_plus[0];
    }
    if (event.kind != EventKind::filippov_end) continue;
    ++ends;
    // Carried along at the belt's speed until k x = μN.
    EXPECT_CLOSE(event.x_minus[0], 1.0, integration(1e-10, 10.0));
    EXPECT_CLOSE(event.t, caught + (1.0 - x_caught) / 0.2, integration(1e-10, 10.0));
    EXPECT_CLOSE(event.x_minus[1], 0.2, rounding(4));
  }
  EXPECT_GE(ends, 3U);
  const std::size_t starts = count_of(result, EventKind::filippov_start);
  EXPECT_CLOSE(result.ledger.switches, starts + ends + count_of(result, EventKind::switched), exact);
}

class Switch : public test::OnEveryRoad {};
INSTANTIATE_TEST_SUITE_P(Roads, Switch, test::every_road, test::name_of_road);

TEST_P(Switch, OfADiscontinuousForceIsPassedAtTheClosedFormInstant) {
  // From x = 0 with speed 1 and no force; beyond x = 1 the acceleration is 2.
  const Motion m = of(test::step_force_text);
  const FlowResult result = m.until(1.5);
  EXPECT_CLOSE(count_of(result, EventKind::switched), 1, exact);
  EXPECT_CLOSE(result.events[0].t, 1.0, rounding(10));
  EXPECT_CLOSE(result.end.x, (Vector{{1.0 + 0.5 + 0.25, 2.0}}), rounding(100));
}

// ---- what cannot go on -------------------------------------------------------------------------------------------

TEST(Failure, OfTheForceEndsWhereItIsNotANumber) {
  const Motion m = Motion::of(R"toml([mechanics]
coordinates = ["x"]
mass  = [["1"]]
force = ["sqrt(1 - x)"]
[initial]
"x'" = 1.0
)toml");
  const FlowResult result = m.until(10.0);
  EXPECT_EQ(result.outcome, Outcome::left_domain);
  EXPECT_CLOSE(result.end.x[0], 1.0, integration(1e-6, 1.0));
}

TEST(Failure, OfAMassThatBecomesSingularIsAValue) {
  const Motion m = Motion::of(R"toml([mechanics]
coordinates = ["x"]
mass  = [["1 - x"]]
force = ["1"]
[initial]
"x'" = 1.0
)toml");
  const FlowResult result = m.until(10.0);
  EXPECT_NE(result.outcome, Outcome::reached_end);
  EXPECT_LE(result.end.x[0], 1.0);
}

TEST(Failure, OfAMassThatBecomesSingularIsSeenWithoutAnyForce) {
  // Nothing accelerates the body: only the mass itself tells that the mechanics ends at x = 1, t = 1.
  const Motion m = Motion::of(R"toml([mechanics]
coordinates = ["x"]
mass  = [["1 - x"]]
force = ["0"]
[initial]
"x'" = 1.0
)toml");
  const FlowResult result = m.until(10.0);
  EXPECT_EQ(result.outcome, Outcome::singular_mass);
  EXPECT_CLOSE(result.end.x[0], 1.0, rounding(100));
  EXPECT_CLOSE(result.end.t.phase, 1.0, rounding(100));
}

TEST(Failure, OfAStepThatShrinksBelowRoundingIsAValue) {
  // x'' = x'³ blows up at t = ½.
  const Motion m = Motion::of(R"toml([mechanics]
coordinates = ["x"]
mass  = [["1"]]
force = ["x'^3"]
[initial]
"x'" = 1.0
)toml");
  const FlowResult result = m.until(10.0);
  EXPECT_TRUE(result.outcome == Outcome::step_too_small || result.outcome == Outcome::left_domain);
  EXPECT_CLOSE(result.end.t.phase, 0.5, integration(1e-6, 1.0));
}

TEST(Failure, OfTooManyEventsIsAValue) {
  Motion m = Motion::example("bouncing_ball", {.case_name = "elastic"});
  m.options.most_events = 100;
  const FlowResult result = m.until(1e6);
  EXPECT_EQ(result.outcome, Outcome::too_many_events);
  EXPECT_CLOSE(result.ledger.impacts, 101, exact);
}

}  // namespace
}  // namespace saltus
