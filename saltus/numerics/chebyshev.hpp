#pragma once

#include <array>
#include <span>
#include <vector>

namespace saltus {

/// w(s) = Σ c_k T_k(s), −1 ≤ s ≤ 1, through values at the zeros of a Chebyshev polynomial: all of them lie inside, so that what w is at
/// the ends, where it may jump or bend, does not matter.
class ChebyshevSeries {
 public:
  static constexpr std::size_t count = 13;
  using Values = std::array<double, count>;
  /// Where values are wanted, increasing.
  static const Values& places();

  explicit ChebyshevSeries(const Values& values);

  double operator()(double s) const;
  /// Largest |c_k|, and that of the last three: how far from resolved the function is.
  double size() const;
  double tail() const;
  /// All values lie within c₀ ± spread.
  double middle() const { return c_[0]; }
  double spread() const;

  /// w(s) − middle − slope s.
  ChebyshevSeries without_line(double middle, double slope) const;

  /// Zeros of w in (−1, 1) at which it changes its sign, increasing; those of w'.
  std::vector<double> zeros() const;
  std::vector<double> turning_places() const;

  /// ∫ (w − reference) ds and ∫ (w − reference)² ds over −1 … 1.
  double integral(double reference) const;
  double square_integral(double reference) const;

 private:
  std::array<double, count> c_{};
};

}  // namespace saltus
