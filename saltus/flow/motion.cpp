#include "saltus/flow/motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/flow/coinciding_sections.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {

void Motion::open(const Kernels& kernels) {
  point = run.start;
  if (run.follower) run.follower->begin();
  mechanism = std::make_unique<Mechanism>(kernels, run.parameters);
  if (run.keep_frame) frame = TangentFrame(kernels.layout().state_columns, run.frame_scale);
  const std::size_t contacts = kernels.layout().contacts;
  const double infinity = std::numeric_limits<double>::infinity();
  result.ledger.closest_miss.assign(contacts, infinity);
  result.ledger.closest_miss_bound.assign(contacts, infinity);
  result.ledger.smallest_gamma.assign(contacts, infinity);
  result.ledger.sliding_time.assign(contacts, 0.0);
}

void Motion::note_sliding(double h) {
  result.ledger.held_time += h;
  for (std::size_t i = 0; i < point.mode.contacts().size(); ++i)
    if (point.mode.is_closed(i)) result.ledger.sliding_time[i] += h;
}

void Motion::note_miss(const Miss& miss, const Vector& x) {
  double& closest = result.ledger.closest_miss[miss.contact];
  closest = std::min(closest, miss.h);
  note_lowest(miss.contact, miss.h);
  if (miss.h > miss.near) return;
  ++result.ledger.grazings;
  result.events.push_back(
      {EventKind::grazing, point.t.absolute(run.period) + miss.tau, miss.contact, miss.rate, miss.rate, 0.0, x, x});
}

void Motion::note_gap(double h) {
  result.ledger.worst_penetration = std::max(result.ledger.worst_penetration, -h);
  note_depth(-h);
}

void Motion::note_depth(double depth) {
  result.ledger.penetration_bound = std::max(result.ledger.penetration_bound, depth);
}

void Motion::note_lowest(std::size_t contact, double h) {
  double& lowest = result.ledger.closest_miss_bound[contact];
  lowest = std::min(lowest, h);
}

long Motion::move_on(double tau, double beyond, bool to_the_end) {
  const long cycles = point.t.cycles;
  const double phase = point.t.phase;
  if (to_the_end) {
    point.t = run.end;
  } else {
    point.t.advance(tau);
    if (beyond != 0.0) point.t.advance(beyond);
    if (run.period > 0.0 && point.t.phase >= run.period) {
      point.t.phase -= run.period;
      ++point.t.cycles;
    }
  }
  ++result.ledger.steps;
  ++steps_since_event;
  arrived.reset();
  if (point.t.phase != phase || point.t.cycles != cycles) events_here = 0;
  return point.t.cycles - cycles;
}

void Motion::look_at_watches() {
  const InstantSide here{point.x, point.mode, point.natural_step};
  kept_watches = saltus::kept_watches(*mechanism, run.watches, point.t.phase, here);
  kept_functions = saltus::kept_functions(*mechanism, point.t.phase, here);
  for (std::size_t w = 0; w < kept_watches.size(); ++w)
    if (!kept_watches[w] && event_of(*mechanism, run.watches[w], point.t.phase, here).is_one)
      kept_watches[w] = set_aside;
}

std::optional<Guard> Motion::met_with(const Guard& surface) const {
  return event_of(*mechanism, run.watches[surface.watch], point.t.phase, {point.x, point.mode, point.natural_step}).met;
}

void Motion::watch_again() {
  for (std::size_t w = 0; w < kept_watches.size(); ++w)
    if (kept_watches[w] == set_aside &&
        !event_of(*mechanism, run.watches[w], point.t.phase, {point.x, point.mode, point.natural_step}).is_one)
      kept_watches[w] = watched;
}

double Motion::longest_unwatched() const {
  constexpr double short_way = 0.02;  // of the pace; over all of it a surface is left by a thousandth of its change
  constexpr long steps = 50;  // one that is not left by then is followed closely, and its other zeros are far
  constexpr double part = 0.1;  // of a modulus
  double longest = std::numeric_limits<double>::infinity();
  if (!has_set_aside()) return longest;
  if (steps_since_event < steps) longest = short_way * point.natural_step;
  const Vector F = mechanism->field(point.t.phase, point.x, point.mode).rate;
  const Vector rates = mechanism->events(point.t.phase, point.x, F, point.mode).rate;
  const Layout& layout = mechanism->layout();
  for (std::size_t w = 0; w < kept_watches.size(); ++w) {
    const Watch& watch = run.watches[w];
    if (kept_watches[w] != set_aside || watch.modulo <= 0.0) continue;
    const double rate = std::abs(rates[index(layout.contacts + layout.switches + watch.surface)]);
    if (rate > 0.0) longest = std::min(longest, part * watch.modulo / rate);
  }
  return longest;
}

bool Motion::cross(const Guard& surface) {
  const double t = point.t.absolute(run.period);
  const InstantSide here{point.x, point.mode, point.natural_step};
  if (event_of(*mechanism, run.watches[surface.watch], point.t.phase, here).is_one) {
    kept_watches[surface.watch] = set_aside;
  } else if (run.watches[surface.watch].direction != (surface.sign < 0.0 ? Crossing::down : Crossing::up) &&
             !is_known_section(result.events, t, surface.watch, -surface.sign)) {
    result.events.push_back({EventKind::section, t, surface.watch, -surface.sign, 0.0, 0.0, point.x, point.x});
    ++crossings;
  }
  return run.stop_after > 0 && crossings >= run.stop_after;
}

bool Motion::cross_besides(const Before& before) {
  const auto found = coinciding_sections(*mechanism, run.watches,
                                         {point.t,
                                          run.period,
                                          {before.point.x, before.point.mode, before.point.natural_step},
                                          {point.x, point.mode, point.natural_step},
                                          before.kept_watches,
                                          happened,
                                          result.events});
  result.events.insert(result.events.end(), found.begin(), found.end());
  crossings += static_cast<long>(found.size());
  return !found.empty() && run.stop_after > 0 && crossings >= run.stop_after;
}

bool Motion::has_too_many_events(const FlowOptions& options) const {
  return result.ledger.impacts + result.ledger.switches + result.ledger.slides > options.most_events;
}

std::optional<Outcome> Motion::poll(const FlowOptions& options) {
  if (result.ledger.steps % steps_between_polls != 0) return std::nullopt;
  if (run.progress) run.progress(point.t);
  if (run.interrupted && run.interrupted()) return Outcome::stopped;
  if (options.interrupted && options.interrupted()) return Outcome::stopped;
  if (result.ledger.steps > options.most_steps) {
    result.details = StepLimit{options.most_steps};
    return Outcome::step_too_small;
  }
  const auto too_far = pace.endless(result.ledger.steps, point.t, run);
  if (!too_far) return std::nullopt;
  result.details = *too_far;
  return Outcome::step_too_small;
}

FlowResult Motion::close(Outcome outcome) {
  if (run.measure_energy && outcome != Outcome::left_domain) {
    const auto kinetic = [&](const FlowPoint& at) { return mechanism->energy(at.t.phase, at.x, at.mode).first; };
    result.ledger.energy_change = kinetic(point) - kinetic(run.start);
  }
  // A completed chatter is known before it ends: what happens meanwhile stands behind it, and before it in time.
  std::stable_sort(result.events.begin(), result.events.end(),
                   [](const Event& a, const Event& b) { return a.t < b.t; });
  result.growth = frame.growth();
  result.end = std::move(point);
  result.outcome = outcome;
  active = false;
  return std::move(result);
}

}  // namespace saltus
