#pragma once

#include "saltus/kernel/layout.hpp"

namespace saltus {

/// nᵢ·M⁻¹nⱼ from what the kernel `contact` wrote for W lanes.
inline double delassus_entry(const Layout& layout, const double* contact, std::size_t width, std::size_t lane,
                             std::size_t i, std::size_t j) {
  const auto at = [&](std::size_t k) { return contact[k * width + lane]; };
  if (layout.has_delassus_matrix()) return at(layout.contact_delassus(i) + j);
  double sum = 0.0;
  for (std::size_t k = 0; k < layout.n; ++k)
    sum += at(layout.contact_normal(i) + k) * at(layout.contact_response(j) + k);
  return sum;
}

}  // namespace saltus
