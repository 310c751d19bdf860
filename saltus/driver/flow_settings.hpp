#pragma once

#include <string>

#include "saltus/driver/request.hpp"
#include "saltus/flow/event.hpp"
#include "saltus/flow/flow_options.hpp"

namespace saltus {

/// How motions are computed: what the command asks for, else what the model's [solver] does, else the defaults. Throws
/// Error(usage) if a number is out of range or the method is not known, ModelError with the first offending expression if
/// `exact` is asked for a model that is not piecewise linear.
FlowOptions flow_options(const PreparedModel& prepared, const RunOptions& asked, const std::string& method);

/// The method that motions of this model are computed with: "exact" or "rk".
std::string method_name(const PreparedModel& prepared, const FlowOptions& options);

/// A time in whole forcing periods and a phase; without forcing (period 0) all of it is the phase.
Time time_at(double t, double period);

}  // namespace saltus
