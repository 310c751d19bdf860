#include "saltus/driver/equations.hpp"

#include "saltus/expr/differentiate.hpp"
#include "saltus/expr/substitute.hpp"

namespace saltus {
namespace {

/// γ = ∂h/∂q · v + ∂h/∂t, built in `graph`: the model's own is shared and stays as it is.
Expr rate_of(const Model& model, Graph& graph, Expr gap) {
  const Expr h = substitute(std::span(&gap, 1), graph, [](Expr) { return std::nullopt; }).front();
  Expr rate = differentiate(h, graph.symbol(model.t.name()));
  for (std::size_t j = 0; j < model.n(); ++j)
    rate = rate + differentiate(h, graph.symbol(model.q[j].name())) * graph.symbol(model.v[j].name());
  return rate;
}

}  // namespace

EquationsResult run(const EquationsRequest& request) {
  EquationsResult result{prepared(request), request.notation, std::make_shared<Graph>(), {}};
  const Model& model = *result.prepared.model;
  for (const Contact& contact : model.contacts)
    result.gap_rates.push_back(rate_of(model, *result.graph, contact.gap.expr));
  return result;
}

}  // namespace saltus
