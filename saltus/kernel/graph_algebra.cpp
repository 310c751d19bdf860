#include "saltus/kernel/graph_algebra.hpp"

namespace saltus {

Expr dot(const ExprVector& a, const ExprVector& b) {
  ExprVector terms;
  for (std::size_t i = 0; i < a.size(); ++i) terms.push_back(a[i] * b[i]);
  return a.front().graph().sum(terms);
}

ExprVector concatenated(std::initializer_list<ExprVector> parts) {
  ExprVector all;
  for (const ExprVector& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

Elimination::Elimination(const ExprMatrix& a) : lu_(a) {
  const std::size_t n = a.size();
  for (std::size_t k = 0; k < n; ++k) {
    // Held: each is computed once and used often. For a symmetric matrix the graph finds U(k, i) and U(i, k) equal.
    for (std::size_t j = k; j < n; ++j) lu_(k, j) = hold(lu_(k, j));
    reciprocal_pivots_.push_back(hold(1.0 / lu_(k, k)));
    for (std::size_t i = k + 1; i < n; ++i) {
      if (lu_(i, k).is_constant(0.0)) continue;
      lu_(i, k) = hold(hold(lu_(i, k)) * reciprocal_pivots_[k]);
      for (std::size_t j = k + 1; j < n; ++j)
        if (!lu_(k, j).is_constant(0.0)) lu_(i, j) = lu_(i, j) - lu_(i, k) * lu_(k, j);
    }
  }
}

ExprVector Elimination::pivots() const {
  ExprVector result;
  for (std::size_t k = 0; k < lu_.size(); ++k) result.push_back(lu_(k, k));
  return result;
}

/// U(i, j) / pivot i: for a symmetric matrix the same node as L(j, i).
Expr Elimination::scaled_upper(std::size_t i, std::size_t j) const { return hold(lu_(i, j) * reciprocal_pivots_[i]); }

ExprVector Elimination::solve(const ExprVector& b) const {
  const std::size_t n = lu_.size();
  ExprVector x = b;
  for (std::size_t i = 0; i < n; ++i) {
    ExprVector terms = {x[i]};
    for (std::size_t j = 0; j < i; ++j)
      if (!lu_(i, j).is_constant(0.0)) terms.push_back(-(lu_(i, j) * x[j]));
    x[i] = hold(x[i].graph().sum(terms));
  }
  for (std::size_t i = n; i-- > 0;) {
    ExprVector terms = {x[i] * reciprocal_pivots_[i]};
    for (std::size_t j = i + 1; j < n; ++j)
      if (!lu_(i, j).is_constant(0.0)) terms.push_back(-(scaled_upper(i, j) * x[j]));
    x[i] = hold(x[i].graph().sum(terms));
  }
  return x;
}

}  // namespace saltus
