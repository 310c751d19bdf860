#include "saltus/kernel/tangent_equations.hpp"

#include "saltus/expr/differentiate.hpp"

namespace saltus {
namespace {

/// Partial derivatives of the residuals
///   f + Σ λᵢ nᵢ + Σ w D − M v̇,   r + Σ w E,   row·v̇ + row·ż + drift
/// by component of x, then by varied parameter. The acceleration, forces and weights enter them as placeholders, so that
/// M ∂v̇ = ∂f − ∂M v̇ + … and nothing is differentiated through the elimination.
struct Linearisation {
  std::vector<ExprVector> force, first_order, drift;
  bool coupled = false;
};

Linearisation linearised(const ModelTerms& of, const MotionEquations& equations,
                         const MotionEquations::Motion& motion) {
  const std::size_t n = of.layout.n;
  const bool coupled = !motion.force.empty() || !motion.weight.empty();
  const ExprVector acceleration = of.placeholders("a", n);
  const ExprVector first_order = of.placeholders("r", of.layout.first_order);
  const ExprVector unknowns = of.placeholders("u", coupled ? equations.constraints().size() : 0);
  // Summed once: term by term, the sums of many constraints would cost their square.
  ExprVector residuals;
  for (std::size_t i = 0; i < n; ++i) {
    ExprVector terms = {of.f[i]};
    for (std::size_t j = 0; j < n; ++j) terms.push_back(-(of.M[i * n + j] * acceleration[j]));
    for (std::size_t u = 0; u < unknowns.size(); ++u)
      terms.push_back(equations.constraints()[u].push_f[i] * unknowns[u]);
    residuals.push_back(of.graph->sum(terms));
  }
  ExprVector rates;
  for (std::size_t i = 0; i < of.r.size(); ++i) {
    ExprVector terms = {of.r[i]};
    for (std::size_t u = 0; u < unknowns.size(); ++u)
      terms.push_back(equations.constraints()[u].push_r[i] * unknowns[u]);
    rates.push_back(of.graph->sum(terms));
  }
  ExprVector drift;
  for (std::size_t u = 0; u < unknowns.size(); ++u) {
    const MotionEquations::Constraint& it = equations.constraints()[u];
    drift.push_back(of.product(it.row_v, acceleration) + of.product(it.row_z, first_order) + it.drift);
  }
  const ExprVector values = concatenated({motion.acceleration, motion.first_order, motion.force, motion.weight});
  const ExprVector names = concatenated({acceleration, first_order, unknowns});
  const auto partials = [&](const ExprVector& roots) {
    std::vector<ExprVector> result;
    for (const Expr& x : of.x) result.push_back(of.filled(differentiate(roots, x), names, values));
    for (const Direction& direction : of.varied) result.push_back(of.filled(along(roots, direction), names, values));
    return result;
  };
  return {partials(residuals), partials(rates), partials(drift), coupled};
}

/// Σ_j partial_j δx_j (+ the parameter's own partial in its column).
ExprVector directional(const ModelTerms& of, const std::vector<ExprVector>& partials, const ExprVector& column,
                       std::size_t c) {
  const Layout& layout = of.layout;
  const std::size_t size = partials.empty() ? 0 : partials.front().size();
  ExprVector result;
  for (std::size_t i = 0; i < size; ++i) {
    ExprVector terms;
    for (std::size_t j = 0; j < layout.N(); ++j) terms.push_back(partials[j][i] * column[j]);
    if (c >= layout.state_columns) terms.push_back(partials[layout.N() + c - layout.state_columns][i]);
    result.push_back(of.graph->sum(terms));
  }
  return result;
}

}  // namespace

ExprVector with_tangent(const ModelTerms& of, const MotionEquations& equations, const MotionEquations::Motion& motion) {
  const Layout& layout = of.layout;
  const Linearisation linear = linearised(of, equations, motion);
  const ExprVector X = of.symbols(Slot::tangent, 0, layout.N() * layout.columns());
  ExprVector accelerations;
  ExprVector rates;
  for (std::size_t c = 0; c < layout.columns(); ++c) {
    ExprVector column;
    for (std::size_t i = 0; i < layout.N(); ++i) column.push_back(X[layout.tangent(i, c)]);
    MotionEquations::Motion moved;
    moved.acceleration = equations.mass().solve(directional(of, linear.force, column, c));
    moved.first_order = directional(of, linear.first_order, column, c);
    if (linear.coupled) {
      const ExprVector drift = directional(of, linear.drift, column, c);
      moved = equations.pushed(moved.acceleration, moved.first_order,
                               equations.multipliers(moved.acceleration, moved.first_order, drift));
    }
    accelerations.insert(accelerations.end(), moved.acceleration.begin(), moved.acceleration.end());
    rates.insert(rates.end(), moved.first_order.begin(), moved.first_order.end());
  }
  return concatenated({equations.rate(motion), accelerations, rates});
}

}  // namespace saltus
