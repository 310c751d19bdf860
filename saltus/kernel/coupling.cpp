#include "saltus/kernel/coupling.hpp"

#include <algorithm>

namespace saltus {
namespace {

constexpr std::size_t few_products = 4000;  // an elimination of 23 constraints that all touch each other

bool is_zero(const Expr& e) { return e.is_constant(0.0); }

bool touch(const ExprVector& row, const ExprVector& column) {
  for (std::size_t k = 0; k < row.size(); ++k)
    if (!is_zero(row[k]) && !is_zero(column[k])) return true;
  return false;
}

/// Products and choices of the way by places.
std::size_t cost_of_places(const std::vector<ExprVector>& rows, const std::vector<ExprVector>& columns) {
  std::size_t entries = 0;
  for (const std::vector<ExprVector>& all : {rows, columns})
    for (const ExprVector& each : all)
      entries += each.size() - static_cast<std::size_t>(std::count_if(each.begin(), each.end(), is_zero));
  const std::size_t places = rows.front().size();
  return places * (entries + 3 * rows.size()) + places * places * places / 3;
}

}  // namespace

std::size_t elimination_cost(std::vector<std::vector<bool>> is_entry, std::size_t most) {
  std::size_t cost = 0;
  for (std::size_t k = 0; k < is_entry.size() && cost <= most; ++k) {
    const auto behind = is_entry[k].begin() + static_cast<std::ptrdiff_t>(k) + 1;
    const auto length = static_cast<std::size_t>(std::count(behind, is_entry[k].end(), true));
    for (std::size_t i = k + 1; i < is_entry.size() && cost <= most; ++i) {
      if (!is_entry[i][k]) continue;
      cost += length + 1;
      for (std::size_t j = k + 1; j < is_entry.size(); ++j) is_entry[i][j] = is_entry[i][j] || is_entry[k][j];
    }
  }
  return cost;
}

Coupling::Coupling(const ExprVector& masks, const std::vector<ExprVector>& rows, const std::vector<ExprVector>& columns,
                   const Entry& entry)
    : size_(masks.size()) {
  const std::size_t places = size_ == 0 ? 0 : rows.front().size();
  // Nothing is looked at where even a full matrix would be a few products.
  if (places >= size_ || places == 0 || size_ * size_ * size_ / 3 <= few_products) {
    eliminate_all(masks, entry);
    return;
  }
  std::vector<std::vector<bool>> is_entry(size_, std::vector<bool>(size_));
  for (std::size_t i = 0; i < size_; ++i)
    for (std::size_t j = 0; j < size_; ++j) is_entry[i][j] = i == j || touch(rows[i], columns[j]);
  const std::size_t most = std::max(few_products, cost_of_places(rows, columns));
  if (elimination_cost(std::move(is_entry), most) <= most) {
    eliminate_all(masks, entry);
    return;
  }
  make_places(masks, places);
  const auto gathered = [&](const std::vector<ExprVector>& of) {
    std::vector<ExprVector> all(places);
    for (std::size_t k = 0; k < places; ++k)
      for (std::size_t c = 0; c < places; ++c)
        all[k].push_back(hold(in_place(k, [&](std::size_t i) { return of[i][c]; })));
    return all;
  };
  const std::vector<ExprVector> row = gathered(rows);
  const std::vector<ExprVector> column = gathered(columns);
  ExprMatrix matrix(places, masks.front().graph().constant(0.0));
  const Expr one = masks.front().graph().constant(1.0);
  for (std::size_t k = 0; k < places; ++k)
    for (std::size_t l = 0; l < places; ++l) {
      const Expr product = dot(row[k], column[l]);  // zero where one of the places is empty
      matrix(k, l) = k == l ? select(occupied_[k], product, one) : product;
    }
  factors_.emplace(matrix);
}

/// The diagonal of a masked matrix has the entry, or 1 in a row that is left out. A choice, not a blend: mask·(G − 1) + 1 would lose the
/// digits of a small G.
void Coupling::eliminate_all(const ExprVector& masks, const Entry& entry) {
  if (size_ == 0) return;
  Graph& graph = masks.front().graph();
  ExprMatrix matrix(size_, graph.constant(0.0));
  for (std::size_t i = 0; i < size_; ++i)
    for (std::size_t j = 0; j < size_; ++j) {
      const Expr product = entry(i, j);
      if (i != j && is_zero(product)) continue;  // of many contacts nearly all
      matrix(i, j) =
          i == j ? select(apply(Op::positive, masks[i]), product, graph.constant(1.0)) : masks[i] * masks[j] * product;
    }
  factors_.emplace(matrix);
}

/// Constraint i is in place k if it is active and k before it are.
void Coupling::make_places(const ExprVector& masks, std::size_t count) {
  is_in_place_.assign(count, {});
  active_ = masks.front().graph().constant(0.0);
  for (const Expr& mask : masks) {
    for (std::size_t k = 0; k < count; ++k) {
      const Expr before = apply(Op::abs, active_ - static_cast<double>(k));
      is_in_place_[k].push_back(apply(Op::positive, hold(hold(mask - 0.5) - before)));
    }
    active_ = hold(active_ + mask);
  }
  for (std::size_t k = 0; k < count; ++k)
    occupied_.push_back(apply(Op::positive, hold(active_ - (static_cast<double>(k) + 0.5))));
}

/// The component of the constraint that is in place k; zero if none is.
Expr Coupling::in_place(std::size_t k, const std::function<Expr(std::size_t i)>& component) const {
  Expr found = active_.graph().constant(0.0);
  // As many stand before constraint i at most.
  for (std::size_t i = k; i < size_; ++i) {
    const Expr each = component(i);
    if (!is_zero(each)) found = select(is_in_place_[k][i], each, found);
  }
  return found;
}

ExprVector Coupling::solve(const ExprVector& lack) const {
  if (size_ == 0) return {};
  if (!by_places()) return factors_->solve(lack);
  const std::size_t places = is_in_place_.size();
  ExprVector in_places;
  for (std::size_t k = 0; k < places; ++k)
    in_places.push_back(hold(in_place(k, [&](std::size_t i) { return lack[i]; })));
  // More than there is room for depend on each other: what they do is not a number.
  const Expr room = hold(static_cast<double>(places) + 0.5 - active_);
  in_places[0] = select(apply(Op::positive, room), in_places[0], sqrt(room));
  const ExprVector solved = factors_->solve(in_places);
  ExprVector all;
  for (std::size_t i = 0; i < size_; ++i) {
    Expr u = active_.graph().constant(0.0);
    for (std::size_t k = 0; k <= std::min(i, places - 1); ++k) u = select(is_in_place_[k][i], solved[k], u);
    all.push_back(hold(u));
  }
  return all;
}

}  // namespace saltus
