#include "saltus/flow/tangent_frame.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

constexpr double parallel_below = 1e-4;  // half of the digits of a column are left then
constexpr double turns_fast_below = 3e-2;
constexpr int steps_between_looks = 4;
// The tangent's steps have an absolute tolerance, too: a column much shorter than 1 would be known to fewer digits.
constexpr double shortest_column = 1e-4;
constexpr double longest_column = 1e8;
/// A direction is annihilated when orthogonalisation leaves less of it than rounding would, relative to the largest column: it is
/// what rounding of the others leaves.
constexpr double dropped_below = 1e-11;

}  // namespace

/// Q, rᵢᵢ and the lengths of the columns. Gram–Schmidt twice is enough (Kahan): the second pass removes what rounding of the
/// first left. A column of which not more than `dropped` times the longest_column is left becomes zero.
void TangentFrame::split(const Eigen::MatrixXd& X, double dropped) {
  const Index columns = index(growth_.size());
  Q_ = X.leftCols(columns);
  if (!scale_.empty())
    for (Index i = 0; i < Q_.rows(); ++i) Q_.row(i) /= scale_[static_cast<std::size_t>(i)];
  norms_ = Q_.colwise().norm().transpose();
  const double least = dropped * norms_.maxCoeff();
  r_.resize(columns);
  for (Index i = 0; i < columns; ++i) {
    for (int pass = 0; pass < 2; ++pass)
      for (Index j = 0; j < i; ++j) Q_.col(i) -= Q_.col(j) * Q_.col(j).dot(Q_.col(i));
    r_[i] = Q_.col(i).norm();
    const bool lost = std::isinf(growth_[static_cast<std::size_t>(i)]) || !(r_[i] > least);
    if (lost) Q_.col(i).setZero();
    else Q_.col(i) /= r_[i];
    if (lost) r_[i] = 0.0;
  }
}

void TangentFrame::factorise(Eigen::MatrixXd& X, Rank rank, std::size_t most_left) {
  if (growth_.empty()) return;
  split(X, rank == Rank::may_drop ? dropped_below : 0.0);
  // More columns than there can be directions: of the one that the others leave least of, rounding alone is left.
  while (static_cast<std::size_t>((r_.array() > 0.0).count()) > most_left) {
    Index least = -1;
    for (Index i = 0; i < r_.size(); ++i)
      if (r_[i] > 0.0 && (least < 0 || r_[i] * norms_[least] < r_[least] * norms_[i])) least = i;
    growth_[static_cast<std::size_t>(least)] = -std::numeric_limits<double>::infinity();
    split(X, dropped_below);
  }
  for (std::size_t i = 0; i < growth_.size(); ++i) growth_[i] += std::log(r_[index(i)]);
  if (!scale_.empty())
    for (Index i = 0; i < Q_.rows(); ++i) Q_.row(i) *= scale_[static_cast<std::size_t>(i)];
  X.leftCols(Q_.cols()) = Q_;
  steps_until_look_ = 1;
}

bool TangentFrame::keep(Eigen::MatrixXd& X) {
  if (growth_.empty()) return false;
  split(X, 0.0);
  double smallest = 1.0;
  bool in_range = true;
  for (std::size_t i = 0; i < growth_.size(); ++i) {
    if (std::isinf(growth_[i])) continue;
    smallest = std::min(smallest, r_[index(i)] / norms_[index(i)]);
    in_range = in_range && norms_[index(i)] >= shortest_column && norms_[index(i)] <= longest_column;
  }
  steps_until_look_ = smallest < turns_fast_below ? 1 : steps_between_looks;
  if (in_range && smallest >= parallel_below) return false;
  factorise(X, Rank::full);
  return true;
}

}  // namespace saltus
