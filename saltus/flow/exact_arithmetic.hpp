#pragma once

#include "saltus/flow/exact_mode.hpp"

namespace saltus {

/// The Taylor coefficients of x(τ) and u(τ) of one step: x(τ) = Σ x_k τ^k.
struct TaylorPath {
  int degree = 0;
  std::vector<double> x, u;  // (degree + 1) × N, × m
};

/// Above this many states the powers of a mode are not tabulated: they would not stay in the cache.
inline constexpr std::size_t largest_tabulated = 16;

/// Vector arithmetic of a dimension, with the loops unrolled for the common ones.
struct ExactArithmetic {
  /// out = M x, M of N rows and `columns` columns; `more`: added to out. x and out may be the same.
  void (*multiply)(const double* M, const double* x, double* out, std::size_t N, std::size_t columns, bool more);
  void (*expand)(const ExactMode& mode, const double* x, const double* u, TaylorPath& path);
  /// Σ coefficients_k τ^k, coefficients (degree + 1) × N.
  void (*evaluate)(const double* coefficients, int degree, double tau, double* out, std::size_t N);
  /// The rows of x of exp(Â τ), N × M, to some degree, from the mode's powers, which must be tabulated.
  void (*exponential)(const ExactMode& mode, double tau, int degree, double* out);
  /// The coefficients of a row's series at z, 4 · quads of them.
  void (*series)(const double* series, const double* z, std::size_t columns, std::size_t quads, double* out);
  /// State columns of the tangent, one behind the other, over τ.
  void (*carry)(const ExactMode& mode, double tau, double* columns, std::size_t count);
  /// The column of varied parameter c over τ of the path.
  void (*carry_parameter)(const ExactMode& mode, const TaylorPath& path, std::size_t c, double tau, double* column);
};
const ExactArithmetic& exact_arithmetic(std::size_t N);

}  // namespace saltus
