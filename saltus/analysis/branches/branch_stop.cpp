#include "saltus/analysis/branches/branch_stop.hpp"

#include <fmt/format.h>

#include <map>

namespace saltus {

std::string in_words(const BranchStop& stop) {
  return stop.number > 1 ? numbered_label(stop.kind, static_cast<int>(stop.number)) : std::string(label_of(stop.kind));
}

std::optional<MetStop> met_stop(const std::vector<BranchPoint>& points, const std::vector<BranchStop>& stops) {
  std::map<SpecialKind, std::size_t> count;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::size_t number = ++count[points[i].special];
    for (const BranchStop& stop : stops)
      if (stop.kind == points[i].special && stop.number == number) return MetStop{i, stop};
  }
  return std::nullopt;
}

}  // namespace saltus
