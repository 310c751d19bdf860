#pragma once

#include <initializer_list>
#include <vector>

#include "saltus/expr/expr.hpp"

namespace saltus {

using ExprVector = std::vector<Expr>;

Expr dot(const ExprVector& a, const ExprVector& b);

ExprVector concatenated(std::initializer_list<ExprVector> parts);

/// A square matrix of expressions, by rows.
class ExprMatrix {
 public:
  ExprMatrix(std::size_t size, Expr fill) : size_(size), entries_(size * size, fill) {}
  ExprMatrix(std::size_t size, ExprVector entries) : size_(size), entries_(std::move(entries)) {}
  std::size_t size() const { return size_; }
  Expr& operator()(std::size_t i, std::size_t j) { return entries_[i * size_ + j]; }
  Expr operator()(std::size_t i, std::size_t j) const { return entries_[i * size_ + j]; }

 private:
  std::size_t size_;
  ExprVector entries_;
};

/// A x = b on the graph by elimination without pivoting: A = L U, where the pivots' reciprocals are nodes of their own.
/// For positive definite matrices, and for those that are so but for rows of the identity.
class Elimination {
 public:
  explicit Elimination(const ExprMatrix& a);
  ExprVector solve(const ExprVector& b) const;
  /// Positive for positive definite A.
  ExprVector pivots() const;

 private:
  Expr scaled_upper(std::size_t i, std::size_t j) const;

  ExprMatrix lu_;  // unit lower factor below the diagonal, upper factor on and above it
  ExprVector reciprocal_pivots_;
};

}  // namespace saltus
