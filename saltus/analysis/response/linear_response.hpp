#pragma once

#include <functional>

#include "saltus/flow/mechanism.hpp"

namespace saltus {

/// The mode of a state off its switches with all contacts open.
Mode open_mode(const Mechanism& mechanism, double t, const Vector& x);

/// q as a function of the part of a forcing period, 0 … 1, for the periodic solution of
///     ẋ = A x + F(0, t),    A = ∂F/∂x far from all switches:
/// of springs with clearances, the response as if there were none (Kranjčević et al.: "response of the linear system"). A start for Newton's
/// iteration, whatever the model. A direction in which A is singular gets no mean.
std::function<Vector(double)> linear_response(const Kernels& kernels, const std::vector<double>& parameters,
                                              double period);

}  // namespace saltus
