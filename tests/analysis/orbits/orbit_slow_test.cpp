// The orbits of the two papers: found, judged against long runs, and independent of how they are computed.

#include <gtest/gtest.h>

#include <numbers>

#include "saltus/analysis/motions/lyapunov.hpp"
#include "saltus/analysis/motions/recurrence.hpp"
#include "saltus/analysis/orbits/orbit.hpp"
#include "saltus/numerics/decompositions.hpp"
#include "tests/support/flow_support.hpp"

namespace saltus {
namespace {

using test::Motion;
using Index = Eigen::Index;
constexpr double turn = 2.0 * std::numbers::pi;

/// One published motion.
struct Published {
  std::string model;
  std::string case_name;
  long returns;        // forcing periods, or turns of link 1
  double transient;    // in forcing periods, or in time
  std::string sequence;
};

const Published fig3a{"triple_pendulum_barrier", "fig3a", 2, 300, ""};
const Published fig3b{"triple_pendulum_barrier", "fig3b", 1, 100, "chatter(barrier), slide(barrier)"};
const Published q1_1063{"triple_pendulum_torque", "q1_1063", 4, 1000, ""};
const Published q1_159{"triple_pendulum_torque", "q1_159", 6, 1000, ""};

class OrbitOf {
 public:
  OrbitOf(const Published& published, double rtol)
      : published_(published), motion_(Motion::example(published.model, {.case_name = published.case_name})) {
    motion_.options.rtol = rtol;
    motion_.options.atol = 0.01 * rtol;
    motion_.options.tangent_rtol = 10.0 * rtol;
  }

  bool forced() const { return motion_.period() > 0.0; }
  const Motion& motion() const { return motion_; }
  OrbitSetting setting() const {
    OrbitSetting setting{motion_.kernels(), motion_.options, {}, {}};
    setting.translations = translations_of(motion_.kernels(), motion_.point().inputs);
    if (!forced()) setting.section = Watch{0, Crossing::up, turn};
    return setting;
  }
  PeriodicOrbit orbit(std::size_t segments) const {
    const double length = published_.transient;
    const FlowResult end =
        motion_.flow_from({}, motion_.start(), forced() ? Time{static_cast<long>(length), 0.0} : Time{0, length});
    const GuessReading guess = guess_from(setting(), motion_.point(), {end.end.x, 0.0, end.end.mode, end.end.fastest},
                                          published_.returns, 1e3);
    if (!guess.guess) throw std::runtime_error("no guess");
    const OrbitSearch search = find_orbit(setting(), motion_.point(), *guess.guess, {.segments = segments});
    if (!search.orbit) throw std::runtime_error(std::string(name_of(search.shooting.end)));
    return *search.orbit;
  }

