#pragma once

#include <algorithm>
#include <vector>

#include "saltus/flow/affine_value.hpp"

namespace saltus {

/// The functions of time u(t) that force a mode: for each frequency w the products of t^j/j! with cos wt and sin wt
/// (w = 0: t^j/j! alone; the first of all is 1). u̇ = S u with constant S.
class TimeBasis {
 public:
  /// Frequencies and the highest power of t beside each; frequency 0 first.
  struct Block {
    double w;
    int highest;
  };
  TimeBasis() : blocks_{{0.0, 0}} {}

  void include(const AffineValue& value);
  std::size_t size() const;
  const std::vector<Block>& blocks() const { return blocks_; }
  bool operator==(const TimeBasis& other) const {
    return std::equal(blocks_.begin(), blocks_.end(), other.blocks_.begin(), other.blocks_.end(),
                      [](const Block& a, const Block& b) { return a.w == b.w && a.highest == b.highest; });
  }
  double fastest() const;
  bool has_powers() const;

  void values(double t, double* u) const;
  /// S u.
  void derivative(const double* u, double* out) const;
  /// The row of coefficients c with c · u = the time part of `value`, its constant included.
  std::vector<double> row_of(const AffineValue& value) const;

 private:
  std::vector<Block> blocks_;
};

}  // namespace saltus
