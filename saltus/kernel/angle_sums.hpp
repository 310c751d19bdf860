#pragma once

#include <vector>

#include "saltus/kernel/graph_algebra.hpp"

namespace saltus {

/// The same functions with fewer sines: sin(a ± b) and cos(a ± b) by the addition theorems wherever that lets several
/// arguments share the sines of their parts. A pair of sine and cosine costs forty instructions, a theorem four.
///
/// What is worth it is decided by `motion` alone and then done in all `roots`, so that a value which occurs in several
/// of them is computed in the same way everywhere. All are expressions of one graph.
void share_sines(const ExprVector& motion, const std::vector<ExprVector*>& roots);

}  // namespace saltus
