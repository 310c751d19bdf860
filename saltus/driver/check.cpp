#include "saltus/driver/check.hpp"

#include "saltus/driver/time_dependence.hpp"
#include "saltus/kernel/lowered.hpp"

namespace saltus {
namespace {

/// Throws where the model cannot be compiled: it need not be to be too large.
void require_compilable(const Model& model) {
  if (model.hill) return;
  KernelOptions options;
  for (const Observable& observable : model.observables) options.observables.push_back(observable.value.expr);
  if (model.section) options.surfaces.push_back(model.section->surface.expr);
  lowered(equations_of(model, options));
}

}  // namespace

CheckResult run(const CheckRequest& request) {
  CheckResult result{prepared(request)};
  require_compilable(*result.prepared.model);
  if (const auto doubt = doubtful_time(result.prepared)) result.prepared.warnings.push_back(*doubt);
  return result;
}

}  // namespace saltus
