#include "saltus/kernel/field_discs.hpp"

#include <algorithm>

#include "saltus/kernel/disc_bounds.hpp"
#include "saltus/kernel/inputs.hpp"
#include "saltus/kernel/narrow_features.hpp"

namespace saltus {

FieldDiscs field_discs_of(const Equations& equations) {
  const Layout& layout = equations.layout;
  const std::size_t n = layout.n;
  const std::size_t rows = n + layout.first_order;
  Graph& graph = *equations.graph;
  const auto x_dot = [&](std::size_t i) {
    return graph.symbol(input_name({Slot::tangent, static_cast<std::uint32_t>(i)}));
  };
  std::vector<ExprVector> all;
  for (std::size_t j = 0; j < rows; ++j) {
    Expr residual = j < n ? -equations.force[j] : x_dot(n + j) - equations.rates[j - n];
    for (std::size_t k = 0; j < n && k < n; ++k) residual = residual + equations.mass[j * n + k] * x_dot(n + k);
    ExprVector row = {residual, j < n ? equations.mass[j * n + j] : graph.constant(1.0)};
    for (std::size_t s = 0; s < layout.switches; ++s) row.push_back(equations.pushes[(layout.contacts + s) * rows + j]);
    all.push_back(row);
  }
  FieldDiscs discs;
  discs.switches = layout.switches;
  ExprVector chosen;
  for (std::size_t j = 0; j < rows; ++j) {
    const std::vector<bool> narrow = may_have_narrow_features(lower(all[j], input_of));
    if (std::find(narrow.begin(), narrow.end(), true) == narrow.end()) continue;
    discs.rows.push_back(j);
    chosen.insert(chosen.end(), all[j].begin(), all[j].end());
  }
  if (!chosen.empty()) discs.program = disc_bounds_of(lower(chosen, input_of));
  return discs;
}

}  // namespace saltus
