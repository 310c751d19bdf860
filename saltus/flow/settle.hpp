#pragma once

#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "saltus/flow/accumulation.hpp"
#include "saltus/flow/event.hpp"
#include "saltus/flow/flow_options.hpp"
#include "saltus/flow/guard.hpp"
#include "saltus/flow/saltation.hpp"

namespace saltus {

/// A point of a motion: time, state, mode, and the tangent if it is carried (else 0 columns).
struct FlowPoint {
  Time t;
  Vector x;
  Mode mode;
  Matrix tangent;
  double natural_step = 0.0;         // what the smooth motion asks for; 0: not known yet
  std::vector<double> fastest;       // per contact: largest |γ⁻| so far
  SwitchHistory recent;              // switches met last
  struct Strike {
    double t = -std::numeric_limits<double>::infinity();  // absolute
    double before = -std::numeric_limits<double>::infinity();  // that of the one before
  };
  std::vector<Strike> last_strike = {};  // per contact; empty before the first impact

  /// Contacts were struck at an instant.
  void note_strikes(std::span<const std::size_t> struck, double t) {
    last_strike.resize(mode.contacts().size());
    for (const std::size_t i : struck)
      if (last_strike[i].t != t) last_strike[i] = {t, last_strike[i].t};
  }
};

/// What brought the motion to a halt at an instant.
struct Trigger {
  enum class Kind { begin, gap, force, switched, weight, touch };
  Kind kind;
  std::size_t index = 0;
  bool upper = false;  // weight: w reached 1, not 0
};

/// What the instant at a guard's zero is about.
inline Trigger trigger_of(const Guard& guard) {
  switch (guard.kind) {
    case Guard::Kind::gap: return {Trigger::Kind::gap, guard.index, false};
    case Guard::Kind::force: return {Trigger::Kind::force, guard.index, false};
    case Guard::Kind::switched: return {Trigger::Kind::switched, guard.index, false};
    default: return {Trigger::Kind::weight, guard.index, guard.sign < 0.0};
  }
}

/// Why the motion ends at an instant; nothing: it goes on.
using Settled = std::optional<Stop>;

/// Carries a point over an instant: impacts, start and end of sliding, completed chatter, switches, with the tangent.
class Settler {
 public:
  /// `end` is that of the run: a chatter that lasts longer is not completed before it.
  Settler(const Mechanism& mechanism, const FlowOptions& options, double period, std::optional<Time> end = std::nullopt)
      : mechanism_(mechanism), options_(options), period_(period), end_(end) {}

  const Mechanism& mechanism() const { return mechanism_; }

  /// Changes the point, appends what happened to `events` and the ledger.
  Settled settle(FlowPoint& point, const Trigger& trigger, std::vector<Event>& events, Ledger& ledger) const;

  /// A point of an earlier run that ended on a switching surface, or beyond it by rounding: the sides on which it goes on.
  Settled resume(FlowPoint& point, std::vector<Event>& events, Ledger& ledger) const;

  /// Removes the drift of closed contacts (h = 0, γ = 0) and of Filippov switches (s = 0) from state and tangent.
  void project(FlowPoint& point) const;

 private:
  struct Instant;
  Settled look_at_gaps(Instant& at) const;
  Settled strike(Instant& at) const;
  void note_accumulation(Instant& at, const ContactValue& now, double left) const;
  std::optional<double> rest_of_chatter(const Instant& at, const ContactValue& now, std::size_t i) const;
  void complete_chatter(Instant& at) const;
  void note_energy(Instant& at, const ContactValue& before) const;
  std::vector<std::size_t> resting(const Instant& at) const;
  Settled close_resting(Instant& at) const;
  Settled agree(Instant& at) const;
  Mode freed_by_impacts(const Instant& at, Mode mode) const;
  void record_contacts(Instant& at) const;
  Settled choose_sides(Instant& at) const;
  Settled meet_switch(Instant& at) const;
  bool meet_plainly(Instant& at) const;
  bool strays(Instant& at) const;
  Settled rest_on(Instant& at, std::size_t k) const;
  Settled accumulate(Instant& at) const;
  Settled hold_at(Instant& at, const Accumulation& limit) const;
  void record_sides(Instant& at) const;
  void note_switch(Instant& at) const;
  void carry_through_switches(Instant& at) const;
  void finish(Instant& at) const;
  void project_state(FlowPoint& point) const;
  void project_tangent(FlowPoint& point) const;
  Vector gap_accelerations(double t, const Vector& x, const Mode& mode) const;

  const Mechanism& mechanism_;
  const FlowOptions& options_;
  double period_;
  std::optional<Time> end_;
};

}  // namespace saltus