 private:
  Published published_;
  Motion motion_;
};

/// The same orbit and multipliers, within what Newton's residual and the tolerance of the tangent allow.
void expect_same(const PeriodicOrbit& a, const PeriodicOrbit& b, const Translations& translations, double rtol) {
  double nearest = 1e300;
  for (const Vector& point : b.points)
    nearest = std::min(nearest, translations.remainder(a.x - point).cwiseAbs().maxCoeff());
  EXPECT_LE(nearest, 1e3 * rtol * test::tolerance_scale());
  EXPECT_CLOSE(a.period, b.period, integration(rtol, 1e2));
  for (std::size_t i = 0; i < a.multipliers.size(); ++i) {
    // A factor contracts at most to 1e-3, so that its tangent at 10 rtol leaves 1e4 rtol of the smallest; some forty factors.
    EXPECT_CLOSE(a.multipliers[i].value, b.multipliers[i].value, integration(10.0 * rtol, 1e5));
    EXPECT_EQ(a.multipliers[i].annihilated, b.multipliers[i].annihilated);
  }
}

class PublishedOrbits : public testing::TestWithParam<Published> {};

TEST_P(PublishedOrbits, AreFoundTo1em11AndDoNotDependOnSegmentsOrTolerance) {
  const OrbitOf of(GetParam(), 1e-12);
  const PeriodicOrbit orbit = of.orbit(10);
  EXPECT_LE(orbit.residual, 1e-11);
  EXPECT_TRUE(orbit.stable);
  EXPECT_EQ(orbit.returns, GetParam().returns);
  if (!GetParam().sequence.empty()) {
    EXPECT_EQ(sequence_text(orbit.sequence, of.motion().model()), GetParam().sequence);
  }
  for (const std::size_t segments : {1U, 3U, 40U}) {
    const PeriodicOrbit other = of.orbit(segments);
    EXPECT_LE(other.residual, 1e-11);
    expect_same(orbit, other, of.setting().translations, 1e-12);
  }
  const OrbitOf coarse(GetParam(), 1e-11);
  expect_same(orbit, coarse.orbit(10), of.setting().translations, 1e-11);
}

TEST_P(PublishedOrbits, HaveMultipliersThatALongRunConfirms) {
  const OrbitOf of(GetParam(), 1e-12);
  const PeriodicOrbit orbit = of.orbit(10);
  LyapunovOptions options;
  options.transient = GetParam().transient;
  options.length = of.forced() ? 400.0 : 3000.0;
  const Motion& motion = of.motion();
  const LyapunovSpectrum spectrum =
      lyapunov_spectra(motion.kernels(), {{motion.start(), motion.parameters(), motion.period()}}, options).front();
  ASSERT_EQ(spectrum.outcome, Outcome::reached_end);
  for (std::size_t i = 0; i < orbit.multipliers.size(); ++i) {
    const double exponent = spectrum.exponents.values[i];
    if (orbit.multipliers[i].annihilated) {
      EXPECT_TRUE(std::isinf(exponent));
      continue;
    }
    // Beside its standard error, a run of finite length keeps what the frame did before it had turned the right way.
    const double turning = 4.0 / spectrum.time;
    EXPECT_CLOSE(std::log(std::abs(orbit.multipliers[i].value)) / orbit.period, exponent,
                 sampling(spectrum.exponents.standard_errors[i] + turning));
  }
}

INSTANTIATE_TEST_SUITE_P(Papers, PublishedOrbits, testing::Values(fig3a, fig3b, q1_1063, q1_159),
                         [](const auto& each) { return each.param.case_name; });

class AutonomousOrbits : public testing::TestWithParam<Published> {};

TEST_P(AutonomousOrbits, DoNotDependOnTheSectionAndTheirReturnMapHasTheMultipliersWithoutTheTrivialOne) {
  const OrbitOf of(GetParam(), 1e-12);
  const PeriodicOrbit orbit = of.orbit(10);
  const auto trivial =
      std::count_if(orbit.multipliers.begin(), orbit.multipliers.end(), [](const Multiplier& m) { return m.trivial; });
  EXPECT_EQ(trivial, 1);
  EXPECT_TRUE(orbit.multipliers.front().trivial);
  EXPECT_CLOSE(orbit.multipliers.front().value, std::complex<double>(1.0), integration(1e-11, 1e3));
  // Second road: DP of all returns to the section, whose eigenvalues are the others and a zero; one long product keeps
  // the small ones to the accuracy of the large ones only.
  const ReturnMap map(of.motion().kernels(), of.motion().options, {0, Crossing::up, turn}, 1e3);
  const Arc returned = map(orbit.x, of.motion().point(), GetParam().returns);
  EXPECT_CLOSE(returned.duration, orbit.period, integration(1e-12, 1e3));
  Eigen::VectorXcd values = eigenvalues_of(returned.dx_dx);
  std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return std::abs(a) > std::abs(b); });
  for (Index i = 0; i < 3; ++i)
    EXPECT_CLOSE(std::abs(values[i]), std::abs(orbit.multipliers[static_cast<std::size_t>(i) + 1].value),
                 integration(1e-11, 1e5, 1e-5));
  // Another section: psi1 downwards through pi, that is -psi1 upwards, is never met by a rotation; psi1 = 1 is.
  const std::string text = of.motion().model().source->text();
  const std::string moved = std::string(text).replace(text.find("surface   = \"psi1\""), 18, "surface   = \"psi1-1\"");
  ASSERT_NE(moved, text);
  Motion other(read_model("moved.toml", moved), {.case_name = GetParam().case_name});
  other.options = of.motion().options;
  OrbitSetting setting{other.kernels(), other.options, of.setting().translations, Watch{0, Crossing::up, turn}};
  const GuessReading guess = guess_from(setting, other.point(), {orbit.x}, GetParam().returns, 1e3);
  const OrbitSearch there = find_orbit(setting, other.point(), *guess.guess);
  ASSERT_TRUE(there.orbit);
  EXPECT_CLOSE(std::remainder(there.orbit->x[0] - 1.0, turn), 0.0, rounding(1e3, turn));
  EXPECT_CLOSE(there.orbit->period, orbit.period, integration(1e-11, 1e2));
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_CLOSE(there.orbit->multipliers[i].value, orbit.multipliers[i].value, integration(1e-11, 1e5));
}

INSTANTIATE_TEST_SUITE_P(Papers, AutonomousOrbits, testing::Values(q1_1063, q1_159),
                         [](const auto& each) { return each.param.case_name; });

class ForcedOrbits : public testing::TestWithParam<Published> {};

TEST_P(ForcedOrbits, HaveTheSameMultipliersAtEveryPhaseOfTheStrobe) {
  const OrbitOf of(GetParam(), 1e-12);
  const PeriodicOrbit orbit = of.orbit(10);
  for (const double phase : {0.13, 0.62}) {
    const auto follow = [&](const ArcStart& start, double periods) {
      return arc(of.motion().kernels(), of.motion().options, of.motion().point(), start, periods);
    };
    const Arc there = follow({orbit.x, 0.0, orbit.mode}, phase);
    const Arc around = follow({there.x, phase, there.end.mode, there.end.fastest}, static_cast<double>(orbit.returns));
    ASSERT_TRUE(around.whole());
    EXPECT_CLOSE(around.x, there.x, integration(1e-11, 1e2, 1.0));
    Eigen::VectorXcd values = eigenvalues_of(around.dx_dx);
    std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return std::abs(a) > std::abs(b); });
    // One long product keeps the small multipliers to the accuracy of the large ones only.
    for (Index i = 0; i < values.size(); ++i)
      EXPECT_CLOSE(std::abs(values[i]), std::abs(orbit.multipliers[static_cast<std::size_t>(i)].value),
                   integration(1e-11, 1e4, 1.0));
  }
}

INSTANTIATE_TEST_SUITE_P(Papers, ForcedOrbits, testing::Values(fig3a, fig3b),
                         [](const auto& each) { return each.param.case_name; });

}  // namespace
}  // namespace saltus
