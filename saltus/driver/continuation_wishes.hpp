#pragma once

#include "saltus/driver/continuation.hpp"

namespace saltus {

/// --fix: a quantity that motions keep, the second surface of the kernels. Nothing without it, or for `period`. Throws Error(usage) for what is no expression,
/// and no value.
struct FixedQuantity {
  Expr expr;
  HeldLevel held;
};
std::optional<FixedQuantity> fixed_quantity(const ContinueRequest& request, const PreparedModel& prepared);

/// --at name=value,value,...: where orbits are wanted. The name is one of --vary. Throws Error(usage) for another, for what is no number and for
/// values outside of its range.
std::vector<CurveMark> wanted_marks(const ContinueResult& result);

/// --stop LABEL: a kind (PD), or a kind with a number (PD2). Throws Error(usage) if there is no such kind.
std::vector<BranchStop> wanted_stops(const std::vector<std::string>& labels);

/// Of --at: what the branch does not meet, as name = value.
std::vector<std::string> unmet_wishes(const ContinueResult& result);

}  // namespace saltus
