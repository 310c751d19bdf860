#pragma once

#include <functional>
#include <optional>
#include <string>

namespace saltus {

/// What `work` returns, computed in a copy of this process that may crash, loop or ask for too much memory without harm: it has
/// 20 seconds of processor time and 4 GB beyond what is used now. Nothing if it did not come to an end. Throws Error(file) if no
/// process can be started.
std::optional<std::string> from_guarded_process(const std::function<std::string()>& work);

}  // namespace saltus
