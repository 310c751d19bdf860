// Bounds of a force, or a weight, by inverse dynamics: they hold, alone in a row of lanes and among others in one lane.
#include "saltus/flow/multiplier_bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace saltus {
namespace {

constexpr std::size_t width = 4;
constexpr double infinity = std::numeric_limits<double>::infinity();

Layout two_contacts() {
  Layout layout;
  layout.n = 3;
  layout.first_order = 1;
  layout.contacts = 2;
  return layout;
}

/// Boxes for R = P u and Ṙ = Ṗ u + P u̇ of contact 1, with u and u̇ within `spread` of middles that differ from lane to lane.
class Boxes {
 public:
  explicit Boxes(unsigned seed) : random_(seed) {
    entries.resize(2 * at.size() * width);
    for (std::size_t l = 0; l < width; ++l) {
      u[l] = number();
      rate[l] = number();
      for (std::size_t j = 0; j < at.rows - 1; ++j) {
        const double p = number();
        const double turn = number();
        put(at.push(j, 1), l, p, spread);
        put(at.push_rate(j, 1), l, turn, spread);
        put(at.residual(j), l, p * u[l], product(p, u[l]));
        put(at.residual_rate(j), l, p * rate[l] + turn * u[l], product(p, rate[l]) + product(turn, u[l]));
        put(at.reach(j), l, 1e-3, 0.0);
      }
      // The first-order state, which a contact does not push, is not known.
      const std::size_t z = at.rows - 1;
      put(at.residual(z), l, 0.0, infinity);
      put(at.residual_rate(z), l, 0.0, infinity);
      put(at.reach(z), l, 0.0, infinity);
      put(at.response(1), l, 1.0, 0.0);
    }
  }

  void put(std::size_t k, std::size_t l, double c, double r) {
    entries[2 * k * width + l] = c;
    entries[(2 * k + 1) * width + l] = r;
  }
  /// How far a product is from that of the middles.
  static double product(double a, double b) { return spread * (std::abs(a) + std::abs(b)) + spread * spread; }
  double number() {
    return std::uniform_real_distribution<double>(0.5, 2.0)(random_) * (random_() % 2 == 0 ? 1.0 : -1.0);
  }

  static constexpr double spread = 1e-3;
  InverseDynamicsLayout at{two_contacts()};
  LaneArray entries;
  double u[width] = {}, rate[width] = {};

 private:
  std::mt19937 random_;
};

Mode closed_contact() {
  Mode mode(two_contacts());
  mode.close(1);
  return mode;
}

void expect_inside(const MultiplierBounds::Box& box, double value) {
  EXPECT_LE(std::abs(value - box.c), box.r);
  // The row of P is no shorter than 0.5, its boxes are 1e-3 wide, all numbers at most 2: no bound needs to be wider than this.
  EXPECT_LE(box.r, 0.2);
}

TEST(MultiplierBounds, OneAloneIsBoundedInAllLanesAsInEach) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Boxes boxes(seed);
    MultiplierBounds row(two_contacts(), width);
    MultiplierBounds each(two_contacts(), width);
    row.choose(closed_contact());
    each.choose(closed_contact());
    row.solve_row(boxes.entries.data());
    for (std::size_t l = 0; l < width; ++l) {
      each.solve_lane(boxes.entries.data(), l);
      for (const MultiplierBounds* const by : {&row, &each}) {
        const MultiplierBounds::Bound bound = (*by)(1, l);
        for (const double s : {-1.0, 0.0, 1.0}) {
          expect_inside(bound.value, boxes.u[l] + s * Boxes::spread);
          expect_inside(bound.rate, boxes.rate[l] + s * Boxes::spread);
        }
        // Σ |D| δ with |D| ≤ 1/0.5.
        EXPECT_GT(bound.reach, 0.0);
        EXPECT_LE(bound.reach, 3 * 2e-3);
      }
      EXPECT_EQ(row(0, l).value.r, infinity);  // the open contact
    }
  }
}

TEST(MultiplierBounds, WhatTheCurveDoesNotKeepIsTakenOff) {
  Boxes boxes(7);
  MultiplierBounds row(two_contacts(), width);
  row.choose(closed_contact());
  row.solve_row(boxes.entries.data());
  const double before = row(1, 2).value.c;
  boxes.put(boxes.at.constraint(1), 2, 0.5, 0.25);
  boxes.put(boxes.at.response(1), 2, 4.0, 0.0);
  const double radius = row(1, 2).value.r;
  row.solve_row(boxes.entries.data());
  EXPECT_DOUBLE_EQ(row(1, 2).value.c, before - 0.125);
  EXPECT_DOUBLE_EQ(row(1, 2).value.r, radius + 0.0625);
}

TEST(MultiplierBounds, ABoxOfTheNormalThatReachesZeroSaysNothing) {
  Boxes boxes(3);
  for (std::size_t j = 0; j < boxes.at.rows; ++j) boxes.put(boxes.at.push(j, 1), 1, 0.5, 2.0);
  MultiplierBounds row(two_contacts(), width);
  row.choose(closed_contact());
  row.solve_row(boxes.entries.data());
  EXPECT_EQ(row(1, 1).value.r, infinity);
  EXPECT_EQ(row(1, 1).rate.r, infinity);
  EXPECT_EQ(row(1, 1).reach, infinity);
  EXPECT_LT(row(1, 0).rate.r, infinity);  // its neighbour
}

}  // namespace
}  // namespace saltus
