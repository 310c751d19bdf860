#include "saltus/analysis/orbits/plan_reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/analysis/motions/recurrence.hpp"
#include "saltus/analysis/motions/return_map.hpp"
#include "saltus/analysis/motions/settled_start.hpp"
#include "saltus/analysis/orbits/struck_together.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

bool is_of_interest(const Event& event) { return event.kind != EventKind::grazing && event.kind != EventKind::section; }

bool is_switch(const Event& event) {
  return event.kind == EventKind::switched || event.kind == EventKind::filippov_start;
}

/// What happened at one instant.
struct Instant {
  double t = 0.0;
  SegmentEnd end;
  Vector x_plus;
  double speed = 0.0;                        // |γ⁻| of an impact
  std::optional<std::size_t> chatter = {};  // behind it the impacts on this contact accumulate ...
  double settled = 0.0;                      // ... until then
  bool together = false;                     // in the instant of the one before, which it does not move
};

/// The events of a motion, those of one instant taken together. Says what cannot be described by a fixed sequence.
struct Instants {
  std::vector<Instant> list;
  std::string problem;
  std::vector<std::size_t> contacts;  // that it is about
};

/// Which limit the weight of a slide along a switch reaches is seen from the side on which the motion goes on.
std::optional<SegmentEnd> end_of(const Event& event) {
  using Kind = SegmentEnd::Kind;
  switch (event.kind) {
    case EventKind::impact: return SegmentEnd{Kind::impact, event.index};
    case EventKind::slide_end: return SegmentEnd{Kind::release, event.index};
    case EventKind::switched:
    case EventKind::filippov_start: return SegmentEnd{Kind::switched, event.index};
    case EventKind::filippov_end: return SegmentEnd{Kind::weight_low, event.index};
    default: return std::nullopt;
  }
}

/// Of the impacts that lead to a chatter, those from which on they only become slower belong to it. The ones before, at least one,
/// stay events of their own: they may graze.
std::string gather_chatter(const Event& chatter, std::vector<Instant>& list) {
  const auto strikes = [&](const Instant& at) {
    return at.end == SegmentEnd{SegmentEnd::Kind::impact, chatter.index} && !at.chatter;
  };
  if (list.empty() || !strikes(list.back())) return "a chatter begins without an impact of its own";
  std::size_t first = list.size() - 1;
  while (first > 0 && strikes(list[first - 1]) && list[first - 1].speed > list[first].speed) --first;
  if (first + 1 == list.size()) return "a chatter ends with its first impact";
  list.resize(first + 1);
  list.back().chatter = chatter.index;
  list.back().settled = chatter.t;
  return "";
}

bool is_of_contact(const Event& event) {
  return event.kind == EventKind::impact || event.kind == EventKind::chatter || event.kind == EventKind::slide_start ||
         event.kind == EventKind::slide_end;
}

/// The contacts of an event and of the instant before it.
std::vector<std::size_t> contacts_at(const Event& event, const std::vector<Instant>& list) {
  std::vector<std::size_t> contacts;
  if (!list.empty() && list.back().end.kind == SegmentEnd::Kind::impact) contacts.push_back(list.back().end.index);
  if (is_of_contact(event) && (contacts.empty() || contacts.front() != event.index)) contacts.push_back(event.index);
  return contacts;
}

/// One more event; what makes it impossible to describe, if anything does.
std::string add_instant(const Event& event, std::vector<Instant>& list) {
  if (event.kind == EventKind::chatter) return gather_chatter(event, list);
  if (event.kind == EventKind::accumulation) return "switches accumulate";
  const Instant* last = list.empty() ? nullptr : &list.back();
  if (last && last->chatter && event.t <= last->settled) {
    const bool own = event.kind == EventKind::slide_start && event.index == *last->chatter;
    return own ? "" : "something else happens while impacts accumulate";
  }
  const bool same = last && (event.t == last->t || (is_switch(event) && last->end.kind == SegmentEnd::Kind::switched &&
                                                    is_same_instant(event.t, last->t)));
  if (same) {
    list.back().x_plus = event.x_plus;
    return "";
  }
  const auto end = end_of(event);
  if (!end) return "sliding begins without an impact";
  list.push_back({event.t, *end, event.x_plus, std::abs(event.gamma_minus)});
  return "";
}

