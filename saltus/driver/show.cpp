#include "saltus/driver/show.hpp"

#include <fmt/format.h>

#include "saltus/base/text.hpp"
#include "saltus/expr/substitute.hpp"
#include "saltus/kernel/equations.hpp"
#include "saltus/kernel/inputs.hpp"

namespace saltus {
namespace {

class Collector {
 public:
  void add(const std::string& name, const Located& item) { shown_.push_back({name, item.expr, item.span}); }
  void add(const std::string& name, const std::optional<Located>& item) {
    if (item) add(name, *item);
  }
  std::vector<ShownExpr> shown() { return std::move(shown_); }

 private:
  std::vector<ShownExpr> shown_;
};

void add_mechanics(const Model& model, Collector& all) {
  for (std::size_t i = 0; i < model.mass.size(); ++i)
    all.add(fmt::format("mass[{},{}]", i / model.n() + 1, i % model.n() + 1), model.mass[i]);
  for (std::size_t i = 0; i < model.force.size(); ++i) all.add("force on " + model.coordinates[i], model.force[i]);
  for (std::size_t i = 0; i < model.rates.size(); ++i) all.add("rate of " + model.states[i], model.rates[i]);
  for (const Contact& contact : model.contacts) {
    all.add("gap of " + contact.name, contact.gap);
    all.add("restitution of " + contact.name, contact.restitution_as_written());
  }
  for (const Switch& s : model.switches) all.add("switch", Located{s.s, s.span});
}

std::vector<ShownExpr> expressions_of(const Model& model) {
  Collector all;
  for (const Parameter& parameter : model.parameters)
    all.add("parameter " + parameter.name, Located{parameter.value, parameter.span});
  add_mechanics(model, all);
  if (model.hill) {
    all.add("g", model.hill->g);
    all.add("period", model.hill->period);
    all.add("restitution", model.hill->restitution);
    all.add("damping", model.hill->damping);
  }
  all.add("forcing period", model.forcing_period);
  if (model.section) {
    all.add("section", model.section->surface);
    all.add("section modulo", model.section->modulo);
  }
  const std::vector<std::string> names = model.component_names();
  for (std::size_t i = 0; i < model.initial.size(); ++i) all.add("start of " + names[i], model.initial[i]);
  for (const Observable& observable : model.observables) all.add("observable " + observable.name, observable.value);
  return all.shown();
}

std::vector<ShownKernel> kernels_of(const Model& model, const std::string& chosen) {
  KernelOptions options;
  for (const Observable& observable : model.observables) options.observables.push_back(observable.value.expr);
  if (model.section) options.surfaces.push_back(model.section->surface.expr);
  const Equations equations = equations_of(model, options);
  std::vector<ShownKernel> kernels;
  std::vector<std::string> names;
  for (const Equations::Named& kernel : equations.kernels) {
    names.push_back(kernel.name);
    if (chosen.empty() || chosen == kernel.name)
      kernels.push_back({kernel.name, reachable(kernel.outputs).size(), lower(kernel.outputs, input_of)});
  }
  if (kernels.empty()) {
    const std::string hint = did_you_mean(chosen, names);
    throw Error(ExitCode::usage, fmt::format("unknown kernel '{}'\n  expected one of {}{}", printable(chosen),
                                             listed(names, 20), hint.empty() ? "" : "\n  " + hint));
  }
  return kernels;
}

}  // namespace

ShowResult run(const ShowRequest& request) {
  ShowResult result{prepared(request), request.stage, {}, {}};
  const Model& model = *result.prepared.model;
  if (request.stage != Stage::kernel) {
    result.expressions = expressions_of(model);
  } else if (model.hill) {
    throw Error(ExitCode::usage, "a [hill] model has no kernels\n  expected a model with [mechanics]");
  } else {
    result.kernels = kernels_of(model, request.kernel);
  }
  return result;
}

}  // namespace saltus
