#pragma once

#include "saltus/kernel/model_terms.hpp"

namespace saltus {

/// h, s and surfaces, their rates, and ḧ, along a given ẋ (in the place of the first tangent column).
ExprVector event_rates(const ModelTerms& terms);

/// g, ġ = g_x ẋ + g_t and g̈ = ∂ġ/∂x ẋ + ∂ġ/∂t + g_x ẍ of all of them. No field in it: x(t) may be any curve.
ExprVector event_second_rates(const ModelTerms& terms);

/// ∂/∂x, ∂/∂t, ∂/∂p of h, γ, s and surfaces.
ExprVector event_gradients(const ModelTerms& terms);

}  // namespace saltus
