#include "saltus/flow/crossing.hpp"

#include <functional>
#include <random>

#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

using Function = std::function<double(double)>;

std::optional<Descent> descent_of(const Function& f, double margin = 0.0, Beginning beginning = Beginning::away) {
  std::array<double, node_count> samples{};
  for (std::size_t j = 0; j < samples.size(); ++j) samples[j] = f(nodes()[j]);
  return first_descent(samples, margin, beginning);
}

void expect_crossing(const std::optional<Descent>& descent, double root) {
  ASSERT_TRUE(descent.has_value());
  EXPECT_EQ(descent->kind, Descent::Kind::crossing);
  EXPECT_LE(descent->lower, root + 1e-6);
  EXPECT_GE(descent->upper, root - 1e-6);
}

TEST(FirstDescent, FindsASimpleFallWhereverItLies) {
  for (const double root : {1e-5, 0.01, 0.3, 0.5, 0.77, 0.999})
    expect_crossing(descent_of([&](double x) { return root - x; }), root);
}

TEST(FirstDescent, FindsTwoCrossingsThatLeaveTheEndsPositive) {
  // A dip between 0.4 and 0.4 + w: both ends are positive, as near grazing.
  for (const double w : {0.3, 1e-2, 1e-3, 1e-4}) {
    const auto descent = descent_of([&](double x) { return (x - 0.4) * (x - 0.4 - w); });
    expect_crossing(descent, 0.4);
    EXPECT_LE(descent->upper, 0.4 + w);
  }
}

TEST(FirstDescent, ReportsAMinimumWithinTheMarginAsNearZeroOnEitherSide) {
  for (const double depth : {-1e-9, 0.0, 1e-9}) {
    const auto descent = descent_of([&](double x) { return (x - 0.6) * (x - 0.6) - depth; }, 1e-8);
    ASSERT_TRUE(descent.has_value()) << depth;
    EXPECT_EQ(descent->kind, Descent::Kind::near_zero);
    EXPECT_CLOSE(descent->upper, 0.6, integration(1e-7, 4.0));  // isolated to 1e-7
    EXPECT_LT(descent->lower, 0.6);
  }
}

TEST(FirstDescent, FindsADipBelowTheMargin) {
  expect_crossing(descent_of([](double x) { return (x - 0.6) * (x - 0.6) - 1e-6; }, 1e-8), 0.599);
}

TEST(FirstDescent, IgnoresARiseThroughZero) {
  EXPECT_FALSE(descent_of([](double x) { return x - 0.5; }).has_value());
  EXPECT_FALSE(descent_of([](double x) { return -1.0 - x; }).has_value());
}

TEST(FirstDescent, SeesTheFallAfterARise) {
  expect_crossing(descent_of([](double x) { return -(x - 0.2) * (x - 0.7); }), 0.7);
}

TEST(FirstDescent, TakesTheFirstOfSeveral) {
  // Falls at 0.1, 0.5 and 0.9.
  expect_crossing(descent_of([](double x) { return -(x - 0.1) * (x - 0.3) * (x - 0.5) * (x - 0.7) * (x - 0.9); }), 0.1);
}

TEST(FirstDescent, SeesTheReturnToZeroOfAFunctionThatBeginsThereHoweverSoon) {
  for (const double back : {0.9, 0.1, 1e-3, 1e-5}) {
    // A rebound: h = x (back − x), just after an impact.
    const auto descent = descent_of([&](double x) { return x * (back - x); }, 0.0, Beginning::at_zero);
    expect_crossing(descent, back);
  }
}

TEST(FirstDescent, DoesNotTakeTheStartForACrossing) {
  EXPECT_FALSE(descent_of([](double x) { return x; }, 0.0, Beginning::at_zero).has_value());
  EXPECT_FALSE(descent_of([](double x) { return x * x; }, 0.0, Beginning::at_rest).has_value());
  EXPECT_FALSE(descent_of([](double x) { return x + x * x; }, 1e-9, Beginning::at_zero).has_value());
}

TEST(FirstDescent, SeesTheReturnOfAFunctionThatBeginsAtRest) {
  expect_crossing(descent_of([](double x) { return x * x * (0.25 - x); }, 0.0, Beginning::at_rest), 0.25);
}

TEST(FirstDescent, CallsAFunctionThatSinksFromItsZeroImmediate) {
  const auto descent = descent_of([](double x) { return -x * x; }, 0.0, Beginning::at_rest);
  ASSERT_TRUE(descent.has_value());
  EXPECT_EQ(descent->kind, Descent::Kind::immediate);
}

