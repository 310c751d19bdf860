#include "saltus/analysis/motions/attractors.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/analysis/motions/spectrum_of.hpp"
#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

using test::Mechanics;

const std::string two_wells = R"toml(
[mechanics]
coordinates = ["x"]
mass = [["1"]]
force = ["x - x^3 - 0.5*x'"]
[initial]
x = 0.1
)toml";

std::vector<LyapunovSpectrum> spectra_from(const Mechanics& mechanics, const std::vector<Vector>& states,
                                           const LyapunovOptions& options) {
  std::vector<LyapunovStart> starts;
  for (const Vector& x : states) starts.push_back({x, mechanics.start().parameters, mechanics.start().period});
  return lyapunov_spectra(mechanics.kernels(), starts, options);
}

TEST(Attractors, TwoWellsAreTwoEquilibriaAndEveryStartReachesOne) {
  const Mechanics wells = Mechanics::of(two_wells);
  const auto states =
      random_states(wells.kernels(), {}, wells.start().x, 20, 2.0, 7, Vector::Ones(wells.start().x.size()));
  const auto spectra = spectra_from(wells, states, {.transient = 120.0, .length = 20.0});
  const auto attractors = distinct_attractors(spectra, {});
  ASSERT_EQ(attractors.size(), 2U);
  EXPECT_EQ(attractors[0].starts.size() + attractors[1].starts.size(), 20U);
  EXPECT_GE(attractors[0].starts.size(), attractors[1].starts.size());
  for (const Attractor& attractor : attractors)
    for (const std::size_t i : attractor.starts) {
      EXPECT_CLOSE(spectra[i].end.x[0], spectra[attractor.representative].end.x[0], integration(1e-10, 1e3));
      EXPECT_CLOSE(std::abs(spectra[i].end.x[0]), 1.0, integration(1e-10, 1e3));
    }
}

TEST(Attractors, PeriodicMotionsAreTheSameWhenOneFollowsTheOther) {
  LyapunovSpectrum a;
  a.verdict = {MotionKind::periodic, 2, 0, ""};
  a.section_points = {Eigen::Vector2d(1.0, 0.0), Eigen::Vector2d(2.0, 0.0)};
  a.sizes = {Eigen::Vector2d(1.0, 1.0), Eigen::Vector2d::Zero()};
  LyapunovSpectrum shifted = a;
  std::swap(shifted.section_points[0], shifted.section_points[1]);
  LyapunovSpectrum mirrored = a;
  for (Vector& point : mirrored.section_points) point = -point;
  const auto attractors = distinct_attractors({a, shifted, mirrored}, {});
  ASSERT_EQ(attractors.size(), 2U);
  EXPECT_EQ(attractors[0].starts, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(attractors[1].starts, (std::vector<std::size_t>{2}));
}

TEST(Attractors, PeriodicMotionsAreComparedComponentByComponentInTheirOwnSizes) {
  LyapunovSpectrum large;
  large.verdict = {MotionKind::periodic, 1, 0, ""};
  large.section_points = {Eigen::Vector2d(1e9, 1e-9)};
  large.sizes = {Eigen::Vector2d(1e9, 1e-9), Eigen::Vector2d::Zero()};
  LyapunovSpectrum other = large;
  other.section_points[0][1] = 1.1e-9;  // differs by a tenth of the second component's range
  EXPECT_EQ(distinct_attractors({large, other}, {}).size(), 2U);
  other.section_points[0] = Eigen::Vector2d(1e9 + 1.0, 1.00001e-9);
  EXPECT_EQ(distinct_attractors({large, other}, {}).size(), 1U);
}

TEST(Attractors, AMotionThatStoppedEarlyBelongsToNone) {
  LyapunovSpectrum a;
  a.outcome = Outcome::left_domain;
  EXPECT_TRUE(distinct_attractors({a}, {}).empty());
}

TEST(RandomStates, AreTheSameForTheSameSeedStartWithTheGivenOneAndPenetrateNothing) {
  const Mechanics table = Mechanics::example("vibrating_table");
  const Vector x = table.start().x;
  const Vector scale = x.cwiseAbs().cwiseMax(1.0);
  const auto states = random_states(table.kernels(), table.start().parameters, x, 200, 1.0, 3, scale);
  ASSERT_EQ(states.size(), 200U);
  EXPECT_CLOSE(states[0], x, exact);
  const double A = table.value_of("A");
  for (const Vector& state : states) {
    EXPECT_GT(state[0], A);  // the table is at its top
    EXPECT_LE(std::abs(state[0] - x[0]), std::max(1.0, std::abs(x[0])));
    EXPECT_LE(std::abs(state[1] - x[1]), 1.0);
  }
  EXPECT_CLOSE(random_states(table.kernels(), table.start().parameters, x, 5, 1.0, 3, scale)[4], states[4], exact);
  EXPECT_NE(random_states(table.kernels(), table.start().parameters, x, 5, 1.0, 4, scale)[4], states[4]);
}

TEST(RandomStates, AreSpreadByWhatTheMotionFromTheInitialStateDoes) {
  // x'' = -x from x = 1: both components range over [-1, 1], and a part that rests at 3 has its own size.
  const Mechanics model = Mechanics::of(R"toml(
[mechanics]
coordinates = ["x", "y"]
mass  = [["1", "0"], ["0", "1"]]
force = ["-x", "0"]
[initial]
x = 1
y = 3
)toml");
  const Vector scale = spread_scale(model.kernels(), {}, {}, 0.0, model.start().x);
  EXPECT_NEAR(scale[0], 2.0, 0.02);  // seen at the ends and in the middle of steps
  EXPECT_NEAR(scale[2], 2.0, 0.02);
  EXPECT_CLOSE(scale[1], 3.0, exact);
  EXPECT_CLOSE(scale[3], 1.0, exact);  // zero, and stays so
}

}  // namespace
}  // namespace saltus
