#include "saltus/analysis/motions/state_sizes.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/flow/exact_flow.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

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

void StateSizes::allow_drift(const Translations& translations, std::span<const Vector> points) {
  if (points.size() < 2) return;
  for (Index i = 0; i < size.size(); ++i) {
    if (!translations.is_carried(i)) continue;
    double widest = 0.0;
    for (const Vector& point : points)
      widest = std::max(widest, std::abs(translations.remainder(point - points.back())[i]));
    size[i] = std::max(widest, size[i] / static_cast<double>(points.size() - 1));
  }
}

StateSizes state_sizes(const Kernels& kernels, const FlowOptions& options, const Translations& translations,
                       const StateRange& motion, const StateRange& way, const FlowPoint& at) {
  Vector widths = way.widths();
  const Index n = index(kernels.layout().n);
  for (Index i = 0; i < n; ++i) {
    const double period = translations.period(i);
    if (period <= 0.0 || widths[i] >= period) continue;
    if (widths[i] > 0.0) widths[n + i] *= period / widths[i];
    widths[i] = period;
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

bool rests(const Mechanism& mechanism, const FlowPoint& at, const StateSizes& sizes) {
  constexpr double part = 1e-6;
  const Vector moved = at.natural_step * mechanism.field(at.t.phase, at.x, at.mode).rate.cwiseAbs();
  return (moved.array() <= (part * sizes.way).cwiseMax(sizes.unresolved).array()).all();
}

Vector gap_sizes(const Mechanism& mechanism, double t, const Vector& x, const Vector& sizes) {
  const Index contacts = index(mechanism.layout().contacts);
  return mechanism.jets(t, x).topLeftCorner(contacts, x.size()).cwiseAbs() * sizes;
}

bool is_penetrating(const Mechanism& mechanism, double t, const Vector& x, const Vector& sizes, double share) {
  if (mechanism.layout().contacts == 0) return false;
  const Vector h = mechanism.contact(t, x, Mode(mechanism.layout())).h;
  return (h + share * gap_sizes(mechanism, t, x, sizes)).minCoeff() < 0.0;
}

}  // namespace saltus
