#pragma once

#include <span>

#include "saltus/analysis/motions/translations.hpp"
#include "saltus/flow/flow_run.hpp"

namespace saltus {

/// Between which values each component of a state ranges.
struct StateRange {
  Vector lowest, highest;  // empty: nothing seen yet

  void include(const Vector& x);
  /// What a run measured (FlowRun::measure_range), and its end.
  void include(const FlowResult& result);
  void include(const StateRange& other);
  /// highest − lowest.
  Vector widths() const;
};

/// In what each component of a state is measured: its own range on the motion, so that neither units nor neighbours of another size
/// count.
struct StateSizes {
  Vector size;  // of each component
  Vector unresolved;  // differences that the computation does not tell from zero
  Vector way = {};  // ranges since the start; of an angle at least a turn, of its speed accordingly

  /// The larger of both, component by component.
  StateSizes joined(const StateSizes& other) const;
  /// Components that drift, or turn together with others, range further and further: they are measured by what they do from
  /// one point of a section to the next, and by what is left of them without the translation.
  void allow_drift(const Translations& translations, std::span<const Vector> points);
};

/// Sizes on a motion that was reached on a way: a component that has died out, and does nothing but round, is measured by a
/// thousandth of its range on the way, an angle by a thousandth of a turn: it has a unit of its own. `at`: a point of the motion.
StateSizes state_sizes(const Kernels& kernels, const FlowOptions& options, const Translations& translations,
                       const StateRange& motion, const StateRange& way, const FlowPoint& at);

/// Does the state of an autonomous motion not move from one step to the next, but by a millionth of its way or what is not resolved?
bool rests(const Mechanism& mechanism, const FlowPoint& at, const StateSizes& sizes);

/// Of each gap: what it changes with components of these sizes, Σ |∂h/∂xⱼ| sⱼ. A gap has a unit, too.
Vector gap_sizes(const Mechanism& mechanism, double t, const Vector& x, const Vector& sizes);

/// Does x lie inside an obstacle by more than this share of the gap's size?
bool is_penetrating(const Mechanism& mechanism, double t, const Vector& x, const Vector& sizes, double share = 1e-9);

}  // namespace saltus
