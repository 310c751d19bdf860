#include "saltus/analysis/state_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "saltus/flow/exact_flow.hpp"
#include "saltus/flow/index.hpp"

namespace saltus {
namespace {

constexpr double whole_angle = 2.0 * std::numbers::pi;
constexpr double part_of_the_way = 1e-3;
constexpr double steps_of_error = 10.0;      // what many steps add up to, in errors of one
constexpr double error_of_closed_form = 1e-12;  // relative

}  // namespace

void StateRange::include(const Vector& x) {
  lowest = lowest.size() == 0 ? x : lowest.cwiseMin(x);
  highest = highest.size() == 0 ? x : highest.cwiseMax(x);
}

void StateRange::include(const FlowResult& result) {
  if (result.lowest.size() > 0) {
    include(result.lowest);
    include(result.highest);
  }
  include(result.end.x);
}

void StateRange::include(const StateRange& other) {
  if (other.lowest.size() == 0) return;
  include(other.lowest);
  include(other.highest);
}

Vector StateRange::widths() const { return highest - lowest; }

StateSizes StateSizes::joined(const StateSizes& other) const {
  if (size.size() == 0) return other;
  if (other.size.size() == 0) return *this;
  return {size.cwiseMax(other.size), unresolved.cwiseMax(other.unresolved)};
}

StateSizes state_sizes(const Kernels& kernels, const FlowOptions& options, const std::vector<bool>& angles,
                       const StateRange& motion, const StateRange& way, const FlowPoint& at) {
  Vector widths = way.widths();
  const Index n = index(kernels.layout().n);
  for (Index i = 0; i < n && static_cast<std::size_t>(i) < angles.size(); ++i) {
    if (!angles[static_cast<std::size_t>(i)] || widths[i] >= whole_angle) continue;
    if (widths[i] > 0.0) widths[n + i] *= whole_angle / widths[i];
    widths[i] = whole_angle;
  }
  StateSizes sizes{part_of_the_way * widths, Vector::Zero(at.x.size()), widths};
  if (motion.lowest.size() > 0) sizes.size = sizes.size.cwiseMax(motion.widths());
  const bool exact = flows_exactly(kernels, options);
  const double relative = exact ? error_of_closed_form : steps_of_error * options.rtol;
  const double absolute = exact ? 0.0 : steps_of_error * options.atol;
  sizes.unresolved = (relative * at.x.cwiseAbs()).array() + absolute;
  // A coordinate known to ε has a speed known to ε per time in which the motion goes about.
  if (exact && at.natural_step > 0.0)
    sizes.unresolved.segment(n, n) =
        sizes.unresolved.segment(n, n).cwiseMax(sizes.unresolved.head(n) / at.natural_step);
  return sizes;
}

}  // namespace saltus
