#include "saltus/analysis/curves/continuation.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/tolerance.hpp"

namespace saltus::test {
namespace {

using Vector = Eigen::VectorXd;

/// A curve in the plane given by one equation and its gradient.
struct Plane : CurveProblem {
  std::function<double(double, double)> G;
  std::function<Eigen::RowVector2d(double, double)> gradient;
  std::function<double(double, double)> test;
  std::function<std::size_t(double, double)> unstable;
  bool ends = false;

  std::optional<Jet> jet(const Vector& y) const override {
    return Jet{Vector::Constant(1, G(y[0], y[1])), gradient(y[0], y[1])};
  }
  Vector scale() const override { return Vector::Ones(2); }
  std::vector<double> tests(const Vector& y) const override {
    return test ? std::vector<double>{test(y[0], y[1])} : std::vector<double>{};
  }
  bool ends_at(std::size_t) const override { return ends; }
  std::optional<std::size_t> unstable_directions(const Vector& y) const override {
    return unstable ? std::optional(unstable(y[0], y[1])) : std::nullopt;
  }
};

Plane circle() {
  Plane plane;
  plane.G = [](double u, double p) { return u * u + p * p - 1.0; };
  plane.gradient = [](double u, double p) { return Eigen::RowVector2d(2.0 * u, 2.0 * p); };
  return plane;
}

std::vector<double> zeros_of(const Continuation& curve, std::size_t test) {
  std::vector<double> places;
  for (const CurvePoint& point : curve.points)
    if (point.zero_of == test) places.push_back(point.parameter());
  return places;
}

TEST(Continuation, CircleIsFollowedOnceAroundAndItsTwoFoldsAreFound) {
  const Plane plane = circle();
  const Continuation curve = followed(plane, Vector{{1.0, 0.0}}, Vector{{0.0, 1.0}}, {});
  EXPECT_EQ(curve.end, CurveEnd::closed);
  EXPECT_EQ(curve.points.back().y, curve.points.front().y);
  const std::vector<double> folds = zeros_of(curve, fold_test);
  ASSERT_EQ(folds.size(), 2U);
  EXPECT_CLOSE(folds[0], 1.0, rounding(100));
  EXPECT_CLOSE(folds[1], -1.0, rounding(100));
  for (const CurvePoint& point : curve.points) {
    EXPECT_CLOSE(point.y.norm(), 1.0, rounding(100));
    EXPECT_CLOSE(point.tangent.dot(point.y), 0.0, rounding(100, 1.0));
  }
}

/// The axis u = 0.
Plane axis() {
  Plane plane;
  plane.G = [](double u, double) { return u; };
  plane.gradient = [](double, double) { return Eigen::RowVector2d(1.0, 0.0); };
  return plane;
}

TEST(Continuation, ZeroBesideAPoleIsFoundBecauseStabilityChanges) {
  Plane plane = axis();
  plane.test = [](double, double p) {
    return (p - 0.5) / (p - 0.49);
  };  // both between two neighbours: no change of sign
  ContinuationOptions options;
  options.upper = 1.0;
  EXPECT_TRUE(zeros_of(followed(plane, Vector{{0.0, 0.0}}, Vector{{0.0, 1.0}}, options), first_problem_test).empty());
  plane.unstable = [](double, double p) { return p > 0.5 ? 1U : 0U; };
  const Continuation curve = followed(plane, Vector{{0.0, 0.0}}, Vector{{0.0, 1.0}}, options);
  const std::vector<double> found = zeros_of(curve, first_problem_test);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_CLOSE(found[0], 0.5, integration(1e-9, 1.0));
  EXPECT_TRUE(curve.unexplained.empty());
}

TEST(Continuation, ChangeOfStabilityWithoutASpecialPointIsNamed) {
  Plane plane = axis();
  plane.unstable = [](double, double p) { return p > 0.5 ? 2U : 0U; };
  ContinuationOptions options;
  options.upper = 1.0;
  const Continuation curve = followed(plane, Vector{{0.0, 0.0}}, Vector{{0.0, 1.0}}, options);
  EXPECT_EQ(curve.end, CurveEnd::bound);
  ASSERT_EQ(curve.unexplained.size(), 1U);
  EXPECT_NEAR(curve.unexplained[0], 0.5, 1e-4);
}

TEST(Continuation, VerticalCurveEndsWithoutFoldsIfThatIsWanted) {
  Plane plane;  // a line along which p changes by rounding errors
  plane.G = [](double u, double p) { return p - 1e-9 * std::sin(40.0 * u); };
  plane.gradient = [](double u, double) { return Eigen::RowVector2d(-4e-8 * std::cos(40.0 * u), 1.0); };
  ContinuationOptions options;
  options.ends_when_vertical = [](const Vector&) { return true; };
  const Continuation curve = followed(plane, Vector{{0.0, 0.0}}, Vector{{1.0, 0.0}}, options);
  EXPECT_EQ(curve.end, CurveEnd::vertical);
  EXPECT_TRUE(zeros_of(curve, fold_test).empty());
}

TEST(Continuation, ParameterThatStandsStillAtOnePointIsNoFamily) {
  Plane plane;  // p = u³: |dp/du| < 1e-6 at a dozen points with these steps
  plane.G = [](double u, double p) { return p - u * u * u; };
  plane.gradient = [](double u, double) { return Eigen::RowVector2d(-3.0 * u * u, 1.0); };
  ContinuationOptions options;
  options.ends_when_vertical = [](const Vector&) { return true; };
  options.first_step = options.largest_step = 1e-4;
  options.upper = 1e-6;
  const Continuation curve = followed(plane, Vector{{-0.01, -1e-6}}, Vector{{1.0, 0.0}}, options);
  EXPECT_EQ(curve.end, CurveEnd::bound);
  EXPECT_NEAR(curve.points.back().y[0], 0.01, 1e-9);
}

TEST(Continuation, CurveEndsExactlyOnTheBoundOfItsParameter) {
  const Plane plane = circle();
  const Continuation curve =
      followed(plane, Vector{{1.0, 0.0}}, Vector{{0.0, 1.0}}, {.lower = -0.5, .upper = std::sqrt(0.75)});
  EXPECT_EQ(curve.end, CurveEnd::bound);
  EXPECT_EQ(curve.points.back().parameter(), std::sqrt(0.75));
  EXPECT_CLOSE(curve.points.back().y[0], 0.5, rounding(100));
}

TEST(Continuation, ZeroOfATestFunctionIsLocatedToRoundingOnTheCurve) {
  Plane plane = circle();
  plane.test = [](double u, double p) { return std::exp(u) - std::exp(0.6) + 0.3 * (p - 0.8); };
  const Continuation curve = followed(plane, Vector{{1.0, 0.0}}, Vector{{0.0, 1.0}}, {.upper = 0.95});
  const std::vector<double> places = zeros_of(curve, first_problem_test);
  ASSERT_EQ(places.size(), 1U);
  EXPECT_CLOSE(places[0], 0.8, integration(1e-11, 1.0));
}

TEST(Continuation, CurveStopsAtAZeroThatEndsIt) {
  Plane plane = circle();
  plane.test = [](double u, double) { return u - 0.6; };
  plane.ends = true;
  const Continuation curve = followed(plane, Vector{{1.0, 0.0}}, Vector{{0.0, 1.0}}, {});
  EXPECT_EQ(curve.end, CurveEnd::special);
  EXPECT_CLOSE(curve.points.back().parameter(), 0.8, integration(1e-11, 1.0));
}

TEST(Continuation, TestFunctionThatPassesThroughInfinityIsNoSpecialPoint) {
  Plane plane = circle();
  plane.test = [](double u, double) { return 1.0 / (u - 0.6123); };
  const Continuation curve = followed(plane, Vector{{1.0, 0.0}}, Vector{{0.0, 1.0}}, {.upper = 0.99});
  EXPECT_TRUE(zeros_of(curve, first_problem_test).empty());
}

/// u (u² − p) = 0: a pitchfork at 0.
Plane pitchfork() {
  Plane plane;
  plane.G = [](double u, double p) { return u * (u * u - p); };
  plane.gradient = [](double u, double p) { return Eigen::RowVector2d(3.0 * u * u - p, -u); };
  return plane;
}

TEST(Continuation, BranchPointOfAPitchforkIsFoundAndTheOtherBranchFollowed) {
  const Plane plane = pitchfork();
  const Continuation trivial = followed(plane, Vector{{0.0, -0.51}}, Vector{{0.0, 1.0}}, {.upper = 1.0});
  EXPECT_EQ(trivial.end, CurveEnd::bound);
  const std::vector<double> places = zeros_of(trivial, branch_point_test);
  ASSERT_EQ(places.size(), 1U);
  EXPECT_CLOSE(places[0], 0.0, integration(1e-9, 1.0, 1.0));
  EXPECT_TRUE(zeros_of(trivial, fold_test).empty());
  Vector at(2);
  at << 0.0, places[0];
  const Vector direction = crossing_direction(plane, at, Vector{{0.0, 1.0}});
  EXPECT_CLOSE(std::abs(direction[0]), 1.0, rounding(1e6));
  const Correction off = corrected(plane, at + 0.1 * direction, direction, {}, 8);
  ASSERT_TRUE(off.converged());
  const Continuation other = followed(plane, off.y, direction, {.upper = 1.0});
  EXPECT_CLOSE(std::abs(other.points.back().y[0]), 1.0, rounding(100));
}

TEST(Continuation, PointsThatTheCallerRefusesEndTheCurveWithWhatIsDone) {
  const Plane plane = circle();
  const Continuation curve = followed(plane, Vector{{1.0, 0.0}}, Vector{{0.0, 1.0}}, {}, [](const CurvePoint& point) {
    return point.parameter() > 0.5 ? Acceptance::shorten : Acceptance::take;
  });
  EXPECT_EQ(curve.end, CurveEnd::refused);
  EXPECT_GE(curve.points.size(), 3U);
  EXPECT_CLOSE(curve.points.back().parameter(), 0.5, integration(1e-6, 1.0));
}

TEST(Continuation, EquationsWithoutSolutionsBeyondAPointEndTheCurveThere) {
  Plane plane;
  plane.G = [](double u, double p) { return p < 0.5 ? u : std::nan(""); };
  plane.gradient = [](double, double) { return Eigen::RowVector2d(1.0, 0.0); };
  const Continuation curve = followed(plane, Vector{{0.0, 0.0}}, Vector{{0.0, 1.0}}, {});
  EXPECT_EQ(curve.end, CurveEnd::no_convergence);
  EXPECT_CLOSE(curve.points.back().parameter(), 0.5, integration(1e-6, 1.0));
}

}  // namespace
}  // namespace saltus::test
