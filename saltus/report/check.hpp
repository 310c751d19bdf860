#pragma once

#include <string>

#include "saltus/driver/check.hpp"
#include "saltus/result/json_text.hpp"

namespace saltus {

/// The model at a glance.
std::string to_text(const CheckResult& result);

/// model, title, source, form, dimension, coordinates, states, parameters {name: value}, parameter_expressions,
/// contacts [{name, gap, restitution, restitution_expression}], switches [{surface, line}], forcing, section, initial,
/// observables, cases, solver, hill, diagnostics.
Json to_json(const CheckResult& result);

}  // namespace saltus
