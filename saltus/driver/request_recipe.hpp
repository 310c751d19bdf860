#pragma once

#include <string>

#include "saltus/driver/motion_request.hpp"
#include "saltus/flow/flow_options.hpp"
#include "saltus/result/recipe.hpp"

namespace saltus {

/// The request as words of a command line: "ball.toml --case fast --set e=0.5".
std::string model_words(const Request& request);

/// Length, transient, section and tolerances, each with a blank before it: " --periods 100 --transient 50".
std::string motion_words(const MotionRequest& request);

/// What it takes to compute a result again: `command` is the whole command line. Settings: tolerances and laws in force.
Recipe recipe_of(const Request& request, const PreparedModel& prepared, const FlowOptions& options,
                 const std::string& command);

}  // namespace saltus
