#pragma once

#include "saltus/kernel/motion_equations.hpp"

namespace saltus {

/// ẋ of a motion, δv̇ and δż of all columns: docs/theory.md, "Tangent".
ExprVector with_tangent(const ModelTerms& terms, const MotionEquations& equations,
                        const MotionEquations::Motion& motion);

}  // namespace saltus
