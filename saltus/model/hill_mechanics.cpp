#include "saltus/model/hill_mechanics.hpp"

#include <cassert>

#include "saltus/expr/substitute.hpp"
#include "saltus/model/switches.hpp"

namespace saltus {
namespace {

/// Expressions of one model in the graph of another.
class Translation {
 public:
  explicit Translation(Graph& target) : target_(target) {}

  Expr operator()(Expr e) const {
    const Expr roots[] = {e};
    return substitute(roots, target_, [](Expr) { return std::nullopt; }).front();
  }
  Located operator()(const Located& located) const { return {(*this)(located.expr), located.span}; }

 private:
  Graph& target_;
};

/// A name that the model does not use for something else.
std::string free_name(const Model& model, std::string name) {
  const auto is_taken = [&] {
    for (const Parameter& parameter : model.parameters)
      if (parameter.name == name || parameter.name + "'" == name) return true;
    return false;
  };
  while (is_taken()) name += "_";
  return name;
}

}  // namespace

Model hill_mechanics(const Model& model) {
  assert(model.hill);
  const Hill& hill = *model.hill;
  Model result;
  result.source = model.source;
  result.graph = std::make_shared<Graph>();
  result.title = model.title;
  result.reference = model.reference;
  result.solver = model.solver;
  Graph& graph = *result.graph;
  const Translation translated(graph);
  result.t = translated(model.t);
  for (const Parameter& p : model.parameters)
    result.parameters.push_back({p.name, translated(p.symbol), translated(p.value), p.span});
  for (const Case& variant : model.cases) {
    Case copy = variant;
    for (auto& [name, value] : copy.parameters) value = translated(value);
    result.cases.push_back(std::move(copy));
  }
  const std::string name = free_name(model, "x");
  const Expr x = graph.symbol(name);
  const Expr v = graph.symbol(name + "'");
  result.coordinates = {name};
  result.q = {x};
  result.v = {v};
  result.mass = {{graph.constant(1.0), hill.g.span}};
  Expr force = -(translated(hill.g.expr) * x);
  if (hill.damping) force = force - translated(hill.damping->expr) * v;
  result.force = {{force, hill.g.span}};
  result.contacts = {{"stop", {x, hill.restitution.span}, translated(hill.restitution), hill.restitution.span}};
  result.forcing_period = translated(hill.period);
  result.initial = {{graph.constant(1.0), {}}, {graph.constant(0.0), {}}};
  find_switches(result);
  result.invariance = invariance_of(result);
  return result;
}

}  // namespace saltus
