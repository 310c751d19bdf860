#include "saltus/numerics/complementarity.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

constexpr double zero_in_column = 1e-11;
constexpr double lacking = 1e-10;

/// The tableau of  y − L x − 1 z = q: columns y, x, z, q; the columns of y hold B⁻¹, which orders equal ratios.
class Lemke {
 public:
  Lemke(const Matrix& L, const Vector& q)
      : k_(q.size()), table_(Matrix::Zero(k_, 2 * k_ + 2)), basic_(static_cast<std::size_t>(k_)) {
    table_.leftCols(k_).setIdentity();
    table_.middleCols(k_, k_) = -L;
    table_.col(z()).setConstant(-1.0);
    table_.col(right()) = q;
    for (Index i = 0; i < k_; ++i) basic(i) = i;
  }

  Complementarity::End run(int most, int& pivots) {
    // z enters so that everything becomes non-negative: the row that needs it most leaves, the last of equal ones.
    Index row = 0;
    for (Index i = 1; i < k_; ++i)
      if (table_(i, right()) <= table_(row, right())) row = i;
    Index entering = z();
    for (pivots = 0; pivots < most; ++pivots) {
      const Index leaving = basic(row);
      pivot(row, entering);
      if (leaving == z()) return Complementarity::End::solved;
      entering = leaving < k_ ? leaving + k_ : leaving - k_;
      const auto next = leaving_row(entering);
      if (!next) return Complementarity::End::ray;
      row = *next;
    }
    return Complementarity::End::stalled;
  }

  /// How far y has to be lifted still.
  double lack() const {
    for (Index i = 0; i < k_; ++i)
      if (basic(i) == z()) return table_(i, right());
    return 0.0;
  }
  Vector x() const {
    Vector values = Vector::Zero(k_);
    for (Index i = 0; i < k_; ++i)
      if (basic(i) >= k_ && basic(i) < z()) values[basic(i) - k_] = std::max(0.0, table_(i, right()));
    return values;
  }
  std::vector<Index> basic_x() const {
    std::vector<Index> members;
    for (Index i = 0; i < k_; ++i)
      if (basic(i) >= k_ && basic(i) < z()) members.push_back(basic(i) - k_);
    return members;
  }

 private:
  Index z() const { return 2 * k_; }
  Index right() const { return 2 * k_ + 1; }
  Index& basic(Index row) { return basic_[static_cast<std::size_t>(row)]; }
  Index basic(Index row) const { return basic_[static_cast<std::size_t>(row)]; }

  void pivot(Index row, Index column) {
    table_.row(row) /= table_(row, column);
    for (Index i = 0; i < k_; ++i) {
      const double factor = table_(i, column);
      if (i == row || factor == 0.0) continue;
      table_.row(i) -= factor * table_.row(row);
      table_(i, column) = 0.0;
    }
    basic(row) = column;
  }

  /// The row that first becomes zero when the column's variable grows; z wherever it is among them, else the lexicographically
  /// smallest of (q, B⁻¹) / pivot.
  std::optional<Index> leaving_row(Index column) const {
    const double smallest = zero_in_column * std::max(1.0, table_.col(column).cwiseAbs().maxCoeff());
    std::optional<Index> best;
    for (Index i = 0; i < k_; ++i)
      if (table_(i, column) > smallest && (!best || comes_before(i, *best, column))) best = i;
    return best;
  }

  bool comes_before(Index a, Index b, Index column) const {
    const double pa = table_(a, column);
    const double pb = table_(b, column);
    const auto compare = [&](Index c) {
      const double ra = table_(a, c) / pa;
      const double rb = table_(b, c) / pb;
      const double same = 1e-13 * std::max({std::abs(ra), std::abs(rb), c == right() ? 1e-3 : 0.0});
      return std::abs(ra - rb) <= same ? 0.0 : ra - rb;
    };
    double difference = compare(right());
    if (difference == 0.0 && (basic(a) == z() || basic(b) == z())) return basic(a) == z();
    for (Index c = 0; c < k_ && difference == 0.0; ++c) difference = compare(c);
    return difference < 0.0;
  }

  Index k_;
  Matrix table_;
  std::vector<Index> basic_;
};

/// What makes the diagonal 1, or where it is not positive the row's largest number.
Vector scales_of(const Matrix& L) {
  Vector scales(L.rows());
  for (Index i = 0; i < L.rows(); ++i) {
    const double size = L(i, i) > 0.0 ? L(i, i) : L.row(i).cwiseAbs().maxCoeff();
    scales[i] = size > 0.0 && std::isfinite(size) ? 1.0 / std::sqrt(size) : 1.0;
  }
  return scales;
}

/// L x + q = 0 on the basic members, solved anew without what the pivots have lost.
Vector polished(const Matrix& L, const Vector& q, const std::vector<Index>& members, const Vector& x) {
  if (members.empty()) return x;
  const Matrix part = L(members, members);
  const Eigen::PartialPivLU<Matrix> factors(part);
  Vector solved = factors.solve(-q(members));
  solved += factors.solve(-q(members) - part * solved);
  const double size = std::max(x.maxCoeff(), 1e-300);
  if (!solved.allFinite() || (solved - x(members)).cwiseAbs().maxCoeff() > 1e-6 * size) return x;
  Vector better = Vector::Zero(x.size());
  for (std::size_t i = 0; i < members.size(); ++i) better[members[i]] = std::max(0.0, solved[static_cast<Index>(i)]);
  return better;
}

}  // namespace

Complementarity solve_complementarity(const Matrix& L, const Vector& q) {
  const Index k = q.size();
  Complementarity result{Complementarity::End::solved, Vector::Zero(k), q, 0};
  if (k == 0 || q.minCoeff() >= 0.0) return result;
  if (!L.allFinite() || !q.allFinite()) {
    result.end = Complementarity::End::stalled;
    return result;
  }
  const Vector scale = scales_of(L);
  const Matrix scaled_L = scale.asDiagonal() * L * scale.asDiagonal();
  Vector scaled_q = scale.cwiseProduct(q);
  const double size = scaled_q.cwiseAbs().maxCoeff();
  scaled_q /= size;
  Lemke path(scaled_L, scaled_q);
  result.end = path.run(static_cast<int>(100 + 50 * k), result.pivots);
  if (result.end == Complementarity::End::ray && path.lack() <= lacking) result.end = Complementarity::End::solved;
  Vector x = path.x();
  if (result.end == Complementarity::End::solved) x = polished(scaled_L, scaled_q, path.basic_x(), x);
  result.x = size * scale.cwiseProduct(x);
  result.y = L * result.x + q;
  return result;
}

}  // namespace saltus