TEST(FirstDescent, LosesNoneOf20000RandomPolynomialsOfDegree8) {
  std::mt19937_64 random(20241);
  std::uniform_real_distribution<double> place(0.0, 1.0);
  for (int trial = 0; trial < 20000; ++trial) {
    std::array<double, 8> roots{};
    for (double& root : roots) root = place(random) * 1.5 - 0.25;
    std::sort(roots.begin(), roots.end());
    double gap = 1.0;
    for (std::size_t i = 1; i < roots.size(); ++i) gap = std::min(gap, roots[i] - roots[i - 1]);
    if (gap < 1e-3) continue;  // the samples themselves are rounded: closer roots may vanish
    const auto f = [&](double x) {
      double value = 1e3;
      for (const double root : roots) value *= x - root;
      return value;
    };
    // Even degree, positive at −∞: falls at the roots of even index.
    double first = 2.0;
    for (std::size_t i = 0; i < roots.size(); i += 2)
      if (roots[i] > 1e-6 && roots[i] < 1.0 - 1e-6) {
        first = roots[i];
        break;
      }
    const auto descent = descent_of(f);
    if (first > 1.0) {
      EXPECT_FALSE(descent.has_value() && descent->kind == Descent::Kind::crossing) << trial;
    } else {
      expect_crossing(descent, first);
    }
    if (testing::Test::HasFailure()) return;
  }
}

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

TEST(Outlook, IsNeverClearForAQuinticThatDipsBelowZero) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  int dips = 0;
  int said = 0;
  int crossings = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const double length = std::exp(normal(random));
    std::vector<double> c;
    for (int i = 0; i < 6; ++i) c.push_back(normal(random) + (i == 0 ? 2.0 : 0.0));
    double least = 1e300;
    for (int i = 0; i <= 100; ++i) least = std::min(least, jet_at(c, length * i / 100.0).value);
    const Outlook ahead = outlook(jet_at(c, 0.0), jet_at(c, length), length, 0.0, Beginning::away);
    const bool sure = ahead.kind == Outlook::Kind::clear;
    if (ahead.kind == Outlook::Kind::crossing) {
      // The only zero of the quintic, and a fall.
      ++crossings;
      const EndJet there = jet_at(c, ahead.theta * length);
      EXPECT_CLOSE(there.value, 0.0, integration(1e-9, 2.0, 1.0 + std::abs(there.rate) * length)) << trial;
      for (int i = 0; i <= 100; ++i) {
        const double theta = i / 100.0;
        if (std::abs(theta - ahead.theta) < 1e-3) continue;
        EXPECT_EQ(jet_at(c, length * theta).value > 0.0, theta < ahead.theta) << trial;
      }
    }
    if (least < 0.0) {
      ++dips;
      EXPECT_FALSE(sure) << trial;
    }
    said += sure ? 1 : 0;
  }
  EXPECT_GT(dips, 1000);
  EXPECT_GT(said, 200);  // and it is said often enough to be of use
  EXPECT_GT(crossings, 100);
}

TEST(Outlook, SeesAReboundThatStaysUpAndOneThatReturns) {
  const std::vector<double> up{0.0, 1.0, 0.5};
  const std::vector<double> back{0.0, 1.0, -2.0};
  const auto seen = [](const std::vector<double>& c, double h, Beginning beginning) {
    return outlook(jet_at(c, 0.0), jet_at(c, h), h, 1e-12, beginning);
  };
  EXPECT_EQ(seen(up, 1.0, Beginning::at_zero).kind, Outlook::Kind::clear);
  EXPECT_EQ(seen(up, 1.0, Beginning::at_rest).kind, Outlook::Kind::doubtful);
  EXPECT_EQ(seen(back, 0.8, Beginning::at_zero).kind, Outlook::Kind::crossing);
  EXPECT_CLOSE(0.8 * seen(back, 0.8, Beginning::at_zero).theta, 0.5, rounding(1e5));
  // The end of the step lies just before the return, and just behind it.
  for (const double h : {0.5 - 1e-7, 0.5 + 1e-7}) {
    const Outlook near = seen(back, h, Beginning::at_zero);
    EXPECT_EQ(near.kind, Outlook::Kind::crossing);
    EXPECT_CLOSE(h * near.theta, 0.5, rounding(4));
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
