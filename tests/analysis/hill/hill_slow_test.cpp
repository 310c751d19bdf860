#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "saltus/analysis/hill/hill_motion.hpp"
#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

using Point = std::vector<double>;

std::shared_ptr<const Model> model_of(const std::string& g, const std::string& damping) {
  const std::string text = "[parameters]\nalpha = 1\nbeta = 0\n[hill]\ng = \"" + g +
                           "\"\nperiod = \"pi\"\nrestitution = 0.5\ndamping = \"" + damping + "\"\n";
  return read_model("hill.toml", text).model;
}

/// Follows the motion with restitutions 2 % below and above the critical one, from the growing direction, and compares what
/// the event-driven engine finds per period with |λ₁| e^{−aT/2} ε^ρ.
void compare_with_motion(const HillEquation& equation, const HillMotion& motion, const Point& p) {
  const HillSolution solution = equation.solve(p);
  const HillStability stability = stability_of(solution);
  const double critical = stability.critical_restitution;
  for (const double side : {0.98, 1.02}) {
    const double restitution = std::min(1.0, critical * side);
    if (restitution == critical && critical > 0.0) continue;
    const HillMap map = poincare_map(solution, restitution);
    if (map.directions.empty()) continue;
    // Decay and growth by a power of ten at most, so that neither tolerances nor overflow play a part.
    const double rate = std::abs(std::log(growth_per_period(stability, restitution)));
    const long periods = std::clamp(static_cast<long>(10.0 / std::max(rate, 1e-3)), 2L, 40L);
    const HillGrowth growth = motion.growth(p, restitution, map.directions.front().v, periods, {.rtol = 1e-12});
    EXPECT_EQ(growth.outcome, Outcome::reached_end);
    EXPECT_NEAR(growth.factor / growth_per_period(stability, restitution), 1.0, 1e-7) << p[0] << " " << p[1];
    EXPECT_EQ(growth.factor < 1.0, restitution < critical) << p[0] << " " << p[1] << " at " << restitution;
    EXPECT_EQ(growth.impacts, *stability.m1 * periods);
  }
}

TEST(HillMotionSlow, TheoremTwoHoldsInSimulationAtFiftyRandomUnstablePointsOfMathieu) {
  const auto model = model_of("alpha + 2*beta*cos(2*t)", "0");
  const HillEquation equation(*model);
  const HillMotion motion(*model);
  std::mt19937 random(2012);
  std::uniform_real_distribution<double> alphas(-8.0, 32.0);
  std::uniform_real_distribution<double> betas(0.0, 12.0);
  int found = 0;
  while (found < 50) {
    const Point p = {alphas(random), betas(random)};
    const HillStability stability = stability_of(equation.solve(p));
    // λ₂/λ₁ near 1 makes the growing direction slow to win; 0.9 leaves all but a rim of the domains.
    if (!stability.m1 || std::exp(-2.0 * stability.log_growth) > 0.9) continue;
    ++found;
    compare_with_motion(equation, motion, p);
  }
}

TEST(HillMotionSlow, TheSameHoldsForSquareWavesSkewStiffnessAndDamping) {
  for (const auto& [g, damping] : {std::pair("if(cos(2*t) > 0, alpha + 2*beta, alpha - 2*beta)", "0"),
                                   std::pair("alpha + 2*beta*cos(2*t) + 0.7*beta*sin(4*t + 1)", "0.2")}) {
    const auto model = model_of(g, damping);
    const HillEquation equation(*model);
    const HillMotion motion(*model);
    for (const Point& p : {Point{1.0, 0.6}, Point{4.0, 2.5}, Point{-1.0, 3.0}, Point{9.5, 6.0}, Point{-2.0, 0.4}})
      compare_with_motion(equation, motion, p);
  }
}

TEST(HillMotionSlow, InStableDomainsTheRotationNumberGivesTheImpactsAlsoWithNegativeDamping) {
  for (const char* damping : {"0", "-0.1"}) {
    const auto model = model_of("alpha + 2*beta*cos(2*t)", damping);
    const HillEquation equation(*model);
    const HillMotion motion(*model);
    for (const Point& p : {Point{2.5, 0.5}, Point{6.0, 1.5}, Point{0.3, 0.4}}) {
      const HillStability stability = stability_of(equation.solve(p));
      ASSERT_FALSE(stability.m1);
      const double critical = stability.critical_restitution;
      constexpr long periods = 400;
      for (const double restitution : {0.99 * critical, std::min(1.0, 1.01 * critical)}) {
        const HillGrowth growth = motion.growth(p, restitution, {1.0, 0.0}, periods);
        EXPECT_NEAR(static_cast<double>(growth.impacts) / periods, stability.impacts_per_period, 1.5 / periods);
        // Sizes on the invariant ellipse differ by its axes: a bounded factor over 400 periods.
        EXPECT_NEAR(growth.factor, growth_per_period(stability, restitution), 0.01);
      }
      EXPECT_LT(motion.growth(p, 0.97 * critical, {1.0, 0.0}, periods).factor, 1.0);
      if (critical < 0.98) { EXPECT_GT(motion.growth(p, 1.03 * critical, {1.0, 0.0}, periods).factor, 1.0); }
    }
  }
}

TEST(HillMotionSlow, AnotherCriticalRestitutionWouldBeRejected) {
  // The tempting mistake: the exponent 1/n where it is 1/(n + 1), and the other way round.
  const auto model = model_of("alpha + 2*beta*cos(2*t)", "0");
  const HillEquation equation(*model);
  const HillMotion motion(*model);
  const Point p = {9.5, 11.0};  // n = 2, m₁ = 3
  const HillSolution solution = equation.solve(p);
  const HillStability stability = stability_of(solution);
  ASSERT_EQ(stability.zeros, 2);
  ASSERT_EQ(*stability.m1, 3);
  const double wrong = std::exp(-stability.log_growth / 2.0);
  const HillMap map = poincare_map(solution, wrong);
  const HillGrowth growth = motion.growth(p, 1.02 * wrong, map.directions.front().v, 20);
  EXPECT_LT(growth.factor, 0.9);  // far below its true limit: decay, where the wrong exponent promises growth
}

}  // namespace
}  // namespace saltus
