#include "saltus/analysis/hill/hill_motion.hpp"

#include <cmath>

#include "saltus/expr/evaluate.hpp"
#include "saltus/model/hill_mechanics.hpp"

namespace saltus {
namespace {

/// The mechanism with the restitution as its last parameter.
Model with_free_restitution(const Model& hill) {
  Model model = hill_mechanics(hill);
  const Located given = model.contacts.front().restitution;
  const Expr symbol = model.graph->symbol("#restitution");  // no name that a model can have
  model.parameters.push_back({"#restitution", symbol, given.expr, given.span});
  model.contacts.front().restitution = {symbol, given.span};
  return model;
}

}  // namespace

HillMotion::HillMotion(const Model& model)
    : mechanics_(with_free_restitution(model)),
      kernels_(std::make_unique<const Kernels>(mechanics_, KernelOptions{.state_columns = 0})) {}

HillGrowth HillMotion::growth(std::span<const double> p, double restitution, const Eigen::Vector2d& start, long periods,
                              const FlowOptions& options, const std::function<bool()>& interrupted) const {
  FlowRun run;
  run.parameters.assign(p.begin(), p.end());
  run.parameters.push_back(restitution);
  run.period = evaluate(mechanics_.forcing_period->expr, [&](const std::string& name) {
    for (std::size_t i = 0; i < mechanics_.parameters.size(); ++i)
      if (mechanics_.parameters[i].name == name) return run.parameters[i];
    throw Error(ExitCode::fault, "'" + name + "' is no parameter");
  });
  run.start = start_point(*kernels_, {0, 0.0}, start, LaneStepper::Carries::state);
  run.end = {periods, 0.0};
  run.keep_events = false;
  run.interrupted = interrupted;
  const FlowResult result = flow(*kernels_, options, run);
  HillGrowth growth{.restitution = restitution, .periods = periods};
  growth.outcome = result.outcome;
  growth.impacts = result.ledger.impacts;
  growth.factor = std::pow(result.end.x.norm() / start.norm(), 1.0 / static_cast<double>(periods));
  return growth;
}

}  // namespace saltus
