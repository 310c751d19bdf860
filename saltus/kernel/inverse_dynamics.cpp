#include "saltus/kernel/inverse_dynamics.hpp"

#include "saltus/expr/differentiate.hpp"
#include "saltus/kernel/enclosure.hpp"
#include "saltus/kernel/inputs.hpp"

namespace saltus {
namespace {

/// Expressions along a curve, and their rates.
class Curve {
 public:
  Curve(Graph& graph, const Layout& layout) : graph_(graph), layout_(layout) {}

  Expr x(std::size_t i) const { return symbol(Slot::state, i); }
  Expr x_dot(std::size_t i) const { return symbol(Slot::tangent, i); }
  Expr x_ddot(std::size_t i) const { return symbol(Slot::tangent, layout_.N() + i); }
  Expr delta(std::size_t i) const { return symbol(Slot::tangent, 2 * layout_.N() + i); }

  ExprVector rates_of(const ExprVector& roots) const {
    ExprVector sum = differentiate(roots, symbol(Slot::time, 0));
    const auto add = [&](const Expr& by, const Expr& rate) {
      const ExprVector partial = differentiate(roots, by);
      for (std::size_t i = 0; i < roots.size(); ++i) sum[i] = sum[i] + partial[i] * rate;
    };
    for (std::size_t i = 0; i < layout_.N(); ++i) {
      add(x(i), x_dot(i));
      add(x_dot(i), x_ddot(i));
    }
    return sum;
  }

 private:
  Expr symbol(Slot slot, std::size_t i) const {
    return graph_.symbol(input_name({slot, static_cast<std::uint32_t>(i)}));
  }
  Graph& graph_;
  const Layout& layout_;
};

}  // namespace

Program inverse_dynamics_bounds(const Equations& equations) {
  const Layout& layout = equations.layout;
  const std::size_t n = layout.n;
  const Curve curve(*equations.graph, layout);
  ExprVector residuals;
  ExprVector reaches;
  for (std::size_t j = 0; j < n; ++j) {
    Expr inertia = equations.graph->constant(0.0);
    Expr reach = inertia;
    for (std::size_t k = 0; k < n; ++k) {
      const Expr& m = equations.mass[j * n + k];
      inertia = inertia + m * curve.x_dot(n + k);
      reach = reach + apply(Op::abs, m) * curve.delta(n + k);
    }
    residuals.push_back(inertia - equations.force[j]);
    reaches.push_back(reach);
  }
  for (std::size_t j = 0; j < layout.first_order; ++j) {
    residuals.push_back(curve.x_dot(2 * n + j) - equations.rates[j]);
    reaches.push_back(curve.delta(2 * n + j));
  }
  ExprVector all = residuals;
  const auto append = [&all](const ExprVector& more) { all.insert(all.end(), more.begin(), more.end()); };
  append(curve.rates_of(residuals));
  append(reaches);
  append(equations.pushes);
  append(curve.rates_of(equations.pushes));
  const InverseDynamicsLayout at(layout);
  ExprVector constraints = equations.drift;
  for (std::size_t u = 0; u < at.columns; ++u)
    for (std::size_t j = 0; j < at.rows; ++j)
      constraints[u] = constraints[u] + equations.rows[u * at.rows + j] * curve.x_dot(n + j);
  append(constraints);
  append(curve.rates_of(constraints));
  append(equations.responses);
  // A rate does not see where its function jumps.
  using Open = EnclosedOutput::Open;
  std::vector<EnclosedOutput> outputs;
  for (std::size_t k = 0; k < all.size(); ++k) outputs.push_back({k, Open::never, k});
  for (std::size_t j = 0; j < at.rows; ++j) outputs[at.residual_rate(j)] = {at.residual_rate(j), Open::at_jumps, j};
  for (std::size_t u = 0; u < at.columns; ++u) {
    for (std::size_t j = 0; j < at.rows; ++j)
      outputs[at.push_rate(j, u)] = {at.push_rate(j, u), Open::at_jumps, at.push(j, u)};
    outputs[at.constraint_rate(u)] = {at.constraint_rate(u), Open::at_jumps, at.constraint(u)};
    outputs[at.response(u)].middle_only = true;
  }
  return enclosure_of(lower(all, input_of), outputs);
}

}  // namespace saltus