/// The impacts of one instant, from event i on.
std::vector<std::size_t> struck_from(const std::vector<Event>& events, std::size_t i) {
  std::vector<std::size_t> contacts;
  for (; i < events.size() && events[i].kind == EventKind::impact; ++i) {
    if (!contacts.empty() && (events[i].t != events[i - 1].t || events[i].x_minus != events[i - 1].x_minus)) break;
    contacts.push_back(events[i].index);
  }
  return contacts;
}

/// Several contacts struck in one instant.
std::string add_together(const Mechanism& mechanism, ImpactLaw law, const Event& first,
                         const std::vector<std::size_t>& struck, std::vector<Instant>& list) {
  if (!list.empty() && list.back().chatter && first.t <= list.back().settled)
    return "something else happens while impacts accumulate";
  const TogetherReading read = read_together(mechanism, law, first.t, first.x_minus, struck);
  if (!read.problem.empty()) return read.problem;
  const ContactValue before = mechanism.contact(first.t, first.x_minus, Mode(mechanism.layout()));
  for (std::size_t k = 0; k < read.impacts.size(); ++k) {
    const TogetherStruck& each = read.impacts[k];
    list.push_back({first.t, each.end, each.x_plus, std::abs(before.gamma[index(each.end.index)])});
    list.back().together = k > 0;
  }
  return "";
}

Instants instants_of(const Mechanism& mechanism, ImpactLaw law, const FlowResult& motion, double from) {
  Instants found;
  for (std::size_t i = 0; i < motion.events.size(); ++i) {
    const Event& event = motion.events[i];
    if (!is_of_interest(event) || event.t <= from) continue;  // what settles at the start is no event of the orbit
    if (const auto struck = struck_from(motion.events, i); struck.size() > 1) {
      found.problem = add_together(mechanism, law, event, struck, found.list);
      found.contacts = struck;  // the last of them
      if (!found.problem.empty()) return found;
      i += struck.size() - 1;
      continue;
    }
    const std::vector<std::size_t> contacts = contacts_at(event, found.list);
    found.problem = add_instant(event, found.list);
    if (found.problem.empty()) continue;
    found.contacts = contacts;
    return found;
  }
  const auto any = [&](auto has) { return std::any_of(found.list.begin(), found.list.end(), has); };
  if (any([](const Instant& at) { return at.together; }) &&
      any([](const Instant& at) { return at.chatter.has_value(); }))
    found.problem = "contacts are struck together whose impacts accumulate";
  return found;
}

Time time_of(double t, double period) {
  const double cycles = period > 0.0 ? std::floor(t / period) : 0.0;
  return {static_cast<long>(cycles), t - cycles * period};
}

/// Looks at a motion again, between its instants.
std::vector<Sample> samples_at(const Kernels& kernels, const FlowOptions& options, FlowRun run,
                               const std::vector<double>& times) {
  run.samples.clear();
  for (const double t : times) run.samples.push_back(time_of(t, run.period));
  run.keep_events = false;
  return flow(kernels, options, run).samples;
}

/// The middle of the first slide that a chatter leads to: a motion cut there does not begin or end among its impacts.
std::optional<double> inside_slide(const FlowResult& motion, double duration) {
  for (std::size_t i = 0; i < motion.events.size(); ++i) {
    if (motion.events[i].kind != EventKind::chatter) continue;
    const double begin = motion.events[i].t;
    for (std::size_t j = i + 1; j < motion.events.size(); ++j)
      if (is_of_interest(motion.events[j]) && motion.events[j].t > begin) return 0.5 * (begin + motion.events[j].t);
    return 0.5 * (begin + duration);
  }
  return std::nullopt;
}

