#include "saltus/flow/crossing.hpp"

#include <functional>
#include <random>

#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

using Function = std::function<double(double)>;

/// h, γ and ḧ of a polynomial c₀ + c₁ t + … at both ends of [0, length].
EndJet jet_at(const std::vector<double>& c, double t) {
  EndJet jet{0, 0, 0};
  for (std::size_t i = c.size(); i-- > 0;) {  // Horner, with derivatives
    jet.second = jet.second * t + 2.0 * jet.rate;
    jet.rate = jet.rate * t + jet.value;
    jet.value = jet.value * t + c[i];
  }
  return jet;
}

TEST(FallBetween, IsThatOfTheCubicAndOfTheQuinticThatTheEndsTell) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (const std::size_t terms : {std::size_t{4}, std::size_t{6}}) {
    int falls = 0;
    for (int trial = 0; trial < 4000; ++trial) {
      const double length = std::exp(normal(random));
      std::vector<double> c;
      for (std::size_t i = 0; i < terms; ++i) c.push_back(normal(random) + (i == 0 ? 2.0 : 0.0));
      if (trial % 4 == 0) c[0] = 0.0;  // just let go
      // A single fall: positive up to a place, negative behind it.
      int changes = 0;
      bool above = true;
      for (int i = 1; i <= 200; ++i) {
        const bool now = jet_at(c, length * i / 200.0).value > 0.0;
        changes += now != above ? 1 : 0;
        above = now;
      }
      if (changes != 1 || above || !(jet_at(c, length / 200.0).value > 0.0)) continue;
      ++falls;
      const EndJet start = jet_at(c, 0.0);
      const EndJet end = jet_at(c, length);
      const double theta = terms == 4 ? fall_of_cubic(start, end, length) : fall_of_quintic(start, end, length);
      EXPECT_GT(theta, 0.0);
      EXPECT_LT(theta, 1.0 + 1e-9);
      const EndJet there = jet_at(c, theta * length);
      EXPECT_CLOSE(there.value, 0.0, integration(1e-8, 2.0, 1.0 + std::abs(there.rate) * length)) << trial;
    }
    EXPECT_GT(falls, 300);
  }
}

TEST(NextFall, IsThatOfTheParabola) {
  const auto fall = [](double value, double rate, double second) { return next_fall({value, rate, second}); };
  EXPECT_CLOSE(fall(0.0, 2.0, -4.0).value(), 1.0, rounding(2));
  EXPECT_CLOSE(fall(3.0, -1.0, 0.0).value(), 3.0, rounding(2));
  EXPECT_CLOSE(fall(0.5, -1.5, 2.0).value(), 0.5, rounding(4));
  EXPECT_FALSE(fall(1.0, -1.0, 2.0));  // turns before it is down
  EXPECT_FALSE(fall(0.0, 1.0, 1.0));
}

/// Follows a StepRoot to its end and returns the place, and how many steps it took.
std::pair<double, int> root_of(const Function& f, const Function& df, double lower, double upper, double guess) {
  StepRoot root(lower, upper, guess);
  int count = 1;
  while (!root.improve(f(root.next()), df(root.next()), 4e-16) && count < 200) ++count;
  return {root.next(), count};
}

TEST(StepRoot, FindsARootToRoundingInAFewSteps) {
  const auto [place, count] =
      root_of([](double x) { return std::cos(x); }, [](double x) { return -std::sin(x); }, 0.0, 3.0, 1.0);
  EXPECT_CLOSE(place, std::acos(0.0), rounding(4));
  EXPECT_LE(count, 7);
}

TEST(StepRoot, FindsItWithoutDerivativesBySecants) {
  const auto [place, count] = root_of([](double x) { return 2.0 - x * x; }, [](double) { return 0.0; }, 0.0, 2.0, 1.0);
  EXPECT_CLOSE(place, std::sqrt(2.0), rounding(8));
  EXPECT_LE(count, 20);
}

TEST(StepRoot, StaysInsideItsBracketWhereNewtonWouldLeaveIt) {
  // Newton from 0.5 on −atan runs away.
  const auto [place, count] =
      root_of([](double x) { return -std::atan(50.0 * (x - 0.1)); },
              [](double x) { return -50.0 / (1.0 + 2500.0 * (x - 0.1) * (x - 0.1)); }, 0.0, 1.0, 0.9);
  EXPECT_CLOSE(place, 0.1, rounding(8));
  EXPECT_LE(count, 60);
}

TEST(StepRoot, EndsAtADoubleRootToo) {
  const auto [place, count] = root_of([](double x) { return (0.5 - x) * std::abs(0.5 - x); },
                                      [](double x) { return -2.0 * std::abs(0.5 - x); }, 0.0, 1.0, 0.3);
  EXPECT_CLOSE(place, 0.5, rounding(1e9));  // a double root is known to √eps = 7e7 eps
  EXPECT_LE(count, 110);
}

}  // namespace
}  // namespace saltus
