#pragma once

#include <string>

#include "saltus/driver/equations.hpp"
#include "saltus/result/json_text.hpp"

namespace saltus {

/// M, f, the rates of first-order states, gaps, restitutions and switching surfaces: one entry a line, or an align*
/// environment of amsmath.
std::string to_text(const EquationsResult& result);

/// mass (rows of texts), force, gaps [{contact, gap, rate, restitution}], rates, switches, parameters, hill, diagnostics.
Json to_json(const EquationsResult& result);

}  // namespace saltus
