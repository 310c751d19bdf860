#pragma once

#include <variant>

#include "saltus/flow/held_bounds.hpp"
#include "saltus/flow/motion.hpp"
#include "saltus/flow/step_control.hpp"

namespace saltus {

// What a lane is about to do, or has just done. Trial steps lead from one phase to the next:
//
//   Free ──a gap's flight is short──▶ Aimed ──a little more would end it──▶ Aimed (once)
//    │                                 │
//    ├─────────────◀──rejected, or undecided: a shorter trial──◀── any of them
//    │                                 │
//    ├──nothing inside──▶ Free         ├──nothing inside──▶ Free              taken
//    ├──ends on a zero──▶ Standing     ├──ends on a zero──▶ Standing          taken
//    └──something inside──▶ Landing ◀──┘
//                            ├──on the zero──▶ Standing                       taken
//                            ├──on a minimum that stays open──▶ Passing       taken, then Free
//                            └──no zero there──▶ Free
//   Standing ──a plain impact──▶ Striking ──▶ Free        Standing ──anything else──▶ Free

/// A trial of the natural length.
struct Free {
  bool to_end = false;  // it reaches the end of the run
};

/// A trial as long as the parabola of an open gap says that its flight lasts.
struct Aimed {
  std::size_t contact;
  double length;
  bool corrected = false;  // by what a first trial showed
};

/// True steps from the start of the step towards a guard, until one ends on it.
struct Landing {
  Guard guard;
  bool on_minimum;  // first to the minimum of the guard, to see on which side of zero it lies
  StepRoot root;
  std::size_t turns = 0;  // from guards on which a step has ended to others that were passed on the way there
};

/// The trial ends at the minimum of a gap that stays open.
struct Passing {};

/// The trial ends on a guard's zero, or `beyond` before it: so far a short step beside it has still to lead.
struct Standing {
  Guard guard;
  double beyond;
  bool before_root = false;  // of what vanishes at the guard: the way onto it is RootCrossing's
};

/// Stands before an impact that may be a plain one, or `beyond` before its instant.
struct Striking {
  std::size_t contact;
  double beyond;
};

/// A motion in a lane of Runge-Kutta steps: everything but the arrays that it shares with its neighbours. What stands beside the phase
/// goes with each of them.
struct Lane : Motion {
  std::unique_ptr<HeldField> held;  // the field of a mode in which several switches hold the motion
  std::variant<Free, Aimed, Landing, Passing, Standing, Striking> phase;
  double trial = 0.0;  // length of the next natural trial
  StepControl control;
  bool shortened = false;  // a longer one could not be decided
  bool masked = false;  // contacts are closed or switches slid along
  double flown = 0.0;  // since the last event
  /// How far the state is from a surface on which it comes to rest, and how large the terms are whose sum that is.
  struct ToRest {
    double way, terms;
  };
  std::optional<ToRest> to_rest;
  std::optional<HeldBounds::Finding> end_of_hold;  // what bounds say of it over the trial
  bool after_minimum = false;  // the step begins at the minimum of a gap that was looked at
  std::vector<Guard> guards;  // of the mode

  template <class Phase>
  const Phase* in() const {
    return std::get_if<Phase>(&phase);
  }
  template <class Phase>
  Phase* in() {
    return std::get_if<Phase>(&phase);
  }
  bool reaches_end() const { return in<Free>() && in<Free>()->to_end; }
  /// How far the instant that the trial leads to lies behind its end.
  double beyond() const {
    return in<Standing>() ? in<Standing>()->beyond : in<Striking>() ? in<Striking>()->beyond : 0.0;
  }
  /// The short step beside has been made.
  void stand_at_instant() {
    if (in<Standing>()) in<Standing>()->beyond = 0.0;
    if (in<Striking>()) in<Striking>()->beyond = 0.0;
  }

  enum class Kind { free, sliding, striking, idle };
  Kind kind() const {
    if (!active) return Kind::idle;
    return in<Striking>() ? Kind::striking : masked ? Kind::sliding : Kind::free;
  }
};

}  // namespace saltus
