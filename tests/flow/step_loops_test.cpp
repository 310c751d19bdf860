// What loops over all lanes say of a step is what the functions for one lane say.

#include "saltus/flow/step_loops.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "saltus/flow/exclusion.hpp"

namespace saltus {
namespace {

/// The ends of a gap, the bounds of its second rate between them, and its size, W lanes.
struct GapEnds {
  std::array<std::vector<double>, 8> streams;

  explicit GapEnds(unsigned width) {
    for (auto& stream : streams) stream.resize(width);
  }
  std::vector<double> proven(unsigned width, double h, double relative, double absolute) const {
    std::array<const double*, 8> in{};
    for (std::size_t j = 0; j < in.size(); ++j) in[j] = streams[j].data();
    std::vector<double> scalars;
    for (const double value : {h, relative, absolute}) scalars.insert(scalars.end(), width, value);
    std::vector<double> result(width);
    double* const out[] = {result.data()};
    step_loops(width).proven(in.data(), scalars.data(), out, nullptr, 1);
    return result;
  }
  Proof by_ends(std::size_t l, double h, double relative, double absolute) const {
    const EndJet begin{streams[0][l], streams[1][l], 0.0};
    const EndJet end{streams[2][l], streams[3][l], streams[4][l]};
    const double size =
        std::max({std::abs(begin.value), std::abs(end.value), h * std::abs(begin.rate), h * std::abs(end.rate)});
    const double c = streams[5][l];
    const double r = streams[6][l];
    return proof_by_ends(begin, end, h, {c - r, c + r}, 10.0 * (relative * size + absolute), Beginning::away, false);
  }
};

TEST(StepLoops, WhatIsProvenForAllLanesIsProvenForEach) {
  std::mt19937 random(20240);
  std::normal_distribution<double> normal;
  long proven = 0, clear = 0;
  for (const unsigned width : {1U, 2U, 4U, 8U}) {
    for (int k = 0; k < 4000; ++k) {
      GapEnds ends(width);
      for (auto& stream : ends.streams)
        for (double& value : stream) value = normal(random);
      for (double& radius : ends.streams[6]) radius = std::abs(radius) * std::exp(2.0 * normal(random));
      for (double& size : ends.streams[7]) size = std::abs(size);
      const double h = std::exp(normal(random));
      const std::vector<double> said = ends.proven(width, h, 1e-8, 1e-12);
      for (std::size_t l = 0; l < width; ++l) {
        const bool truly = ends.by_ends(l, h, 1e-8, 1e-12) == Proof::clear && ends.streams[0][l] > 0.0;
        EXPECT_TRUE(truly || said[l] == 0.0);
        proven += said[l] > 0.0 ? 1 : 0;
        clear += truly ? 1 : 0;
      }
    }
  }
  // Left to the function for one lane: gaps that bend upwards and whose tangents meet below zero.
  EXPECT_GT(proven, 9 * clear / 10);
  EXPECT_GT(clear, 1000);
}

/// What LaneFlow does with a lane alone: the end of the period or of the run, and flights that end within half a trial.
TEST(StepLoops, LanesThatMayGoOnMeetNoEndAndNoShortFlight) {
  std::mt19937 random(20241);
  std::normal_distribution<double> normal;
  const auto size = [&] { return std::exp(3.0 * normal(random)); };
  long before_ends = 0, go_on = 0, without_flight = 0, stay = 0;
  for (int k = 0; k < 20000; ++k) {
    const double phase = normal(random), step = size();
    const double end = phase + step * (k % 3 == 0 ? 1.0 + 1e-13 * normal(random) : size());
    const double turn = k % 4 == 0 ? std::numeric_limits<double>::infinity() : phase + step * size();
    const double rest = 0.0, whole = 0.0, end_rest = 0.0;
    const double* const times[] = {&phase, &rest, &whole, &end, &end_rest, &step, &turn};
    double said = -1.0;
    double* const out[] = {&said};
    step_loops(1).before_ends(times, &step, out, nullptr, 1);
    const bool before = step < (end - phase) * (1.0 - 1e-12) && phase + step < turn;
    EXPECT_TRUE(said == 0.0 || before);
    before_ends += before ? 1 : 0;
    go_on += said > 0.0 ? 1 : 0;

    const EndJet gap{k % 5 == 0 ? 1e-16 * normal(random) : normal(random), normal(random), size() * normal(random)};
    const double h = size();
    const double* const jet[] = {&gap.value, &gap.rate, &gap.second};
    step_loops(1).no_short_flight(jet, &h, out, nullptr, 1);
    const auto fall = gap.rate > 0.0 ? next_fall(gap) : std::nullopt;
    const bool stays = !fall || *fall >= 0.5 * h;
    EXPECT_TRUE(said == 0.0 || stays) << gap.value << " " << gap.rate << " " << gap.second;
    without_flight += stays && (gap.value >= 0.0 || gap.rate <= 0.0) ? 1 : 0;
    stay += said > 0.0 ? 1 : 0;
  }
  EXPECT_GT(before_ends, 1000);
  EXPECT_GT(go_on, 9 * before_ends / 10);
  EXPECT_GT(stay, 8 * without_flight / 10);
}

TEST(StepLoops, NothingIsProvenOfWhatIsNotFinite) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::array<double, 7> good = {1.0, 0.1, 1.0, -0.1, 0.0, 0.0, 0.1};
  for (std::size_t j = 0; j < good.size(); ++j) {
    GapEnds ends(4);
    for (std::size_t i = 0; i < good.size(); ++i) ends.streams[i].assign(4, good[i]);
    ends.streams[j] = {good[j], std::nan(""), infinity, -infinity};
    const std::vector<double> said = ends.proven(4, 1.0, 1e-8, 1e-12);
    EXPECT_EQ(said[0], 1.0);
    for (std::size_t l = 1; l < 4; ++l) EXPECT_EQ(said[l], 0.0) << j << " " << l;
  }
}

TEST(StepLoops, BoxesHoldTheQuinticAndItsRates) {
  std::mt19937 random(20241);
  std::normal_distribution<double> normal;
  const unsigned width = 4;
  for (int k = 0; k < 500; ++k) {
    const double h = std::exp(normal(random));
    std::array<std::array<double, 6>, 4> c{};  // q = Σ c_i tⁱ in each lane
    for (auto& lane : c)
      for (double& value : lane) value = normal(random);
    const auto derivative = [&](std::size_t l, int order, double t) {
      double sum = 0.0;
      for (int i = 5; i >= order; --i) {
        double factor = 1.0;
        for (int m = 0; m < order; ++m) factor *= i - m;
        sum += factor * c[l][static_cast<std::size_t>(i)] * std::pow(t, i - order);
      }
      return sum;
    };
    std::array<std::array<double, 4>, 6> in{};
    for (std::size_t l = 0; l < width; ++l)
      for (int j = 0; j < 6; ++j) in[static_cast<std::size_t>(j)][l] = derivative(l, j % 3, j < 3 ? 0.0 : h);
    std::array<const double*, 6> streams{};
    for (std::size_t j = 0; j < 6; ++j) streams[j] = in[j].data();
    std::array<std::array<double, 4>, 8> boxes{};
    std::array<double*, 8> out{};
    for (std::size_t j = 0; j < 8; ++j) out[j] = boxes[j].data();
    const std::array<double, 4> lengths = {h, h, h, h};
    step_loops(width).boxes(streams.data(), lengths.data(), out.data(), nullptr, 1);
    for (std::size_t l = 0; l < width; ++l)
      for (int order = 0; order < 4; ++order)
        for (double t = 0.0; t <= h; t += h / 16) {
          const auto at = static_cast<std::size_t>(2 * order);
          const double away = std::abs(derivative(l, order, t) - boxes[at][l]);
          // Rounding of the coefficients: divided by h³ for the third rate.
          EXPECT_LE(away, boxes[at + 1][l] * (1.0 + 1e-9) + 1e-9 * (1.0 + std::pow(h, -3.0))) << order;
        }
  }
}

}  // namespace
}  // namespace saltus
