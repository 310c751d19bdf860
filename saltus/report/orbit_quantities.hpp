#pragma once

#include <string>
#include <vector>

#include "saltus/report/orbit.hpp"

namespace saltus {

/// Components, then observables.
std::vector<std::string> quantity_names(const Model& model);
/// Their values at a phase of the forcing and a state.
std::vector<double> quantities(const OrbitResult& result, double phase, const Vector& x);
/// The orbit's time as the model's: within a forcing period.
double phase_of(const OrbitResult& result, double t);

}  // namespace saltus
