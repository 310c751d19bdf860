#pragma once

#include <optional>
#include <span>
#include <vector>

#include "saltus/analysis/motions/lyapunov.hpp"
#include "saltus/analysis/motions/translations.hpp"

namespace saltus {

/// What tells one attractor from another, in a fixed number of numbers: kind and period of the motion, impacts per time, and the
/// means of what Translations::invariants takes from the section points, two numbers per component, with their errors. Means do not
/// depend on which point of an orbit comes first. An equilibrium is its state.
struct Signature {
  bool followed = false;  // to the end
  MotionKind kind = MotionKind::undecided;
  std::size_t period = 0;
  double impacts_per_unit_time = 0.0;
  double sliding_fraction = 0.0;
  std::vector<double> means;  // two per component of x
  std::vector<double> errors;  // of the means; 0 for periodic motions
  std::vector<double> sizes;  // of the components, on the motion: one per component of x
  std::vector<double> unresolved;  // differences of them that are none

  static std::size_t size(std::size_t dimension) { return 5 + 6 * dimension; }
  void write(std::span<double> numbers) const;
  static Signature read(std::span<const double> numbers);
};

Signature signature_of(const LyapunovSpectrum& motion, const Translations& translations);

/// Same kind, same period, means that agree within 10⁻⁴ of the range of their component (periodic, equilibrium) or within six
/// standard errors (others), impacts per time within a fifth.
bool same_attractor(const Signature& a, const Signature& b);

/// Neither an equilibrium nor periodic: told from others by statistics only.
bool is_irregular(const Signature& signature);

/// Attractors in the order in which they were met. Deterministic: the label of a motion is that of the first attractor it agrees
/// with, whatever came later.
class AttractorList {
 public:
  /// The number of the attractor, a new one if it is met for the first time; nothing for motions that were not followed, and when
  /// there are `most` attractors already.
  std::optional<std::size_t> label(const Signature& signature, std::size_t point);
  std::optional<std::size_t> find(const Signature& signature) const;

  struct Entry {
    Signature signature;
    std::size_t first_point;
    std::size_t count = 0;
  };
  const std::vector<Entry>& entries() const { return entries_; }
  static constexpr std::size_t most = 256;

 private:
  std::vector<Entry> entries_;
};

}  // namespace saltus
