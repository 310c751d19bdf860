#include "saltus/analysis/motions/return_map.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <numbers>

#include "saltus/numerics/decompositions.hpp"
#include "tests/support/flow_support.hpp"

namespace saltus {
namespace {

using test::largest;
using test::Motion;
using test::tight;
using Index = Eigen::Index;

/// An arc's end and duration, as a function of start and of the varied parameters.
using ArcOf = std::function<Arc(const Vector& x, const ParameterPoint& p)>;

/// (x, duration) of the arc.
Vector joined(const Arc& arc) {
  Vector both(arc.x.size() + 1);
  both << arc.x, arc.duration;
  return both;
}

/// The derivatives of an arc against central differences: second order. The states move along `directions`.
void expect_derivatives(const Motion& motion, const Vector& x, const Matrix& directions, const ArcOf& of, double h,
                        double best) {
  const Arc at = of(x, motion.point());
  ASSERT_TRUE(at.whole()) << name_of(at.outcome);
  const Index varied = static_cast<Index>(motion.varied().size());
  Matrix exact(x.size() + 1, directions.cols() + varied);
  exact << at.dx_dx * directions, at.dx_dp, at.dduration_dx * directions, at.dduration_dp;
  const auto D = [&](double step) {
    Matrix difference(exact.rows(), exact.cols());
    for (Index j = 0; j < exact.cols(); ++j) {
      const auto end = [&](double by) {
        if (j < directions.cols()) return joined(of(x + by * directions.col(j), motion.point()));
        return joined(of(x, motion.point(static_cast<std::size_t>(j - directions.cols()), by)));
      };
      difference.col(j) = (end(step) - end(-step)) / (2.0 * step);
    }
    return difference;
  };
  EXPECT_CLOSE(D, exact, difference(h, best * largest(exact)));
  EXPECT_LE(largest(D(h / 64.0) - exact), best * largest(exact) * test::tolerance_scale());
}

TEST(ReturnMap, StroboscopicDerivativesHoldForEveryPhaseAlsoWhenTheParameterChangesThePeriod) {
  const Motion motion = Motion::example("impact_oscillator", {.varied = {"omega", "sigma", "e"}, .options = tight()});
  const Vector x = Vector{{-0.4, 0.2}};
  for (const double phase : {0.0, 0.37}) {
    const ReturnMap map(motion.kernels(), motion.options, phase);
    const ArcOf of = [&](const Vector& at, const ParameterPoint& p) { return map(at, p, 2); };
    EXPECT_GE(of(x, motion.point()).ledger.impacts, 1);
    expect_derivatives(motion, x, Matrix::Identity(2, 2), of, 1e-3, 1e-6);
  }
}

TEST(ReturnMap, ReturnsToASectionAreExactInStateParameterAndDuration) {
  const Motion motion =
      Motion::example("triple_pendulum_torque", {.case_name = "q1_159", .varied = {"q1", "l1"}, .options = tight()});
  const Watch section{0, Crossing::up, 2.0 * std::numbers::pi};
  const ReturnMap map(motion.kernels(), motion.options, section, 1e3);
  const Vector x = map(motion.start(), motion.point()).x;
  const ArcOf of = [&](const Vector& at, const ParameterPoint& p) { return map(at, p, 1); };
  const Arc once = of(x, motion.point());
  EXPECT_CLOSE(once.x[0] - x[0], 2.0 * std::numbers::pi, rounding(100));
  // Along the section the first component stays.
  expect_derivatives(motion, x, Matrix::Identity(6, 6).rightCols(5), of, 1e-4, 1e-6);
}

TEST(ReturnMap, ASectionThatIsNeverMetIsSaid) {
  const Motion motion = Motion::example("triple_pendulum_torque", {.set = {{"q1", "0.1"}}});
  const Watch section{0, Crossing::up, 2.0 * std::numbers::pi};
  const ReturnMap map(motion.kernels(), motion.options, section, 5.0);
  const Arc arc = map(motion.start(), motion.point());
  EXPECT_TRUE(arc.missed);
  EXPECT_FALSE(arc.whole());
}

TEST(ReturnMap, ArcsComposeAndTheTangentOfTheWholeIsTheProductAlsoThroughASlideCutInTwo) {
  const Motion motion = Motion::example("triple_pendulum_barrier", {.case_name = "fig3b", .options = tight()});
  // On the attractor, to where the pendulum slides.
  const FlowResult there = motion.flow_from({}, motion.start(), {60, 0.0});
  const auto follow = [&](const ArcStart& start, double length) {
    return arc(motion.kernels(), motion.options, motion.point(), start, length);
  };
  const ArcStart start{there.end.x, 0.0, there.end.mode, there.end.fastest};
  const Arc whole = follow(start, 1.5);
  ASSERT_TRUE(whole.whole());
  double slide = -1.0;
  double release = -1.0;
  for (const Event& event : whole.events) {
    if (event.kind == EventKind::slide_start && slide < 0.0) slide = event.t;
    if (event.kind == EventKind::slide_end && slide >= 0.0 && release < 0.0) release = event.t;
  }
  ASSERT_GT(release, slide);
  const double cut = 0.5 * (slide + release) / motion.period();
  const Arc first = follow(start, cut);
  ASSERT_TRUE(first.end.mode.any_closed());
  const Arc second = follow({first.x, cut, first.end.mode, first.end.fastest}, 1.5 - cut);
  EXPECT_CLOSE(second.x, whole.x, integration(motion.options.rtol, 1e3));
  EXPECT_CLOSE(second.dx_dx * first.dx_dx, whole.dx_dx, integration(motion.options.tangent_rtol, 1e3));
  // A start beside the obstacle is taken to it: the same end, and the tangent knows that the gap does not matter.
  const Vector beside = first.x + 1e-9 * Vector::Ones(6);
  const Arc moved = follow({beside, cut, first.end.mode, first.end.fastest}, 1.5 - cut);
  EXPECT_CLOSE(moved.x - second.x, second.dx_dx * (beside - first.x), integration(1e-5, 1.0, 1e-9));
  const Vector sigma = singular_values(second.dx_dx);
  EXPECT_LE(sigma[4], 1e-9 * sigma[0]);  // rank N − 2
}

}  // namespace
}  // namespace saltus
