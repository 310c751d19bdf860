#pragma once

#include <string>
#include <vector>

#include "saltus/driver/orbit.hpp"
#include "saltus/report/figure.hpp"
#include "saltus/result/json_text.hpp"
#include "saltus/result/result_file.hpp"

namespace saltus {

std::string to_text(const OrbitResult& result);
/// Newton's steps: residual, damping and sequence of each.
std::string report_text(const OrbitResult& result);

/// x, components, active, period (in time), returns, multipliers [{re, im, abs, trivial, annihilated, resolved}], stable, sequence, residual,
/// condition, symmetry, events, parameters, message; with several starts also orbits [{starts, and the same}]. Without an orbit x is
/// the last point of Newton's iteration, and stable is null.
Json to_json(const OrbitResult& result);

/// One orbit: samples over t, events, multipliers. Several: all of them over the axis orbit.
ResultFile result_file(const OrbitResult& result);

/// The orbit in the plane of two quantities with its events, and its multipliers in the unit circle. `names`: two components or
/// observables; none: the first coordinate and its velocity.
Figure figure(const OrbitResult& result, const std::vector<std::string>& names);

/// Throws Error(usage) if `names` are not two quantities of the model, or none: before anything is computed.
void require_plane(const Model& model, const std::vector<std::string>& names);

}  // namespace saltus
