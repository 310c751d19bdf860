#pragma once

#include <optional>
#include <span>
#include <vector>

#include "saltus/kernel/program.hpp"

namespace saltus {

/// t^power (cosine · cos wt + sine · sin wt) with w ≥ 0; w = 0 has no sine.
struct TimeTerm {
  double w = 0.0;
  int power = 0;
  double cosine = 0.0;
  double sine = 0.0;
};

/// constant + Σ coefficient_i x_i + Σ terms(t): what the functions of a piecewise-linear model are in one mode.
/// Sums, products by constants and products of functions of time stay in the form; anything else leaves it.
struct AffineValue {
  double constant = 0.0;
  std::vector<double> coefficients;  // of x; empty: all zero
  std::vector<TimeTerm> terms;       // without the constant
  bool left = false;                 // no longer of the form

  bool is_constant() const { return !left && coefficients.empty() && terms.empty(); }
};

/// The numbers that a program reads in one mode.
struct AffineInputs {
  std::size_t N = 0;               // components of x
  std::span<const double> p;
  std::span<const double> mode;
};

/// The first `count` outputs of a program as functions of x and t; inputs of Slot::tangent are 0. An interpreter like Tape,
/// on affine values instead of numbers.
std::vector<AffineValue> affine_outputs(const Program& program, const AffineInputs& inputs, std::size_t count);

}  // namespace saltus
