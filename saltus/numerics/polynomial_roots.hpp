#pragma once

#include <optional>
#include <span>

namespace saltus {

/// The first place in (0, before] at which Σ c_k θ^k passes from positive to negative, to rounding. By Descartes' rule on Bernstein
/// coefficients: a piece without a change of sign has no root, one with a single change has one, all others are halved; so
/// none is lost down to pieces of 1e-12. before ≤ 1.
std::optional<double> first_fall(std::span<const double> coefficients, double before = 1.0);

/// Σ c_k θ^k.
double polynomial_value(std::span<const double> coefficients, double theta);

/// The first minimum inside (0, 1), if the derivative passes from negative to positive there.
std::optional<double> first_minimum(std::span<const double> coefficients);

}  // namespace saltus
