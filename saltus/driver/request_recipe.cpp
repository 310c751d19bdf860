#include "saltus/driver/request_recipe.hpp"

#include <fmt/format.h>

#include <iterator>

#include "saltus/base/text.hpp"
#include "saltus/driver/flow_settings.hpp"

namespace saltus {

std::string model_words(const Request& request) {
  std::string text = shell_word(request.model);
  const auto out = std::back_inserter(text);
  if (!request.case_name.empty()) fmt::format_to(out, " --case {}", shell_word(request.case_name));
  for (const Assignment& each : request.assignments)
    fmt::format_to(out, " --set {}", shell_word(fmt::format("{}={}", each.name, each.value)));
  return text;
}

std::string motion_words(const MotionRequest& request) {
  std::string text;
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) fmt::format_to(std::back_inserter(text), " {} {}", option, shell_word(value));
  };
  const auto number = [](const std::optional<double>& value) { return value ? shortest(*value) : std::string(); };
  add("--time", number(request.time));
  add("--periods", number(request.periods));
  if (request.transient > 0.0) add("--transient", shortest(request.transient));
  add("--surface", request.surface);
  add("--direction", request.direction);
  add("--modulo", request.modulo);
  add("--method", request.method);
  add("--rtol", number(request.options.rtol));
  add("--atol", number(request.options.atol));
  return text;
}

Recipe recipe_of(const Request& request, const PreparedModel& prepared, const FlowOptions& options,
                 const std::string& command) {
  Recipe recipe{.program = program_name(),
                .command = command,
                .model_file = request.model,
                .model_text = prepared.model->source->text(),
                .case_name = request.case_name,
                .assignments = {},
                .settings = {{"rtol", shortest(options.rtol)},
                             {"atol", shortest(options.atol)},
                             {"impact_law", options.impact_law == ImpactLaw::moreau ? "moreau" : "sequential"},
                             {"method", method_name(prepared, options)}}};
  for (const Assignment& each : request.assignments) recipe.assignments.emplace_back(each.name, each.value);
  return recipe;
}

}  // namespace saltus
