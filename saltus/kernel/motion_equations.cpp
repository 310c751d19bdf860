#include "saltus/kernel/motion_equations.hpp"

#include "saltus/expr/differentiate.hpp"

namespace saltus {

MotionEquations::MotionEquations(const ModelTerms& terms) : of_(terms), mass_(ExprMatrix(terms.layout.n, terms.M)) {
  free_.acceleration = mass_.solve(of_.f);
  free_.first_order = of_.r;
  couple();
}

/// The closed contacts' forces λ and the Filippov weights w, by the masked Schur complement.
void MotionEquations::couple() {
  for (std::size_t i = 0; i < of_.layout.contacts; ++i) constraints_.push_back(of_contact(i));
  const Jumps jumps_f(of_.f, of_.signs);
  const Jumps jumps_r(of_.r, of_.signs);
  for (std::size_t k = 0; k < of_.layout.switches; ++k) constraints_.push_back(of_switch(k, jumps_f, jumps_r));
  ExprVector masks;
  ExprVector drift;
  std::vector<ExprVector> rows;
  std::vector<ExprVector> columns;
  for (const Constraint& each : constraints_) {
    masks.push_back(each.mask);
    drift.push_back(each.drift);
    rows.push_back(concatenated({each.row_v, each.row_z}));
    columns.push_back(concatenated({each.response, each.push_r}));
  }
  coupling_.emplace(masks, rows, columns, [&](std::size_t i, std::size_t j) { return delassus(i, j); });
  closed_ = constraints_.empty() ? free_
                                 : pushed(free_.acceleration, free_.first_order,
                                          multipliers(free_.acceleration, free_.first_order, drift));
}

Expr MotionEquations::delassus(std::size_t i, std::size_t j) const {
  return of_.product(constraints_[i].row_v, constraints_[j].response) +
         of_.product(constraints_[i].row_z, constraints_[j].push_r);
}

/// n·v̇ + κ = 0, by n λ.
MotionEquations::Constraint MotionEquations::of_contact(std::size_t i) const {
  const ExprVector none(of_.layout.first_order, of_.zero);
  return {of_.normal[i], none, of_.kappa[i], of_.normal[i], none, of_.masks[i], mass_.solve(of_.normal[i])};
}

/// The switch's row s_v v̇ + s_z ż + (s_q v + s_t) = 0 and the jump of force and rates across it, which w scales.
MotionEquations::Constraint MotionEquations::of_switch(std::size_t k, const Jumps& jumps_f,
                                                       const Jumps& jumps_r) const {
  const auto gradient = [&](const ExprVector& symbols) {
    ExprVector result;
    for (const Expr& symbol : symbols) result.push_back(differentiate(of_.s[k], symbol));
    return result;
  };
  const Expr drift = of_.product(gradient(of_.q), of_.v) + differentiate(of_.s[k], of_.t);
  const ExprVector push = jumps_f.across(k);
  return {gradient(of_.v), gradient(of_.z), drift, push, jumps_r.across(k), of_.filippov[k], mass_.solve(push)};
}

ExprVector MotionEquations::multipliers(const ExprVector& acceleration, const ExprVector& first_order,
                                        const ExprVector& drift) const {
  ExprVector lack;
  for (std::size_t i = 0; i < drift.size(); ++i) {
    const Constraint& it = constraints_[i];
    const Expr excess = of_.product(it.row_v, acceleration) + of_.product(it.row_z, first_order) + drift[i];
    lack.push_back(-(it.mask * excess));
  }
  return coupling_->solve(lack);
}

MotionEquations::Motion MotionEquations::pushed(const ExprVector& acceleration, const ExprVector& first_order,
                                                const ExprVector& unknowns) const {
  // Summed once: term by term, the sums of many constraints would cost their square.
  const auto sum = [&](const Expr& first, std::size_t i, ExprVector Constraint::* per_unit) {
    ExprVector terms = {first};
    for (std::size_t u = 0; u < unknowns.size(); ++u) terms.push_back((constraints_[u].*per_unit)[i] * unknowns[u]);
    return hold(of_.graph->sum(terms));
  };
  Motion motion;
  for (std::size_t i = 0; i < acceleration.size(); ++i)
    motion.acceleration.push_back(sum(acceleration[i], i, &Constraint::response));
  for (std::size_t i = 0; i < first_order.size(); ++i)
    motion.first_order.push_back(sum(first_order[i], i, &Constraint::push_r));
  for (std::size_t u = 0; u < unknowns.size(); ++u)
    (u < of_.layout.contacts ? motion.force : motion.weight).push_back(unknowns[u]);
  return motion;
}

ExprVector MotionEquations::rate(const Motion& motion) const {
  return concatenated({of_.v, motion.acceleration, motion.first_order});
}

Expr MotionEquations::smallest_pivot() const {
  Expr smallest = of_.one;
  bool found = false;
  for (const Expr& pivot : mass_.pivots()) {
    if (pivot.is_constant()) continue;
    smallest = found ? apply(Op::min, smallest, pivot) : pivot;
    found = true;
  }
  return smallest;
}

}  // namespace saltus
