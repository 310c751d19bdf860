#pragma once

#include <vector>

#include "saltus/kernel/program.hpp"

namespace saltus {

/// For each output: can it have features that are narrow beside the way on which they are nothing? A polynomial of inputs and of their sines
/// and cosines cannot, up to degree 8: it has as few turns as it has factors. Nor can a root of one, which counts as three factors more: if it
/// is the same at all places that are looked at, so is what is below it. Everything else can: exp, tanh, quotients, high powers.
std::vector<bool> may_have_narrow_features(const Program& program);

}  // namespace saltus
