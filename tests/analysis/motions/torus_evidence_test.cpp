#include "saltus/analysis/motions/torus_evidence.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "saltus/analysis/motions/area_contraction.hpp"
#include "tests/analysis/motions/spectrum_of.hpp"

namespace saltus {
namespace {

using test::Mechanics;

std::vector<Vector> turning(std::size_t count, double (*shape)(double)) {
  std::vector<Vector> points;
  for (std::size_t j = 0; j < count; ++j) {
    const double angle = std::fmod(static_cast<double>(j) * (std::sqrt(5.0) - 1.0) / 2.0, 1.0);
    points.push_back(Eigen::Vector2d(shape(angle), std::cos(2.0 * 3.14159265358979 * angle)));
  }
  return points;
}

TEST(TorusEvidence, AveragesOverARotationConvergeAlsoWhereAnImpactMakesAJump) {
  for (const std::size_t count : {200U, 400U, 4000U}) {
    EXPECT_TRUE(averages_converge(turning(count, [](double a) { return std::sin(6.0 * a); }), {})) << count;
    EXPECT_TRUE(averages_converge(turning(count, [](double a) { return a < 0.3 ? a : -a; }), {})) << count;
  }
}

TEST(TorusEvidence, AveragesOverChaosDoNotButByChance) {
  // Henon's map, and the logistic one at 4, from 50 starts each.
  for (const std::size_t count : {400U, 1000U, 4000U}) {
    int henon_passes = 0;
    int logistic_passes = 0;
    for (int start = 0; start < 50; ++start) {
      std::vector<Vector> henon = {Eigen::Vector2d(0.1 + 0.002 * start, 0.1)};
      std::vector<Vector> logistic = {Vector::Constant(1, 0.1234 + 0.01 * start)};
      while (henon.size() < count) {
        const Vector p = henon.back();
        henon.push_back(Eigen::Vector2d(1.0 - 1.4 * p[0] * p[0] + p[1], 0.3 * p[0]));
        const double x = logistic.back()[0];
        logistic.push_back(Vector::Constant(1, 4.0 * x * (1.0 - x)));
      }
      henon_passes += averages_converge(henon, {}) ? 1 : 0;
      logistic_passes += averages_converge(logistic, {}) ? 1 : 0;
    }
    EXPECT_LE(henon_passes, 25) << count;
    EXPECT_LE(logistic_passes, 25) << count;
  }
}

/// Points of the logistic map r x (1 − x) on its attractor, and a slave of it.
std::vector<Vector> logistic(std::size_t count, double r) {
  std::vector<Vector> points;
  double x = 0.3;
  for (std::size_t j = 0; j < 500 + count; ++j) {
    const double next = r * x * (1.0 - x);
    if (j >= 500) points.push_back(Eigen::Vector2d(next, std::exp(x)));
    x = next;
  }
  return points;
}

TEST(TorusEvidence, BeyondManyDoublingsOfThePeriodPointsFallIntoBands) {
  // The limit of the cascade; weak chaos beyond it; a cycle of 3·2⁵ that has not settled.
  for (const std::size_t count : {100U, 400U, 4000U}) {
    EXPECT_EQ(doubled_bands(logistic(count, 3.5699456718709449), {}), 16U) << count;
    EXPECT_EQ(doubled_bands(logistic(count, 3.57015), {}), 16U) << count;
    EXPECT_EQ(doubled_bands(logistic(count, 3.57055), {}), 24U) << count;
    EXPECT_EQ(doubled_bands(logistic(count, 3.7), {}), std::nullopt) << count;
  }
  EXPECT_EQ(doubled_bands(logistic(60, 3.5699456718709449), {}), std::nullopt);  // too few points for 16 bands
}

TEST(TorusEvidence, ATorusHasNoBandsThatPartAgainAndAgain) {
  const double pi = std::numbers::pi;
  for (const std::size_t count : {100U, 400U, 2000U})
    for (int k = 1; k <= 40; ++k) {
      // Rotations, bent by an impact, in one piece or as three closed curves, and those of a circle map that almost locks.
      const double turns = std::fmod(k * std::numbers::phi * 0.1234567, 1.0);
      std::vector<Vector> points;
      std::vector<Vector> nearly_locked;
      double x = 0.1;
      for (std::size_t j = 0; j < count; ++j) {
        const double a = std::fmod(static_cast<double>(j) * turns, 1.0);
        const double place = k % 2 == 0 ? 0.0 : 5.0 * static_cast<double>(j % 3);
        points.push_back(Eigen::Vector2d(place + std::cos(2.0 * pi * a), a < 0.3 ? a : -a));
        nearly_locked.push_back(Eigen::Vector2d(std::cos(2.0 * pi * x), std::sin(2.0 * pi * x)));
        x += turns - 0.95 / (2.0 * pi) * std::sin(2.0 * pi * x);
      }
      EXPECT_EQ(doubled_bands(points, {}), std::nullopt) << turns;
      EXPECT_EQ(doubled_bands(nearly_locked, {}), std::nullopt) << turns;
    }
}

std::string driven_by(const std::string& force, const std::string& more = "") {
  return "[parameters]\nd = 0.1\ne = 0.8\n[mechanics]\ncoordinates = [\"x\"]\nmass = [[\"2\"]]\nforce = [\"" + force +
         "\"]\n[forcing]\nperiod = \"2*pi\"\n" + more;
}

bool contracts(const std::string& model, const std::vector<Assignment>& set = {}) {
  const Mechanics mechanics = Mechanics::of(model, "", set);
  return contracts_areas(mechanics.kernels(), mechanics.start().parameters, {});
}

TEST(AreaContraction, IsProvenForConstantDampingSwitchesOfThePositionAndImpactsThatLoseEnergy) {
  const std::string wall = "[[contact]]\nname = \"wall\"\ngap = \"1 - x + 0.1*cos(t)\"\nrestitution = \"e\"\n";
  EXPECT_TRUE(contracts(driven_by("-x^3 - d*x' + cos(t)")));
  EXPECT_TRUE(contracts(driven_by("-if(x > 1, x - 1, 0)*(1 + 0.2*cos(t)) - d*x'")));
  EXPECT_TRUE(contracts(driven_by("-x - d*x' + cos(t)", wall)));
}

TEST(AreaContraction, IsNotClaimedWhereItNeedNotHold) {
  EXPECT_FALSE(contracts(driven_by("-x^3 + cos(t)")));  // keeps areas
  EXPECT_FALSE(contracts(driven_by("(1 - x^2)*x' - x + cos(t)")));  // van der Pol: gains some
  EXPECT_FALSE(contracts(driven_by("-x - d*x' + cos(t)"), {{"d", "-0.1"}}));  // gains
  EXPECT_FALSE(contracts(driven_by("-x - d*x' - sign(x' - 1) + cos(t)")));  // a switch of the velocity
  const Mechanics pendulum = Mechanics::of(driven_by("-sin(x) - d*x' + cos(t)"));
  EXPECT_FALSE(contracts_areas(pendulum.kernels(), pendulum.start().parameters,
                               Translations::of_angles(2, {2.0 * std::numbers::pi})));  // a cylinder
}

}  // namespace
}  // namespace saltus
