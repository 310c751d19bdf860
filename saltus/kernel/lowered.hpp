#pragma once

#include <vector>

#include "saltus/kernel/codegen.hpp"
#include "saltus/kernel/equations.hpp"

namespace saltus {

/// What of a model may be compiled at most, all its programs together.
inline constexpr std::size_t most_instructions = 1'000'000;

/// The programs of a model, as they are compiled. Throws Error(model) if they have more than `most` instructions.
std::vector<NamedProgram> lowered(const Equations& equations, std::size_t most = most_instructions);

}  // namespace saltus
