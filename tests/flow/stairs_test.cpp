// Motions over stairs within stairs, and from starts on and beside their jumps, on both roads, against exact sums over their pieces.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/support/flow_support.hpp"

namespace saltus {
namespace {

using test::Motion;

/// u ↦ ⌊c u + shift⌋, or u ↦ mod(c u + shift, modulus).
struct Stage {
  bool floor;
  double c, shift = 0.0, modulus = 1.0;
};

/// a x + b from `begin` to `end`.
struct Piece {
  double begin, end, a, b;
};

std::string written(const std::vector<Stage>& stages) {
  std::string text = "x";
  for (const Stage& stage : stages) {
    const std::string inner = fmt::format("{:.17g}*{} + {:.17g}", stage.c, text, stage.shift);
    text = stage.floor ? "floor(" + inner + ")" : fmt::format("mod({}, {:.17g})", inner, stage.modulus);
  }
  return text;
}

/// The pieces of one stage of `of`.
std::vector<Piece> cut(const Piece& of, const Stage& stage) {
  const double a = stage.c * of.a;
  const double b = stage.c * of.b + stage.shift;
  const double m = stage.floor ? 1.0 : stage.modulus;
  const auto piece = [&](double begin, double end) {
    const double whole = std::floor((a * 0.5 * (begin + end) + b) / m);
    return stage.floor ? Piece{begin, end, 0.0, whole} : Piece{begin, end, a, b - m * whole};
  };
  std::vector<double> ends = {of.begin, of.end};
  if (a != 0.0) {
    const double first = (a * of.begin + b) / m;
    const double last = (a * of.end + b) / m;
    for (double k = std::floor(std::min(first, last)); k <= std::max(first, last) + 1.0; k += 1.0)
      if (const double x = (m * k - b) / a; x > of.begin && x < of.end) ends.push_back(x);
    std::sort(ends.begin(), ends.end());
  }
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) pieces.push_back(piece(ends[i], ends[i + 1]));
  return pieces;
}

double integral(const std::vector<Stage>& stages, double begin, double end) {
  std::vector<Piece> pieces = {{begin, end, 1.0, 0.0}};
  for (const Stage& stage : stages) {
    std::vector<Piece> next;
    for (const Piece& each : pieces)
      for (const Piece& part : cut(each, stage)) next.push_back(part);
    pieces = next;
  }
  double sum = 0.0;
  for (const Piece& each : pieces) sum += (each.end - each.begin) * (0.5 * each.a * (each.begin + each.end) + each.b);
  return sum;
}

FlowResult followed(const std::string& text, FlowMethod method, double T) {
  return Motion::of(text, {.options = {.method = method}}).until(T);
}

void expect_integral(const std::vector<Stage>& stages, double start, double speed, double T = 4.0) {
  const std::string text =
      fmt::format("[mechanics]\nstates = [\"x\", \"z\"]\nrates = [\"{}\", \"{}\"]\n[initial]\nx = \"{:.17g}\"\n", speed,
                  written(stages), start);
  const double truth = integral(stages, std::min(start, start + speed * T), std::max(start, start + speed * T));
  for (const FlowMethod method : {FlowMethod::automatic, FlowMethod::runge_kutta}) {
    const FlowResult result = followed(text, method, T);
    EXPECT_EQ(result.outcome, Outcome::reached_end) << text;
    EXPECT_NEAR(result.end.x[1], truth, 1e-9) << text;
  }
}

TEST(Stairs, ThreeWithinEachOtherAreClimbedAndDescended) {
  for (const double speed : {1.0, -1.0}) {
    expect_integral({{true, 1.0}, {true, 0.3}, {true, 1.5}}, 0.0, speed);
    expect_integral({{false, 1.0, 0.0, 1.7}, {false, 1.0, 0.0, 0.9}, {false, 1.0, 0.0, 0.4}}, 0.0, speed);
  }
  expect_integral({{true, 2.0}, {true, 1.75, -0.5}, {true, 2.125, -0.5}}, 0.5, -1.0);
  expect_integral({{true, 0.107421875}, {false, 1.2705078125, 0.0, 0.626953125}, {true, 0.689453125}}, 0.7197265625,
                  1.0);
  expect_integral({{true, 0.4951171875, -0.46484375}, {true, 1.4267578125}, {true, 2.1669921875}}, 0.25, 1.0);
}

// z was −1/2, without a word: the stairs within, which stand on whole numbers for a while, were not told from a number that passes them.
TEST(Stairs, WhatStandsOnAWholeNumberIsOnItsUpperSide) {
  expect_integral({{true, 1.0}, {true, 165.0 / 1024.0}, {true, 425.0 / 1024.0}}, 0.25, 1.0, 7.0);
}

// Where the climb of stairs were as steep as the number under them half way up, their remainder would pass there at rest.
TEST(Stairs, RemaindersOfRemaindersPassTheQuartersAtSpeed) {
  expect_integral({{false, 1.75, 0.0, 1.0}, {false, 1.0, -0.25, 1.5}, {false, 2.0, 0.0, 1.0}}, 0.25, -1.0);
}

TEST(Stairs, RandomOnesWithinEachOtherAreSummedUp) {
  std::mt19937 random(20);
  const auto among = [&](int lowest, int highest) { return std::uniform_int_distribution(lowest, highest)(random); };
  for (int trial = 0; trial < 8; ++trial) {
    std::vector<Stage> stages;
    for (int k = 0; k < 3; ++k)
      stages.push_back({k == 2 || among(0, 2) > 0, among(102, 2252) / 1024.0, among(0, 1) * among(-512, 512) / 1024.0,
                        among(307, 1536) / 1024.0});
    expect_integral(stages, among(-4, 4) / 4.0, among(0, 1) > 0 ? 1.0 : -1.0);
  }
}

/// z′ = −r above a sawtooth of unit height that rises by `slope`, −0.9 below it: it is fallen through, and drops below z at each jump.
double fallen(double z, double u, double slope, double level, double r, double T) {
  while (T > 0.0) {
    const double whole = std::floor(u);
    const double lasts = std::min(T, (whole + 1.0 - u) / slope);
    const double above = z - (u - whole - level);
    const double fast = above > 0.0 ? std::min(lasts, above / (r + slope)) : 0.0;
    z -= r * fast + 0.9 * (lasts - fast);
    u = whole + 1.0;
    T -= lasts;
  }
  return z;
}

void expect_fallen(double ahead, double slope, double level, double start) {
  const double T = 10.0;
  const double r = 1.8;
  const std::string text = fmt::format(
      "[mechanics]\nstates = [\"z\"]\nrates = [\"-if(z > mod((t + {:.17g})*{:.17g}, 1) - {:.17g}, {}, 0.9)\"]\n"
      "[initial]\nz = \"{:.17g}\"\n",
      ahead, slope, level, r, start);
  const double truth = fallen(start, ahead * slope, slope, level, r, T);
  for (const FlowMethod method : {FlowMethod::automatic, FlowMethod::runge_kutta}) {
    const FlowResult result = followed(text, method, T);
    EXPECT_EQ(result.outcome, Outcome::reached_end) << text;
    EXPECT_NEAR(result.end.x[0], truth, 1e-9) << text;
  }
}

TEST(Stairs, AStartBesideASawtoothAtItsHalfWayMovesOn) {
  for (const double z : {0.0, 1e-12, 1e-15, 1e-16, 3.7e-17, -1e-16})
    expect_fallen(2.2533602638935655, 0.22189083921097177, 0.5, z);
}

TEST(Stairs, StartsOnAndBesideRandomSawteethMoveOn) {
  std::mt19937 random(21);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  const std::vector<double> beside = {0.0, 1e-16, -1e-15, 1e-12, 1e-7};
  for (int trial = 0; trial < 12; ++trial) {
    const double slope = 0.1 + 0.9 * unit(random);
    const double level = 0.25 * std::floor(4.0 * unit(random));
    const double u = trial % 3 == 0 ? 0.5 : trial % 3 == 1 ? 1.5 : 0.1 + 0.8 * unit(random);
    const double ahead = u / slope;
    const double z = ahead * slope - std::floor(ahead * slope) - level;
    expect_fallen(ahead, slope, level, z + beside[static_cast<std::size_t>(trial) % beside.size()]);
  }
}

}  // namespace
}  // namespace saltus
