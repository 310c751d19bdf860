#pragma once

#include <algorithm>
#include <memory>
#include <optional>

#include "saltus/flow/coinciding_sections.hpp"
#include "saltus/flow/flow_run.hpp"
#include "saltus/flow/guard.hpp"
#include "saltus/flow/run_length.hpp"
#include "saltus/flow/tangent_frame.hpp"

namespace saltus {

/// One motion under way: what is asked of it, where it is, and the books of what has happened. Every road writes the same ones.
struct Motion {
  std::size_t seat = 0;  // by which the caller knows the motion, whatever lane it is in
  FlowRun run;
  FlowResult result;
  std::unique_ptr<Mechanism> mechanism;
  FlowPoint point;  // x and tangent are up to date only at events and at the end; the road holds them between
  TangentFrame frame;  // of the tangent, if it is kept
  std::optional<Guard> arrived;  // the guard that the point stands on, just handled
  enum Watched : char { watched, kept, set_aside };
  std::vector<char>
      kept_watches;  // surfaces on which the mode itself keeps the motion, or that it just leaves: not watched
  KeptFunctions kept_functions;  // not watched either
  std::vector<Event> happened;  // in the last instant, if surfaces are watched
  std::size_t next_sample = 0;
  long crossings = 0;  // of watched surfaces
  long steps_since_event = 0;
  int events_here = 0;  // since time went on
  Pace pace;
  bool active = false;

  /// Begins the books of `run`, at its start.
  void open(const Kernels& kernels);

  // ---- what a step leaves in them

  /// Samples that are due within h of the point; state_at(τ) gives x there.
  template <class StateAt>
  void take_samples(double h, const StateAt& state_at) {
    for (; next_sample < run.samples.size(); ++next_sample) {
      const Time& wanted = run.samples[next_sample];
      const double ahead = until(wanted, point.t, run.period);
      if (ahead > h) return;
      Sample sample{wanted.absolute(run.period), state_at(ahead), point.mode, {}};
      sample.force = mechanism->field(wanted.phase, sample.x, sample.mode).force;
      result.samples.push_back(std::move(sample));
    }
  }
  void note_sliding(double h);
  /// A gap that came as near as `h`, τ behind the point, and opened again; a grazing if it is no more than `near`.
  struct Miss {
    std::size_t contact;
    double tau;
    double h;
    double rate;
    double near;
  };
  void note_miss(const Miss& miss, const Vector& x);
  /// h of an open contact at the end of a step.
  void note_gap(double h);
  /// Bounds of what an open gap does within a step: it is nowhere below −`depth`; its minima are nowhere below h.
  void note_depth(double depth);
  void note_lowest(std::size_t contact, double h);
  /// A step has been taken: time, counts. Returns how often the forcing's period was completed.
  long move_on(double tau, double beyond, bool to_the_end);

  // ---- instants

  /// Sees which watched surfaces the mode keeps the motion on, and which gaps and switches it keeps at zero.
  void look_at_watches();
  /// Is contact i open, and may its gap close or widen in this mode?
  bool is_gap_watched(std::size_t i) const {
    return !point.mode.is_closed(i) && !kept_functions.has({Guard::Kind::gap, i});
  }
  bool has_set_aside() const {
    return std::find(kept_watches.begin(), kept_watches.end(), set_aside) != kept_watches.end();
  }
  /// Surfaces of events that were left with the event are watched again once the motion is away from them.
  void watch_again();
  /// Until then no step is longer: the surface may have other zeros, those of sin x or the next multiples of a modulus.
  double longest_unwatched() const;
  /// What is met with a watched surface at the point, if that is the surface of a switch or of a contact.
  std::optional<Guard> met_with(const Guard& surface) const;
  /// A crossing of a watched surface at the point, unless it belongs to an event there. True: it is the last one that was asked for.
  bool cross(const Guard& surface);
  /// Where a motion was just before an instant.
  struct Before {
    FlowPoint point;
    std::vector<char> kept_watches;
  };
  /// Crossings of watched surfaces that are part of another event's instant. True: as above.
  bool cross_besides(const Before& before);
  /// More has happened than the options allow.
  bool has_too_many_events(const FlowOptions& options) const;
  static constexpr long steps_between_polls = 64;
  /// Now and then: tells where the motion is, and asks whether it may go on. A reason to stop, or nothing.
  std::optional<Outcome> poll(const FlowOptions& options);
  /// The books are closed; the motion is idle.
  FlowResult close(Outcome outcome);
};

}  // namespace saltus
