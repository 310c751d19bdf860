#pragma once

#include "saltus/kernel/layout.hpp"

namespace saltus {

/// Of so many contacts the kernel `contact` writes the Delassus matrix too. Of more it would be most of what is compiled, and whoever needs an
/// entry takes the product of normal and response.
inline constexpr std::size_t most_in_delassus_matrix = 24;

inline bool has_delassus_matrix(const Layout& layout) { return layout.contacts <= most_in_delassus_matrix; }

/// How many numbers the kernel `contact` writes.
inline std::size_t contact_outputs(const Layout& layout) {
  const std::size_t m = layout.contacts;
  return 4 * m + 2 * m * layout.n + (has_delassus_matrix(layout) ? m * m : 0);
}

/// nᵢ·M⁻¹nⱼ from what it wrote for W lanes.
inline double delassus_entry(const Layout& layout, const double* contact, std::size_t width, std::size_t lane,
                             std::size_t i, std::size_t j) {
  const std::size_t m = layout.contacts;
  const std::size_t n = layout.n;
  const auto at = [&](std::size_t k) { return contact[k * width + lane]; };
  if (has_delassus_matrix(layout)) return at(4 * m + 2 * m * n + i * m + j);
  double sum = 0.0;
  for (std::size_t k = 0; k < n; ++k) sum += at(4 * m + i * n + k) * at(4 * m + m * n + j * n + k);
  return sum;
}

}  // namespace saltus
