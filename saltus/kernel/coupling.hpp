#pragma once

#include <functional>
#include <optional>

#include "saltus/kernel/graph_algebra.hpp"

namespace saltus {

/// Multipliers u of those of m constraints whose masks are 1, the others zero:
///   Σ_j row_i·column_j u_j = lack_i   for the active i,
/// where lack_i is zero for the others. Rows that are active together do not depend on each other, so that there are never more of them
/// than a row has components.
///
/// A few constraints, or many of which each touches few others, are eliminated all together, with rows of the identity for those that are
/// not active. That is up to m³/3 products. Where it would be many, the active ones are put into as many places as a row has components, the
/// first of them into the first, and only these are eliminated: so that the cost grows with m, not with m³.
class Coupling {
 public:
  using Entry = std::function<Expr(std::size_t i, std::size_t j)>;  // row_i·column_j

  Coupling(const ExprVector& masks, const std::vector<ExprVector>& rows, const std::vector<ExprVector>& columns,
           const Entry& entry);

  ExprVector solve(const ExprVector& lack) const;
  /// False: all are eliminated together.
  bool by_places() const { return !is_in_place_.empty(); }

 private:
  void eliminate_all(const ExprVector& masks, const Entry& entry);
  void make_places(const ExprVector& masks, std::size_t count);
  Expr in_place(std::size_t k, const std::function<Expr(std::size_t i)>& component) const;

  std::size_t size_;
  std::vector<ExprVector> is_in_place_;  // [k][i]: the condition that constraint i is in place k
  ExprVector occupied_;  // conditions
  Expr active_;  // how many there are
  std::optional<Elimination> factors_;
};

/// Products of an elimination without pivoting of a matrix with these entries other than zero; as soon as there are more than `most`,
/// some number above it.
std::size_t elimination_cost(std::vector<std::vector<bool>> is_entry, std::size_t most);

}  // namespace saltus
