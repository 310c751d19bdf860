// Two masses with clearances over whole branches and long times: changes of the order of regions, and the torus.
#include <cmath>

#include "tests/analysis/branches/clearance_pair.hpp"
#include "tests/analysis/motions/spectrum_of.hpp"

namespace saltus::test {
namespace {

/// The special points of a kind along a branch, by increasing parameter.
std::vector<double> places_of(const Branch& branch, SpecialKind kind) {
  std::vector<double> places;
  for (const BranchPoint& point : branch.points)
    if (point.special == kind) places.push_back(point.parameter);
  std::sort(places.begin(), places.end());
  return places;
}

void expect_same(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-9 * tolerance_scale());
}

TEST(ClearanceBranch, OfPeriodOneIsOneCurveThroughEveryOrderOfRegionsFromEitherEnd) {
  // From the large motion below the resonance and from the small one above: the same curve from bound to bound, on which switches
  // change their order and flights touch switches. Nothing of it ends there.
  const Branch from_below = branch_from_rest("ideal", FlowMethod::exact, "0.61", 0.6, 1.1);
  const Branch from_above = branch_from_rest("ideal", FlowMethod::exact, "0.75", 0.6, 1.1);
  for (const Branch* branch : {&from_below, &from_above}) {
    for (const BranchEnd& end : branch->ends) EXPECT_EQ(end.reason, CurveEnd::bound) << end.words;
    for (const BranchPoint& point : branch->points)
      if (point.special == SpecialKind::grazing) {
        EXPECT_EQ(point.passage, Passage::persists) << point.parameter << ": " << point.note;
      }
  }
  for (const SpecialKind kind : {SpecialKind::grazing, SpecialKind::fold, SpecialKind::period_doubling,
                                 SpecialKind::torus, SpecialKind::branch_point})
    expect_same(places_of(from_below, kind), places_of(from_above, kind));
  EXPECT_EQ(places_of(from_below, SpecialKind::grazing).size(), 10U);
  EXPECT_EQ(places_of(from_below, SpecialKind::fold).size(), 6U);
  EXPECT_EQ(places_of(from_below, SpecialKind::branch_point).size(), 0U);
  // The last of the torus points are those of docs/theory.md, "Clearances".
  const std::vector<double> torus = places_of(from_below, SpecialKind::torus);
  ASSERT_EQ(torus.size(), 4U);
  EXPECT_CLOSE(torus[2], 0.76634, printed("0.76634"));
  EXPECT_CLOSE(torus[3], 0.942, printed("0.942"));
}

TEST(ClearanceBranch, OrbitsOnBothSidesOfAChangeOfOrderDifferByLittle) {
  // The map is continuous where two switches are met in one instant: neighbours on both sides lie as near as their parameters.
  const Branch branch = branch_from_rest("ideal", FlowMethod::exact, "0.61", 0.6, 0.7);
  int changes = 0;
  for (std::size_t i = 1; i + 1 < branch.points.size(); ++i) {
    const BranchPoint& point = branch.points[i];
    if (point.special != SpecialKind::grazing) continue;
    ++changes;
    for (const BranchPoint* beside : {&branch.points[i - 1], &branch.points[i + 1]})
      EXPECT_LE((beside->x() - point.x()).norm(), 500.0 * std::abs(beside->parameter - point.parameter) + 1e-6)
          << point.parameter;
  }
  EXPECT_GE(changes, 1);
}

TEST(ClearanceBranch, OfPeriodFiveIsClosed) {
  const Branch branch = branch_from_rest("ideal", FlowMethod::exact, "0.78", 0.6, 1.1, 5);
  ASSERT_FALSE(branch.ends.empty());
  for (const BranchEnd& end : branch.ends) EXPECT_EQ(end.reason, CurveEnd::closed) << end.words;
  for (const BranchPoint& point : branch.points) {
    EXPECT_GT(point.parameter, 0.74);
    EXPECT_LT(point.parameter, 0.8);
  }
}

TEST(Clearances, BehindTheLossOfStabilityTheMotionLiesOnATorusWithTwoZeroExponents) {
  // The trivial one of time is not in the list; of the others the first is zero within its error and the second is not.
  for (const auto& [name, eta] : {std::pair{"ideal", "0.768"}, std::pair{"trilinear", "0.774"}}) {
    const Mechanics pair = Mechanics::example("clearance_pair", name, {{"eta", eta}});
    LyapunovOptions options{.transient = 4000, .length = 4000};
    options.flow.method = FlowMethod::exact;
    const LyapunovSpectrum spectrum = pair.spectrum(options);
    EXPECT_TRUE(spectrum.trivial_zero) << name;
    EXPECT_EQ(spectrum.verdict.kind, MotionKind::quasi_periodic) << name << ": " << spectrum.verdict.reason;
    EXPECT_EQ(spectrum.verdict.frequencies, 2U) << name;
    EXPECT_LE(std::abs(spectrum.exponents.values[0]), 2e-4 * tolerance_scale()) << name;
    EXPECT_LE(spectrum.exponents.values[1], -5e-4) << name;
    // Liouville: the sum is −tr Z.
    double sum = 0.0;
    for (const double value : spectrum.exponents.values) sum += value;
    EXPECT_NEAR(sum, -trace_of_damping, 1e-10 * tolerance_scale()) << name;
  }
}

}  // namespace
}  // namespace saltus::test
