#pragma once

#include "saltus/expr/expr.hpp"
#include "saltus/kernel/graph_algebra.hpp"
#include "saltus/kernel/inputs.hpp"
#include "saltus/model/model.hpp"

namespace saltus {

/// A [hill] model's expressions with the inputs of kernels for its symbols, and with any expression for the time.
class HillGraph {
 public:
  explicit HillGraph(const Model& model) : model_(model) {}

  Graph& graph() { return graph_; }
  Expr input(Slot slot, std::size_t index);
  Expr at_time(Expr e, Expr time);
  Expr now(Expr e) { return at_time(e, input(Slot::time, 0)); }
  /// ḡ − a²/4 at a time.
  Expr stiffness(Expr time);

 private:
  const Model& model_;
  Graph graph_;
};

/// One step of  ÿ = −g y  from t to t + h by Gauss collocation of order 16, for two solutions side by side.
/// Reads h, y₁, ẏ₁, y₂, ẏ₂ in the place of the state; gives y₁⁺, ẏ₁⁺, y₂⁺, ẏ₂⁺, the largest and the smallest g at the nodes.
ExprVector hill_step(HillGraph& kernel);
inline constexpr std::size_t hill_step_inputs = 5;
inline constexpr std::size_t hill_step_outputs = 6;

}  // namespace saltus
