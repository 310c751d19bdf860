#pragma once

#include <string>

#include "saltus/base/text.hpp"
#include "saltus/driver/request_options.hpp"
#include "saltus/flow/flow_options.hpp"
#include "saltus/result/recipe.hpp"

namespace saltus {

/// What it takes to compute a result again, apart from its command line: the model and the settings in force.
Recipe recipe_of(const Request& request, const PreparedModel& prepared, const FlowOptions& options);

/// The same with the command line.
template <class AnyRequest>
Recipe recipe_of(const std::string& command, const AnyRequest& request, const PreparedModel& prepared,
                 const FlowOptions& options) {
  Recipe recipe = recipe_of(request, prepared, options);
  recipe.command = command_of(command, request);
  return recipe;
}

/// The same of one motion, with its length and where it is looked at.
template <class AnyRequest>
Recipe motion_recipe(const std::string& command, const AnyRequest& request, const PreparedModel& prepared,
                     const FlowOptions& options, const std::string& section) {
  Recipe recipe = recipe_of(command, request, prepared, options);
  recipe.settings.emplace_back("transient", shortest(request.transient));
  if (request.time) recipe.settings.emplace_back("time", shortest(*request.time));
  if (request.periods) recipe.settings.emplace_back("periods", shortest(*request.periods));
  recipe.settings.emplace_back("section", section.empty() ? "none" : section);
  return recipe;
}

/// The same of a sweep, whose motions carry a tangent.
template <class AnyRequest>
Recipe sweep_recipe(const std::string& command, const AnyRequest& request, const PreparedModel& prepared,
                    const FlowOptions& options) {
  Recipe recipe = recipe_of(command, request, prepared, options);
  recipe.settings.insert(recipe.settings.begin() + 2, {"tangent_rtol", shortest(options.tangent_rtol)});
  return recipe;
}

}  // namespace saltus
