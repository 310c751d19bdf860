// The orbit of the equations beside the event-driven motion.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "saltus/analysis/orbits/hybrid_orbit.hpp"

namespace saltus {

using Kind = SegmentEnd::Kind;

/// Where an orbit without forcing meets the section; the start of its first segment where it does not.
std::vector<Vector> HybridOrbit::section_states(const PlannedOrbit& now, const ParameterPoint& p) const {
  const double whole = std::accumulate(now.tau.begin(), now.tau.end(), 0.0);
  const double slack = 1e-6 * whole;  // the orbit may begin on the section, or be cut there
  std::vector<Vector> states;
  std::vector<double> times;
  // A motion with events is followed as a whole; one without from cut to cut, so that an unstable one is not left.
  const std::size_t runs = plan_.has_events() ? 1 : now.x.size();
  double begin = 0.0;
  for (std::size_t i = 0; i < runs; ++i) {
    const double length = runs == 1 ? whole : now.tau[i];
    FlowRun run;
    run.start = start_point(system_.kernels, {}, now.x[i], LaneStepper::Carries::state);
    run.parameters = p.inputs;
    run.end = {0, length + slack};
    run.watches = {*system_.place.section};
    for (const Event& event : flow(system_.kernels, system_.options, run).events) {
      const double t = begin + event.t;
      if (event.kind != EventKind::section || (!times.empty() && t - times.back() < 2.0 * slack)) continue;
      if (!times.empty() && t > times.front() + whole - 2.0 * slack) continue;
      times.push_back(t);
      states.push_back(event.x_plus);
    }
    begin += length;
  }
  return states.empty() ? std::vector<Vector>{now.x.front()} : states;
}

std::vector<Vector> HybridOrbit::return_states(const Vector& y) const {
  const PlannedOrbit now = orbit(y);
  const ParameterPoint p = system_.rates.at(varied(y));
  std::vector<Vector> states;
  if (plan_.periods == 0) {
    if (!system_.place.section) return {now.x.front()};
    return section_states(now, p);
  }
  // The strobes t = j T that the orbit's time passes, j = 0 first: they move with the orbit, not with the cut.
  const double whole = static_cast<double>(plan_.periods) * p.period;
  SegmentFlow segment(system_.kernels, system_.options, p.inputs, LaneStepper::Carries::state);
  for (long j = 0; j < plan_.periods; ++j) {
    const double strobe = static_cast<double>(j) * p.period;
    const double wanted = strobe + whole * std::ceil((now.t - strobe) / whole - 1e-12);
    double t = now.t;
    std::size_t i = 0;
    Vector turned = Vector::Zero(now.x.front().size());
    while (i + 1 < now.x.size() && wanted > t + now.tau[i]) {
      turned += plan_.segments[i].shift;
      t += now.tau[i++];
    }
    if (plan_.segments[i].chatter) {
      states.push_back(motion_from(p, t, now.x[i], plan_.segments[i].start_mode(), wanted - t).end.x + turned);
      continue;
    }
    const Segment piece = segment(t, now.x[i], plan_.segments[i].mode, wanted - t, SegmentFlow::Watch::nothing);
    states.push_back(piece.whole ? Vector(piece.x + turned) : now.x[i]);
  }
  return states;
}

namespace {

/// Is this what the plan expects at the end of a segment?
bool matches(const Event& event, const SegmentEnd& end) {
  switch (event.kind) {
    case EventKind::impact: return end.kind == Kind::impact && event.index == end.index;
    case EventKind::slide_end: return end.kind == Kind::release && event.index == end.index;
    case EventKind::switched:
    case EventKind::filippov_start: return end.kind == Kind::switched && event.index == end.index;
    case EventKind::filippov_end:
      return (end.kind == Kind::weight_low || end.kind == Kind::weight_high) && event.index == end.index;
    default: return false;
  }
}

}  // namespace

namespace {

/// The end of a segment as the plan says it, at a time since the start of the motion that is compared with it.
struct Expected {
  std::size_t segment;
  SegmentEnd end;
  double after;
  std::optional<std::size_t> chatter;  // of the segment that it ends
};

double phase_of(double t, double period) { return period > 0.0 ? t - std::floor(t / period) * period : t; }

/// An impact on a closed contact that is part of the one expected, or of the one just met.
bool is_part(const Event& event, const std::vector<Expected>& expected, std::size_t next, double since, double slack) {
  if (event.kind != EventKind::impact) return false;
  for (std::size_t k = next > 0 ? next - 1 : 0; k < std::min(next + 1, expected.size()); ++k) {
    const SegmentEnd& end = expected[k].end;
    const bool struck = std::any_of(end.blows.begin(), end.blows.end(), [&](const auto& blow) {
      return std::find(blow.begin(), blow.end(), event.index) != blow.end();
    });
    if (struck && event.index != end.index && std::abs(since - expected[k].after) <= slack) return true;
  }
  return false;
}

/// Impacts of one instant may come in any order: puts the one that the event is in the place `next`.
void sort_together(const Event& event, std::size_t next, double slack, std::vector<Expected>& expected) {
  for (std::size_t j = next; j < expected.size() && expected[j].after - expected[next].after <= slack; ++j) {
    if (!matches(event, expected[j].end)) continue;
    std::swap(expected[next].end, expected[j].end);
    return;
  }
}

/// A switch in the same instant as the one that is wanted.
bool is_beside(const std::vector<Event>& events, const Event& event, const SegmentEnd& wanted) {
  return event.kind == EventKind::switched && std::any_of(events.begin(), events.end(), [&](const Event& other) {
           return matches(other, wanted) && is_same_instant(event.t, other.t);
         });
}

/// Whether the events of a motion are those expected, when they are expected. Else what is there instead.
std::string compared(const std::vector<Event>& events, std::vector<Expected> expected, double begin, double slack) {
  std::size_t next = 0;
  bool accumulated = false;
  std::optional<double> matched;
  for (const Event& event : events) {
    if (event.kind == EventKind::grazing || event.kind == EventKind::section || event.kind == EventKind::slide_start)
      continue;
    if (next == expected.size()) break;
    const double since = event.t - begin;
    if (is_part(event, expected, next, since, slack)) continue;
    sort_together(event, next, slack, expected);
    const Expected& wanted = expected[next];
    if (wanted.chatter) {
      const bool of_chatter = event.kind == EventKind::impact || event.kind == EventKind::chatter;
      if (event.kind == EventKind::chatter && event.index == wanted.chatter) accumulated = true;
      if (of_chatter && event.index == wanted.chatter) continue;
      if (!accumulated) return fmt::format("no chatter inside segment {}", wanted.segment + 1);
    } else if (next == 0 && since <= std::min(slack, 1e-3 * wanted.after)) {
      continue;  // the instant that began the segment
    }
    if (!is_event(wanted.end))
      return fmt::format("{} at t = {:.6g} in a motion without events", name_of(event.kind), event.t);
    if (matched && is_same_instant(event.t, *matched) && event.kind == EventKind::switched) continue;
    if (!matches(event, wanted.end) && is_beside(events, event, wanted.end)) continue;
    if (!matches(event, wanted.end) || std::abs(since - wanted.after) > slack)
      return fmt::format("{} at t = {:.6g} inside segment {}", name_of(event.kind), event.t, wanted.segment + 1);
    ++next;
    matched = event.t;
    accumulated = false;
  }
  if (next < expected.size() && is_event(expected[next].end))
    return fmt::format("no event where segment {} ends", expected[next].segment + 1);
  return "";
}

}  // namespace

/// The event-driven motion from a state in a mode, for a duration. Times count from the beginning of the forcing period.
FlowResult HybridOrbit::motion_from(const ParameterPoint& p, double t, const Vector& x, const Mode& mode,
                                    double duration) const {
  const double phase = phase_of(t, p.period);
  FlowRun run;
  run.start = start_point(system_.kernels, {0, phase}, x, LaneStepper::Carries::state);
  run.period = p.period;
  run.parameters = p.inputs;
  if (mode.is_masked()) {
    // A slide is begun in its mode: by the gap alone, which is zero to Newton's tolerance only, it might not be recognised.
    run.start.mode = mode;
    run.start.natural_step = 0.01 * (duration > 0.0 ? duration : units().t);
    run.start.fastest.assign(system_.kernels.layout().contacts, 0.0);
    const Mechanism mechanism(system_.kernels, p.inputs);
    Settler(mechanism, system_.options, p.period).project(run.start);
  }
  const double until = phase + duration;
  const double turns = p.period > 0.0 ? std::floor(until / p.period) : 0.0;
  run.end = {static_cast<long>(turns), until - turns * p.period};
  return flow(system_.kernels, system_.options, run);
}

namespace {

/// What the gaps change with components of these sizes.
double largest_gap(const Mechanism& mechanism, double t, const Vector& x, const Vector& sizes) {
  const Index contacts = index(mechanism.layout().contacts);
  if (contacts == 0) return 1.0;
  return (mechanism.jets(t, x).topLeftCorner(contacts, x.size()).cwiseAbs() * sizes).maxCoeff();
}

}  // namespace

std::string HybridOrbit::contradiction(const Vector& y) const {
  const ParameterPoint p = system_.rates.at(varied(y));
  const PlannedOrbit now = orbit(y);
  const std::size_t m = now.x.size();
  const double whole = period(y);
  const Mechanism mechanism(system_.kernels, p.inputs);
  // Where a slide ends, contact force and acceleration are zero: whether the contact opens is decided by the next derivative, and a
  // motion begun there might do otherwise; so it is on a switch. Therefore the flight behind a slide is compared together with it, and
  // so are impacts of one instant.
  const auto continues = [&](std::size_t i) {
    const Kind kind = plan_.segments[i % m].end.kind;
    return kind == Kind::release || kind == Kind::weight_low || kind == Kind::weight_high ||
           plan_.segments[(i + 1) % m].together;
  };
  const double none = 1e-9 * std::accumulate(now.tau.begin(), now.tau.end(), 0.0);
  std::size_t first = 0;
  double t = now.t;
  while (first < m && continues((first + m - 1) % m)) t += now.tau[first++];
  if (first == m) return "every segment ends with a slide";
  for (std::size_t i = first; i < first + m;) {
    std::vector<Expected> expected;
    double length = 0.0;
    const std::size_t begins = i % m;
    do {
      const std::size_t at = i % m;
      if (now.tau[at] < (plan_.segments[at].together ? -none : 0.0))
        return fmt::format("segment {} lasts a negative time", at + 1);
      length += now.tau[at];
      expected.push_back({at, plan_.segments[at].end, length, plan_.segments[at].chatter});
    } while (continues(i++));
    const double slack = 1e-6 * (1e-3 * whole + length);
    const FlowResult motion = motion_from(p, t, now.x[begins], plan_.segments[begins].start_mode(),
                                          length + (is_event(expected.back().end) ? slack : 0.0));
    std::string found = compared(motion.events, expected, phase_of(t, p.period), slack);
    if (!found.empty()) return found;
    if (motion.ledger.worst_penetration > 1e-7 * largest_gap(mechanism, t, now.x[begins], sizes()))
      return fmt::format("penetration inside segment {}", begins + 1);
    t += length;
  }
  return "";
}

}  // namespace saltus
