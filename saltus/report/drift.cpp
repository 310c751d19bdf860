#include "saltus/report/drift.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/base/text.hpp"

namespace saltus {

Json drift_json(const Model& model, const Drift& drift) {
  const std::vector<std::string> names = model.component_names();
  Json json = Json::object();
  for (const auto& [component, gain] : drift) json[names[component]] = json_number(gain);
  return json;
}

std::string drift_text(const Model& model, const Drift& drift) {
  const std::vector<std::string> names = model.component_names();
  std::vector<std::string> parts;
  for (const auto& [component, gain] : drift)
    if (std::abs(gain) > drift_resolved)
      parts.push_back(fmt::format("{} gains {}", names[component], six_digits(gain)));
  return parts.empty() ? "" : fmt::format("{} per period", fmt::join(parts, ", "));
}

}  // namespace saltus