/// The middle of the longest time without events, if a switch is passed where the motion is cut, or as near to it as nothing: it would be
/// missed, or counted twice. In the very instant it is an event of neither end, and the sides behind the start are not those before the end.
std::optional<double> away_from_strobe(const Kernels& kernels, const FlowOptions& options, const FlowRun& run,
                                       const FlowResult& motion, double duration) {
  if (run.period == 0.0 || kernels.layout().switches == 0) return std::nullopt;
  const double from = run.start.t.absolute(run.period);
  const double end = from + duration;
  const double near = 1e-6 * duration;
  FlowRun longer = run;
  longer.end = time_of(end + near, run.period);
  bool met = false;
  std::vector<double> times = {from};
  for (const Event& event : flow(kernels, options, longer).events) {
    if (!is_of_interest(event)) continue;
    met = met || (is_switch(event) && std::abs(event.t - end) <= near);
    if (event.t > times.back() && event.t < end) times.push_back(event.t);
  }
  times.push_back(end);
  if (!met) {
    const std::vector<Sample> begun = samples_at(kernels, options, run, {0.5 * (times[0] + times[1])});
    if (begun.empty() || begun[0].mode == motion.end.mode) return std::nullopt;
  }
  std::size_t longest = 0;
  for (std::size_t i = 0; i + 1 < times.size(); ++i)
    if (times[i + 1] - times[i] > times[longest + 1] - times[longest]) longest = i;
  return 0.5 * (times[longest] + times[longest + 1]);
}

/// A smooth orbit: one segment from return to return.
PlannedOrbit smooth_orbit(const FlowRun& run, const FlowResult& motion, const SegmentEnd& end, double duration) {
  PlannedOrbit orbit;
  orbit.plan.segments = {{motion.end.mode, end, {}, {}}};
  orbit.x = {run.start.x};
  orbit.tau = {duration};
  return orbit;
}

/// Between impacts i and i + 1 of one instant: those struck so far are as they will be, the others as they were.
Mode mode_among(const std::vector<Instant>& list, std::size_t i, const Mode& before,
                const std::vector<Sample>& between) {
  std::size_t last = i;
  while (last + 1 < list.size() && list[last + 1].together) ++last;
  Mode mode = between[last].mode;
  for (std::size_t k = i + 1; k <= last; ++k) {
    const std::size_t c = list[k].end.index;
    before.is_closed(c) ? mode.close(c) : mode.open(c);
  }
  return mode;
}

/// A motion of one duration from `run.start`, as a guess of an orbit with the events that it meets.
PlanReading orbit_with_events(const Kernels& kernels, const FlowOptions& options, const FlowRun& run,
                              const std::vector<Instant>& list, double duration) {
  const std::size_t m = list.size();
  const double from = run.start.t.absolute(run.period);
  std::vector<double> looks;
  for (std::size_t i = 0; i < m; ++i)
    looks.push_back(0.5 * (std::max(list[i].t, list[i].settled) + (i + 1 < m ? list[i + 1].t : from + duration)));
  const std::vector<Sample> between = samples_at(kernels, options, run, looks);
  if (between.size() != m) return {{}, "the motion cannot be repeated"};
  PlannedOrbit orbit;
  orbit.t = run.period > 0.0 ? list.front().t : 0.0;
  for (std::size_t i = 0; i < m; ++i) {
    const bool last = i + 1 == m;
    const Instant& next = list[last ? 0 : i + 1];
    const Vector no_turns = Vector::Zero(run.start.x.size());
    SegmentEnd end = next.end;
    const bool upwards =
        end.kind == SegmentEnd::Kind::weight_low && between[last ? 0 : i + 1].mode.side(end.index) > 0.0;
    if (upwards) end.kind = SegmentEnd::Kind::weight_high;
    const std::size_t before = (i + m - 1) % m;
    const Mode mode = !last && next.together ? mode_among(list, i, between[before].mode, between) : between[i].mode;
    orbit.plan.segments.push_back({mode, end, no_turns, list[i].chatter, false, !last && next.together});
    orbit.x.push_back(list[i].x_plus);
    orbit.tau.push_back(next.t + (last ? duration : 0.0) - list[i].t);
  }
  return {orbit, ""};
}

