#include "saltus/analysis/orbit_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "saltus/analysis/recurrence.hpp"

namespace saltus {
namespace {

using Index = Eigen::Index;

bool is_of_interest(const Event& event) { return event.kind != EventKind::grazing && event.kind != EventKind::section; }

/// What happened at one instant.
struct Instant {
  double t = 0.0;
  SegmentEnd end;
  Vector x_plus;
};

/// The events of a motion, those of one instant taken together. Says what cannot be described by a fixed sequence.
struct Instants {
  std::vector<Instant> list;
  std::string problem;
};

std::optional<SegmentEnd> end_of(const Event& event, const Mode& before) {
  using Kind = SegmentEnd::Kind;
  switch (event.kind) {
    case EventKind::impact: return SegmentEnd{Kind::impact, event.index};
    case EventKind::slide_end: return SegmentEnd{Kind::release, event.index};
    case EventKind::switched:
    case EventKind::filippov_start: return SegmentEnd{Kind::switched, event.index};
    case EventKind::filippov_end:
      return SegmentEnd{before.sign[event.index] > 0.0 ? Kind::weight_high : Kind::weight_low, event.index};
    default: return std::nullopt;
  }
}

Instants instants_of(const FlowResult& motion) {
  Instants found;
  for (std::size_t i = 0; i < motion.events.size(); ++i) {
    const Event& event = motion.events[i];
    if (!is_of_interest(event) || event.t <= 0.0) continue;  // what settles at the start is no event of the orbit
    if (event.kind == EventKind::chatter) {
      found.problem = "a completed chatter is inside";
      return found;
    }
    const bool same = !found.list.empty() && event.t == found.list.back().t;
    if (same && event.kind == EventKind::impact) {
      found.problem = "contacts are struck together";
      return found;
    }
    const auto end = end_of(event, motion.end.mode);
    if (same) {
      found.list.back().x_plus = event.x_plus;
      continue;
    }
    if (!end) {
      found.problem = "sliding begins without an impact";
      return found;
    }
    found.list.push_back({event.t, *end, event.x_plus});
  }
  return found;
}

/// The modes between instants, from a second run that is looked at between them.
std::vector<Mode> modes_at(const Kernels& kernels, const FlowOptions& options, FlowRun run,
                           const std::vector<double>& times) {
  run.samples.clear();
  for (const double t : times) {
    const double cycles = run.period > 0.0 ? std::floor(t / run.period) : 0.0;
    run.samples.push_back({static_cast<long>(cycles), t - cycles * run.period});
  }
  run.keep_events = false;
  std::vector<Mode> modes;
  for (const Sample& sample : flow(kernels, options, run).samples) modes.push_back(sample.mode);
  return modes;
}

Vector turns_between(const Kernels& kernels, const ParameterPoint& p, const Vector& from, const Vector& to) {
  const std::vector<bool> angles = angle_coordinates(kernels, p.inputs, from);
  Vector shift = Vector::Zero(from.size());
  for (std::size_t i = 0; i < angles.size(); ++i) {
    const Index j = static_cast<Index>(i);
    const double turn = 2.0 * std::numbers::pi;
    if (angles[i]) shift[j] = turn * std::round((to[j] - from[j]) / turn);
  }
  return shift;
}

/// A smooth orbit: one segment from return to return.
PlannedOrbit smooth_orbit(const FlowRun& run, const FlowResult& motion, const SegmentEnd& end, long periods,
                          double duration) {
  PlannedOrbit orbit;
  orbit.plan.periods = periods;
  orbit.plan.segments = {{motion.end.mode, end, {}}};
  orbit.x = {run.start.x};
  orbit.tau = {duration};
  return orbit;
}

}  // namespace

PlanReading read_plan(const Kernels& kernels, const FlowOptions& options, const ParameterRates& rates,
                      const std::vector<double>& varied, const Vector& x, long k, const ReturnPlace& place) {
  const ParameterPoint p = rates.at(varied);
  if (!p.problem.empty()) return {{}, p.problem};
  const bool forced = p.period > 0.0;
  FlowRun run;
  run.start = start_point(kernels, {}, x, LaneStepper::Carries::state);
  run.period = p.period;
  run.parameters = p.inputs;
  run.end = forced ? Time{k, 0.0} : Time{0, place.longest * static_cast<double>(k)};
  if (!forced) {
    if (!place.section) return {{}, "there is no section to return to"};
    run.watches = {*place.section};
    run.stop_after = k;
  }
  const FlowResult motion = flow(kernels, options, run);
  if (forced && motion.outcome != Outcome::reached_end)
    return {{}, fmt::format("the motion stops: {}", name_of(motion.outcome))};
  if (!forced && motion.outcome != Outcome::stopped) return {{}, "the section is not met again"};
  const double duration = forced ? static_cast<double>(k) * p.period : motion.end.t.phase;
  Instants instants = instants_of(motion);
  if (!instants.problem.empty()) return {{}, instants.problem};
  run.end = forced ? run.end : Time{0, duration};
  run.stop_after = 0;
  run.watches.clear();
  const Vector shift = turns_between(kernels, p, x, motion.end.x);
  if (instants.list.empty()) {
    SegmentEnd end{SegmentEnd::Kind::strobe, 0, static_cast<double>(k)};
    if (!forced) {
      const Mechanism mechanism(kernels, run.parameters);
      const Layout& layout = kernels.layout();
      const auto value = mechanism.events(0.0, motion.end.x, motion.end.x)
                             .value[static_cast<Index>(layout.contacts + layout.switches + place.section->surface)];
      const double modulo = place.section->modulo;
      end = {SegmentEnd::Kind::section, place.section->surface,
             modulo > 0.0 ? modulo * std::round(value / modulo) : 0.0};
    }
    PlannedOrbit orbit = smooth_orbit(run, motion, end, forced ? k : 0, duration);
    orbit.plan.segments.back().shift = shift;
    orbit.varied = varied;
    return {orbit, ""};
  }
  const std::size_t m = instants.list.size();
  std::vector<double> middles;
  for (std::size_t i = 0; i < m; ++i)
    middles.push_back(0.5 * (instants.list[i].t + (i + 1 < m ? instants.list[i + 1].t : duration)));
  const std::vector<Mode> modes = modes_at(kernels, options, run, middles);
  if (modes.size() != m) return {{}, "the motion cannot be repeated"};
  PlannedOrbit orbit;
  orbit.plan.periods = forced ? k : 0;
  orbit.varied = varied;
  orbit.t = forced ? instants.list.front().t : 0.0;
  for (std::size_t i = 0; i < m; ++i) {
    const bool last = i + 1 == m;
    const Instant& next = instants.list[last ? 0 : i + 1];
    orbit.plan.segments.push_back({modes[i], next.end, last ? shift : Vector::Zero(x.size())});
    orbit.x.push_back(instants.list[i].x_plus);
    orbit.tau.push_back(next.t + (last ? duration : 0.0) - instants.list[i].t);
  }
  return {orbit, ""};
}

std::string sequence_text(const OrbitPlan& plan, const std::vector<std::string>& contacts) {
  std::vector<std::string> words;
  const std::size_t m = plan.segments.size();
  for (std::size_t i = 0; i < m; ++i) {
    // The event that begins segment i ends segment i − 1.
    const SegmentEnd& event = plan.segments[(i + m - 1) % m].end;
    const Mode& before = plan.segments[(i + m - 1) % m].mode;
    const Mode& after = plan.segments[i].mode;
    if (event.kind == SegmentEnd::Kind::impact) words.push_back(contacts[event.index]);
    if (event.kind == SegmentEnd::Kind::switched) words.push_back(fmt::format("switch {}", event.index + 1));
    for (std::size_t c = 0; c < contacts.size(); ++c)
      if (after.closed[c] && !before.closed[c]) words.push_back(fmt::format("slide({})", contacts[c]));
    for (std::size_t k = 0; k < after.filippov.size(); ++k)
      if (after.filippov[k] && !before.filippov[k]) words.push_back(fmt::format("slide(switch {})", k + 1));
  }
  return words.empty() ? "no events" : fmt::format("{}", fmt::join(words, ", "));
}

bool OrbitPlan::has_events() const {
  return std::any_of(segments.begin(), segments.end(), [](const SegmentPlan& s) { return is_event(s.end); });
}

PlannedOrbit doubled(const PlannedOrbit& orbit) {
  PlannedOrbit twice = orbit;
  twice.plan.periods *= 2;
  for (std::size_t i = 0; i < orbit.x.size(); ++i) {
    twice.plan.segments.push_back(orbit.plan.segments[i]);
    SegmentEnd& end = twice.plan.segments.back().end;
    if (end.kind == SegmentEnd::Kind::strobe) end.offset += static_cast<double>(orbit.plan.periods);
    twice.x.push_back(orbit.x[i]);
    twice.tau.push_back(orbit.tau[i]);
  }
  return twice;
}

PlannedOrbit cut_at_event(const PlannedOrbit& orbit) {
  const std::vector<SegmentPlan>& all = orbit.plan.segments;
  const std::size_t m = all.size();
  const bool at_returns = std::any_of(all.begin(), all.end(), [](const SegmentPlan& s) { return !is_event(s.end); });
  if (!at_returns || !orbit.plan.has_events()) return orbit;
  std::size_t first = 0;
  double t = orbit.t;
  while (!is_event(all[first].end)) t += orbit.tau[first++];
  t += orbit.tau[first];
  PlannedOrbit result;
  result.plan.periods = orbit.plan.periods;
  result.varied = orbit.varied;
  result.t = orbit.plan.periods > 0 ? t : 0.0;
  bool begins = true;  // a segment begins behind an event, not behind a return
  for (std::size_t j = 1; j <= m; ++j) {
    const std::size_t i = (first + j) % m;
    if (begins) {
      result.x.push_back(orbit.x[i]);
      result.tau.push_back(0.0);
      result.plan.segments.push_back({all[i].mode, {}, Vector::Zero(orbit.x[i].size())});
    }
    result.tau.back() += orbit.tau[i];
    result.plan.segments.back().end = all[i].end;
    result.plan.segments.back().shift += all[i].shift;
    begins = is_event(all[i].end);
  }
  return result;
}

}  // namespace saltus
