#pragma once

#include <string>
#include <vector>

#include "saltus/driver/request.hpp"
#include "saltus/result/json_text.hpp"

namespace saltus {

/// `saltus check`: is the model right, and what is it?
struct CheckRequest : Request {};

struct CheckResult {
  PreparedModel prepared;
  const std::vector<Diagnostic>& warnings() const { return prepared.warnings; }
};

CheckResult run(const CheckRequest& request);

/// The model at a glance.
std::string to_text(const CheckResult& result);

/// model, title, source, form, dimension, coordinates, states, parameters {name: value}, parameter_expressions,
/// contacts [{name, gap, restitution, restitution_expression}], switches [{surface, line}], forcing, section, initial,
/// observables, cases, solver, hill, diagnostics.
Json to_json(const CheckResult& result);

}  // namespace saltus
