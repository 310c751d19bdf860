#pragma once

#include <functional>
#include <vector>

#include "saltus/analysis/hill/hill_approximation.hpp"
#include "saltus/analysis/hill/hill_stability.hpp"

namespace saltus {

/// What is computed over a grid of nx × ny points, and the parameters at each of them.
struct HillGrid {
  std::size_t nx = 0, ny = 0;
  std::function<std::vector<double>(std::size_t ix, std::size_t iy)> parameters;  // asked from several threads
  long block = 0;  // rows of Hill's determinant (odd); 0: no approximations
};

/// The Ince-Strutt chart of the equation with its stop. Point (ix, iy) stands at iy * nx + ix; what was not reached, or does not
/// exist there, is not a number.
struct HillChart {
  std::size_t nx = 0, ny = 0;
  std::vector<double> discriminant, zeros, m1, impacts_per_period, critical_restitution;
  std::vector<double> growth;  // per period without the stop: |λ₁| e^{−aT/2}
  std::vector<double> averaging, determinant, second_order;  // ε_c of the approximations; empty if not asked for
  std::size_t not_converged = 0;  // points whose steps could not be made short enough
  bool complete = true;  // false: interrupted, rows are missing

  bool is_unstable(std::size_t k) const { return growth[k] > 1.0; }  // without the stop
  /// Unstable without the stop, by a solution that has m₁ zeros in every period. (Negative damping makes others unstable, too.)
  bool is_in_domain(std::size_t k) const { return is_unstable(k) && m1[k] == m1[k]; }
};

/// In lanes and threads; each point is what it is alone, bit for bit. `interrupted` is asked and `progress` told (0 … 1) between
/// rows, never from two threads at once.
HillChart hill_chart(const HillEquation& equation, const HillGrid& grid, unsigned threads = 1,
                     const std::function<bool()>& interrupted = {}, const std::function<void(double)>& progress = {});

/// A place for the number of an instability domain.
struct DomainLabel {
  long m1 = 0;
  std::size_t ix = 0, iy = 0;
};

/// For every m₁ the point of its instability domain that is farthest from the domain's border, in steps of the grid.
std::vector<DomainLabel> domain_labels(const HillChart& chart);

}  // namespace saltus
