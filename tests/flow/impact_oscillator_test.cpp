// The closed forms of docs/method/impact_oscillator.md against the event-driven motion.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "saltus/numerics/decompositions.hpp"
#include "tests/support/flow_support.hpp"
#include "tests/support/impact_oscillator_closed_form.hpp"

namespace saltus::test {
namespace {

Motion moving(const ImpactOscillator& o, FlowMethod method) {
  const auto text = [](double value) {
    std::ostringstream out;
    out.precision(17);
    out << value;
    return out.str();
  };
  return Motion::example(
      "impact_oscillator",
      {.set = {{"omega", text(o.omega)}, {"sigma", text(o.sigma)}, {"e", text(o.e)}, {"zeta", text(o.zeta)}},
       .options = {.rtol = 1e-12, .atol = 1e-13, .tangent_rtol = 1e-12, .method = method}});
}

/// Orbits that are real: stable and unstable, with one impact in one, two and three periods.
std::vector<std::pair<ImpactOscillator, double>> real_orbits() {
  std::vector<std::pair<ImpactOscillator, double>> found;
  for (const double omega : {0.7, 1.5, 2.0, 2.6, 4.0, 5.5})
    for (const double sigma : {-0.2, 0.0, 0.1, 0.4})
      for (const int k : {1, 2, 3}) {
        ImpactOscillator o{.omega = omega, .sigma = sigma, .k = k};
        for (const double w : o.speeds())
          if (o.penetration(w) < -1e-6) found.emplace_back(o, w);
      }
  return found;
}

class ImpactOscillatorOrbit : public OnEveryRoad {};
INSTANTIATE_TEST_SUITE_P(Roads, ImpactOscillatorOrbit, both_roads, name_of_road);

TEST_P(ImpactOscillatorOrbit, WithOneImpactOfTheClosedFormClosesAfterKPeriods) {
  const auto orbits = real_orbits();
  ASSERT_GE(orbits.size(), 10U);
  for (const auto& [o, w] : orbits) {
    const Motion motion = moving(o, GetParam().method);
    const Vector x = o.strobe(w);
    const FlowResult after = motion.flow_from({0, 0.0}, x, {o.k, 0.0}, Carries::state_and_tangent);
    ASSERT_EQ(after.ledger.impacts, 1);
    const double growth = 100.0 * after.end.tangent.norm();
    EXPECT_CLOSE(after.end.x, x, integration(1e-12, growth, 1.0));
    EXPECT_CLOSE(-after.events.front().gamma_minus, w, integration(1e-12, growth, 1.0));
    EXPECT_CLOSE(after.end.tangent.trace(), o.trace(w), integration(1e-12, 10.0 * growth, 1.0));
    EXPECT_CLOSE(LuFactors(after.end.tangent).determinant(), o.determinant(), integration(1e-12, 10.0 * growth, 1.0));
  }
}

TEST(ImpactOscillator, FoldOfTheBranchIsWhereTwoImpactSpeedsMeet) {
  int folds = 0;
  for (double omega = 0.6; omega < 6.0; omega += 0.13) {
    ImpactOscillator o{.omega = omega};
    const auto fold = o.fold();
    if (!fold || fold->w <= 0.0) continue;
    // The discriminant vanishes at the place where a multiplier is 1: two derivations of one point.
    const Eigen::Vector2d s = o.slopes();
    const double R = o.amplitude();
    const double from_discriminant = R * std::sqrt(1.0 + s[0] * s[0] * omega * omega / (s[1] * s[1]));
    // σ of either sign is a fold of the ellipse. Worst of these measured: 3e-13 relative.
    EXPECT_CLOSE(std::abs(fold->sigma), from_discriminant, rounding(1e4));
    ++folds;
  }
  EXPECT_GE(folds, 5);
}

TEST(ImpactOscillator, MultiplierIsMinusOneAtThePeriodDoubling) {
  for (const double omega : {1.5, 2.0, 2.6, 4.0}) {
    ImpactOscillator o{.omega = omega};
    const auto place = o.period_doubling();
    ASSERT_TRUE(place.has_value());
    o.sigma = place->sigma;
    const auto mu = o.multipliers(place->w);
    EXPECT_CLOSE(std::min(std::abs(mu[0] + 1.0), std::abs(mu[1] + 1.0)), 0.0, rounding(1000, 1.0));
  }
}

TEST(ImpactOscillator, ImpactSpeedVanishesWhereTheFreeAmplitudeReachesTheStop) {
  ImpactOscillator o{.omega = 2.6};
  o.sigma = o.amplitude();
  const std::vector<double> w = o.speeds();
  const Eigen::Vector2d s = o.slopes();
  // One root is zero, the other 2 α σ / (α² + β²/ω²).
  const double other = 2.0 * s[0] * o.sigma / (s[0] * s[0] + s[1] * s[1] / (o.omega * o.omega));
  for (const double speed : w) EXPECT_CLOSE(std::min(speed, std::abs(speed - other)), 0.0, rounding(100, 1.0));
}

}  // namespace
}  // namespace saltus::test
