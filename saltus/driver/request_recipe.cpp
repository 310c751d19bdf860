#include "saltus/driver/request_recipe.hpp"

#include "saltus/base/text.hpp"
#include "saltus/driver/flow_settings.hpp"

namespace saltus {

Recipe recipe_of(const Request& request, const PreparedModel& prepared, const FlowOptions& options) {
  Recipe recipe{.program = program_name(),
                .command = {},
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
