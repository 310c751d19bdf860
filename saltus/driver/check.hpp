#pragma once

#include <string>
#include <vector>

#include "saltus/driver/request.hpp"

namespace saltus {

/// `saltus check`: is the model right, and what is it?
struct CheckRequest : Request {};

struct CheckResult {
  PreparedModel prepared;
  const std::vector<Diagnostic>& warnings() const { return prepared.warnings; }
};

CheckResult run(const CheckRequest& request);

}  // namespace saltus
