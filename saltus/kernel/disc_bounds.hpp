#pragma once

#include <span>
#include <vector>

#include "saltus/kernel/program.hpp"

namespace saltus {

/// A program that bounds `program` where its inputs are complex: input i of time, state and tangent becomes two, its real middle at 2i
/// and a radius at 2i + 1, and may be any complex number of this disc; parameters and modes stay what they are. Each output becomes
/// three: middle c, radius r and a flag a. All values lie in |z − c| ≤ r if a = 1, and the output is then an analytic function there;
/// if a = 0, those at real inputs do, and nothing is said of others. r infinite or anything not a number: nothing is known.
///
/// By Cauchy's estimate this is what tells how fine a function can be: along a curve x(s) that is a polynomial, with boxes of it over
/// |s| ≤ ρ, all that an output has beside a polynomial of degree k − 1 in s is, for real |s| ≤ 1, no larger than r ρ^(−k) / (1 − 1/ρ).
/// Rounding is not included: these are bounds of what may have been overlooked, far above it.
Program disc_bounds_of(const Program& program);

}  // namespace saltus