PlanReading unread(const FlowResult& motion) {
  return {{}, fmt::format("the motion stops: {}", name_of(motion.outcome))};
}

}  // namespace

PlanReading read_plan(const Kernels& kernels, const FlowOptions& given, const ParameterRates& rates,
                      const std::vector<double>& varied, const Vector& x, long k, const ReturnPlace& place) {
  FlowOptions options = given;
  options.most_events = std::min(options.most_events, 100'000L * k);
  const ParameterPoint p = rates.at(varied);
  if (!p.problem.empty()) return {{}, p.problem};
  const bool forced = p.period > 0.0;
  FlowRun run;
  const auto begin_at = [&](const Time& t, const Vector& there) {
    run.start = start_point(kernels, t, settled_start(kernels, options, p, t, there), LaneStepper::Carries::state);
  };
  begin_at({}, x);
  run.period = p.period;
  run.parameters = p.inputs;
  const bool returns = !forced && !place.duration;
  run.end = forced ? Time{k, 0.0} : Time{0, place.duration.value_or(place.longest * static_cast<double>(k))};
  if (returns) {
    if (!place.section) return {{}, "there is no section to return to"};
    run.watches = {*place.section};
    run.stop_after = k;
  }
  FlowResult motion = flow(kernels, options, run);
  if (returns && begins_on_section(motion, motion.end.natural_step)) {
    run.stop_after = k + 1;
    motion = flow(kernels, options, run);
  }
  if (!returns && motion.outcome != Outcome::reached_end) return unread(motion);
  if (returns && motion.outcome != Outcome::stopped) return {{}, "the section is not met again"};
  const double duration = forced ? static_cast<double>(k) * p.period : motion.end.t.phase;
  run.end = forced ? run.end : Time{0, duration};
  run.stop_after = 0;
  run.watches.clear();
  const auto slide = inside_slide(motion, duration);
  if (const auto cut = slide ? slide : away_from_strobe(kernels, options, run, motion, duration)) {
    const std::vector<Sample> there = samples_at(kernels, options, run, {*cut});
    if (there.empty()) return {{}, "the motion cannot be repeated"};
    begin_at(time_of(*cut, p.period), there[0].x);
    run.end = time_of(*cut + duration, p.period);
    motion = flow(kernels, options, run);
    if (motion.outcome != Outcome::reached_end) return unread(motion);
  }
  const Instants instants =
      instants_of(Mechanism(kernels, p.inputs), options.impact_law, motion, run.start.t.absolute(p.period));
  if (!instants.problem.empty()) return {{}, instants.problem, instants.contacts};
  const Translations translations = translations_of(kernels, p.inputs);
  const Vector shift = translations.turns(motion.end.x - run.start.x);
  PlanReading read;
  if (instants.list.empty()) {
    const SegmentEnd strobe{SegmentEnd::Kind::strobe, 0, static_cast<double>(k)};
    read.orbit = smooth_orbit(run, motion, forced ? strobe : SegmentEnd{SegmentEnd::Kind::phase}, duration);
  } else {
    read = orbit_with_events(kernels, options, run, instants.list, duration);
    if (!read.orbit) return read;
  }
  read.orbit->plan.periods = forced ? k : 0;
  read.orbit->plan.translations = translations;
  read.orbit->plan.segments.back().shift = shift;
  read.orbit->varied = varied;
  return read;
}

}  // namespace saltus
