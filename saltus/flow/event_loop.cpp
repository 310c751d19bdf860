#include "saltus/flow/event_loop.hpp"

#include "saltus/flow/framed_settling.hpp"

namespace saltus {
namespace {

constexpr int most_events_at_an_instant = 1000;

}  // namespace

LaneUse EventLoop::run() {
  for (fill(); count_taking_part() > 0; fill()) step();
  return use_;
}

void EventLoop::fill() {
  for (std::size_t l = 0; l < width() && has_work_; ++l)
    if (!motion_in(l).active) refill(l);
}

/// The next motion that does not end where it begins.
void EventLoop::refill(std::size_t l) {
  while (true) {
    clear(l);
    Motion& motion = motion_in(l);
    motion.active = work_.next(motion.seat, motion.run);
    has_work_ = has_work_ && motion.active;
    if (!motion.active) return note_kind(l);
    begin(l);
    if (motion_in(l).active) return;
  }
}

/// Puts a run's start into its lane and settles it there, unless it comes from an earlier run that has done so.
void EventLoop::begin(std::size_t l) {
  Motion& motion = motion_in(l);
  motion.open(kernels_);
  const bool known = motion.point.natural_step > 0.0;
  if (!known) {
    // Asked to end before it begins: while its kernels were compiled, say.
    if (const auto stop = motion.poll(options_)) return end(l, *stop);
    motion.point.fastest.assign(layout_.contacts, 0.0);
    motion.point.natural_step = first_step(l);
    settle(l, {Trigger::Kind::begin, 0, false});
    return;
  }
  const Settled settled = settler_of(motion).resume(motion.point, motion.result.events, motion.result.ledger);
  enter(l);
  if (!has_settled(l, settled, 0)) return;
  if (const auto guard = overdue(l)) cross(l, *guard);
}

void EventLoop::arrive_at(std::size_t l, const Arrival& arrival) {
  Motion& motion = motion_in(l);
  if (!arrival.guard) note_gaps(l);
  // Also just before an event: there are motions of which every step ends in one.
  if (const auto stop = motion.poll(options_)) end(l, *stop);
  else if (arrival.guard) meet(l, *arrival.guard);
  else if (arrival.at_end) end(l, Outcome::reached_end);
  else if (const auto gap = overdue(l)) meet(l, *gap);
  if (!motion_in(l).active) refill(l);
}

void EventLoop::meet(std::size_t l, const Guard& guard) {
  Motion& motion = motion_in(l);
  if (++motion.events_here > most_events_at_an_instant) return end(l, Outcome::step_too_small);
  if (guard.kind == Guard::Kind::surface) {
    leave(l);
    if (const auto event = motion.met_with(guard)) return meet(l, *event);
  }
  motion.arrived = guard;
  if (!carry_over(l, guard)) cross(l, guard);
}

void EventLoop::cross(std::size_t l, const Guard& guard) {
  Motion& motion = motion_in(l);
  leave(l);
  if (guard.kind != Guard::Kind::surface) {
    const Motion::Before before =
        motion.run.watches.empty() ? Motion::Before() : Motion::Before{motion.point, motion.kept_watches};
    if (!settle(l, trigger_of(guard))) return;
    if (!motion.run.watches.empty() && motion.cross_besides(before)) return end(l, Outcome::stopped);
  } else {
    const bool last = motion.cross(guard);
    watch_anew(l);
    if (last) return end(l, Outcome::stopped);
    // The surface of an event, on which the motion stands now: rounding may have taken it beyond.
    if (motion.has_set_aside())
      if (const auto event = overdue(l)) return meet(l, *event);
  }
  note_gaps(l);
}

Settler EventLoop::settler_of(const Motion& motion) const {
  return {*motion.mechanism, options_, motion.run.period, motion.run.end};
}

/// Carries the point over an instant: impacts, switches, beginning and end of sliding. False: the run ended.
bool EventLoop::settle(std::size_t l, const Trigger& trigger) {
  Motion& motion = motion_in(l);
  FlowResult& result = motion.result;
  const std::size_t before = result.events.size();
  const Settled settled =
      settle_framed(settler_of(motion), motion.frame, motion.point, trigger, result.events, result.ledger);
  if (!motion.run.watches.empty())
    motion.happened.assign(result.events.begin() + static_cast<std::ptrdiff_t>(before), result.events.end());
  motion.steps_since_event = 0;
  enter(l);
  return has_settled(l, settled, before);
}

/// What an instant left behind. False: the run ended.
bool EventLoop::has_settled(std::size_t l, const Settled& settled, std::size_t events_before) {
  Motion& motion = motion_in(l);
  FlowResult& result = motion.result;
  if (!motion.run.keep_events) result.events.resize(events_before);
  if (!settled && !motion.has_too_many_events(options_)) return true;
  static_cast<Stop&>(result) = settled.value_or(Stop{Outcome::too_many_events});
  end(l, result.outcome);
  return false;
}

void EventLoop::end(std::size_t l, Outcome outcome) {
  Motion& motion = motion_in(l);
  leave(l);
  const std::size_t seat = motion.seat;
  use_.steps += motion.result.ledger.steps;
  work_.done(seat, motion.close(outcome));
}

}  // namespace saltus
