#include "saltus/analysis/hill/hill_step.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "saltus/expr/substitute.hpp"

namespace saltus {
namespace {

constexpr std::size_t stages = 8;
using StageVector = std::array<long double, stages>;

/// Nodes c and weights b of Gauss's quadrature on (0, 1), by Newton's method on the Legendre polynomial.
struct GaussRule {
  StageVector c, b;
};

GaussRule gauss_rule() {
  GaussRule rule{};
  constexpr auto n = static_cast<long double>(stages);
  for (std::size_t i = 0; i < stages; ++i) {
    long double x = -std::cos(std::numbers::pi_v<long double> * (static_cast<long double>(i) + 0.75L) / (n + 0.5L));
    long double slope = 1.0L;
    for (int iteration = 0; iteration < 20; ++iteration) {
      long double before = 1.0L;
      long double value = x;
      for (std::size_t k = 2; k <= stages; ++k) {
        const auto m = static_cast<long double>(k);
        const long double next = ((2.0L * m - 1.0L) * x * value - (m - 1.0L) * before) / m;
        before = value;
        value = next;
      }
      slope = n * (x * value - before) / (x * x - 1.0L);
      x -= value / slope;
    }
    rule.c[i] = (1.0L + x) / 2.0L;
    rule.b[i] = 1.0L / ((1.0L - x * x) * slope * slope);
  }
  return rule;
}

/// ∫₀^{cᵢ} (cᵢ − s) ℓⱼ(s) ds with the Lagrange polynomials of the nodes; the quadrature is exact for them.
std::array<StageVector, stages> nystrom_matrix(const GaussRule& rule) {
  const auto lagrange = [&](std::size_t j, long double s) {
    long double value = 1.0L;
    for (std::size_t k = 0; k < stages; ++k)
      if (k != j) value *= (s - rule.c[k]) / (rule.c[j] - rule.c[k]);
    return value;
  };
  std::array<StageVector, stages> matrix{};
  for (std::size_t i = 0; i < stages; ++i)
    for (std::size_t j = 0; j < stages; ++j)
      for (std::size_t k = 0; k < stages; ++k)
        matrix[i][j] += rule.c[i] * rule.c[i] * rule.b[k] * (1.0L - rule.c[k]) * lagrange(j, rule.c[i] * rule.c[k]);
  return matrix;
}

}  // namespace

Expr HillGraph::input(Slot slot, std::size_t index) {
  return graph_.symbol(input_name({slot, static_cast<std::uint32_t>(index)}));
}

Expr HillGraph::at_time(Expr e, Expr time) {
  const Expr roots[] = {e};
  return substitute(roots, graph_,
                    [&](Expr node) -> std::optional<Expr> {
                      if (node.op() != Op::symbol) return std::nullopt;
                      if (node.name() == model_.t.name()) return time;
                      for (std::size_t i = 0; i < model_.parameters.size(); ++i)
                        if (model_.parameters[i].name == node.name()) return input(Slot::parameter, i);
                      return std::nullopt;
                    })
      .front();
}

Expr HillGraph::stiffness(Expr time) {
  const Expr g = at_time(model_.hill->g.expr, time);
  return model_.hill->damping ? g - 0.25 * pow(now(model_.hill->damping->expr), 2) : g;
}

// With Y the values at the nodes,
//   Yᵢ = y + cᵢ h ẏ − h² Σ āᵢⱼ gⱼ Yⱼ,   y⁺ = y + h ẏ − h² Σ bⱼ (1 − cⱼ) gⱼ Yⱼ,   ẏ⁺ = ẏ − h Σ bⱼ gⱼ Yⱼ.
ExprVector hill_step(HillGraph& kernel) {
  static const GaussRule rule = gauss_rule();
  static const std::array<StageVector, stages> a_bar = nystrom_matrix(rule);
  Graph& graph = kernel.graph();
  const Expr h = kernel.input(Slot::state, 0);
  const Expr t = kernel.input(Slot::time, 0);
  ExprVector g;
  ExprVector weighted;  // h g
  for (std::size_t j = 0; j < stages; ++j) {
    g.push_back(hold(kernel.stiffness(hold(t + static_cast<double>(rule.c[j]) * h))));
    weighted.push_back(hold(h * g[j]));
  }
  ExprMatrix matrix(stages, graph.constant(0.0));
  for (std::size_t j = 0; j < stages; ++j) {
    const Expr twice = hold(h * weighted[j]);
    for (std::size_t i = 0; i < stages; ++i)
      matrix(i, j) = hold((i == j ? 1.0 : 0.0) + static_cast<double>(a_bar[i][j]) * twice);
  }
  const Elimination elimination(matrix);
  ExprVector outputs;
  for (std::size_t column = 0; column < 2; ++column) {
    const Expr y = kernel.input(Slot::state, 1 + 2 * column);
    const Expr v = kernel.input(Slot::state, 2 + 2 * column);
    const Expr hv = hold(h * v);
    ExprVector start;
    for (std::size_t i = 0; i < stages; ++i) start.push_back(hold(y + static_cast<double>(rule.c[i]) * hv));
    const ExprVector Y = elimination.solve(start);
    ExprVector position;
    ExprVector velocity;
    for (std::size_t j = 0; j < stages; ++j) {
      const Expr kick = hold(weighted[j] * Y[j]);
      position.push_back(-static_cast<double>(rule.b[j] * (1.0L - rule.c[j])) * kick);
      velocity.push_back(-static_cast<double>(rule.b[j]) * kick);
    }
    const Expr shift = hold(graph.sum(position));
    outputs.push_back(y + hold(hv + h * shift));
    outputs.push_back(v + hold(graph.sum(velocity)));
  }
  Expr largest = g[0];
  Expr smallest = g[0];
  for (std::size_t j = 1; j < stages; ++j) {
    largest = apply(Op::max, largest, g[j]);
    smallest = apply(Op::min, smallest, g[j]);
  }
  outputs.push_back(largest);
  outputs.push_back(smallest);
  return outputs;
}

}  // namespace saltus
