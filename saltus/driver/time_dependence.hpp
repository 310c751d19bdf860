#pragma once

#include <optional>

#include "saltus/driver/request.hpp"

namespace saltus {

/// Does anything that moves the model depend on t?
bool depends_on_time(const Model& model);

/// What is doubtful about the model's use of t: it has no [forcing], or does not repeat after the period given there.
std::optional<Diagnostic> doubtful_time(const PreparedModel& prepared);

/// Periodic motions exist only where the model repeats. Throws ModelError otherwise.
void require_repeating(const PreparedModel& prepared);

}  // namespace saltus
