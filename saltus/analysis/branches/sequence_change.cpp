#include "saltus/analysis/branches/sequence_change.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "saltus/analysis/branches/touched_switch.hpp"

namespace saltus {
namespace {

using Kind = SegmentEnd::Kind;

/// The same orbit, cut behind segment j − 1.
PlannedOrbit rotated(const PlannedOrbit& orbit, std::size_t j) {
  PlannedOrbit result = orbit;
  const std::size_t m = orbit.x.size();
  for (std::size_t i = 0; i < m; ++i) {
    const std::size_t from = (i + j) % m;
    result.x[i] = orbit.x[from];
    result.tau[i] = orbit.tau[from];
    result.plan.segments[i] = orbit.plan.segments[from];
  }
  if (orbit.plan.periods > 0)
    for (std::size_t i = 0; i < j % m; ++i) result.t += orbit.tau[i];
  return result;
}

/// The orbit without any event, in the mode of segment i: from return to return.
PlannedOrbit without_events(const HybridOrbit& problem, const Vector& y, std::size_t i) {
  const PlannedOrbit orbit = problem.orbit(y);
  PlannedOrbit smooth = orbit;
  smooth.t = 0.0;
  smooth.x = {problem.return_state(y)};
  smooth.tau = {problem.period(y)};
  smooth.plan.segments = {orbit.plan.segments[i]};
  Vector& shift = smooth.plan.segments[0].shift;
  shift = Vector::Zero(smooth.x[0].size());
  for (const SegmentPlan& segment : orbit.plan.segments) shift += segment.shift;
  SegmentEnd& end = smooth.plan.segments[0].end;
  if (orbit.plan.periods > 0) {
    end = {Kind::strobe, 0, static_cast<double>(orbit.plan.periods)};
    return smooth;
  }
  end = {Kind::phase};
  return smooth;
}

/// Without the events that end the marked segments: of a symmetric orbit they vanish together.
PlannedOrbit without_events(const HybridOrbit& problem, const Vector& y, const std::vector<char>& gone) {
  const PlannedOrbit orbit = problem.orbit(y);
  const std::size_t m = orbit.x.size();
  const auto kept = static_cast<std::size_t>(std::find(gone.begin(), gone.end(), 0) - gone.begin());
  if (kept == m) return without_events(problem, y, static_cast<std::size_t>(0));
  const PlannedOrbit all = rotated(orbit, (kept + 1) % m);
  PlannedOrbit result = all;
  result.plan.segments.clear();
  result.x.clear();
  result.tau.clear();
  for (std::size_t i = 0; i < m; ++i) {
    const bool joins = i > 0 && gone[(kept + i) % m];
    const Vector taken = joins ? result.plan.segments.back().shift : Vector(Vector::Zero(all.x[i].size()));
    if (joins) {
      result.plan.segments.back() = all.plan.segments[i];
      result.tau.back() += all.tau[i];
    } else {
      result.plan.segments.push_back(all.plan.segments[i]);
      result.x.push_back(all.x[i]);
      result.tau.push_back(all.tau[i]);
    }
    result.plan.segments.back().shift += taken;
  }
  return result;
}

/// With an impact on a contact inside a segment.
void put_impact(const HybridOrbit& problem, const Brink& brink, PlannedOrbit& orbit) {
  const std::size_t i = brink.segment;
  double t = orbit.t;
  for (std::size_t j = 0; j < i; ++j) t += orbit.tau[j];
  const OrbitSystem& system = problem.system();
  const ParameterPoint p = system.rates.at(orbit.varied);
  SegmentFlow flow(system.kernels, system.options, p.inputs, LaneStepper::Carries::state);
  const SegmentPlan whole = orbit.plan.segments[i];
  const Vector x = flow(t, orbit.x[i], whole.mode, brink.after, SegmentFlow::Watch::nothing).x;
  const auto next = static_cast<std::ptrdiff_t>(i + 1);
  orbit.plan.segments[i].end = {Kind::impact, brink.index};
  orbit.plan.segments[i].shift.setZero();
  orbit.plan.segments.insert(orbit.plan.segments.begin() + next, whole);
  orbit.x.insert(orbit.x.begin() + next, x);
  orbit.tau.insert(orbit.tau.begin() + next, orbit.tau[i] - brink.after);
  orbit.tau[i] = brink.after;
}

/// The brinks of this kind that vanish with one of them: of a symmetric orbit each half has its own.
std::vector<Brink> together(const HybridOrbit& problem, const Vector& y, const Brink& brink) {
  std::vector<Brink> found = {brink};
  for (const Brink& each : problem.report(y).brinks) {
    const bool own = each.segment == brink.segment && each.index == brink.index;
    if (each.kind == brink.kind && !own && std::abs(each.value) < 1e-7) found.push_back(each);
  }
  return found;
}

/// With impacts where flights touch contacts, the last one put in first.
PlannedOrbit with_impacts(const HybridOrbit& problem, const Vector& y, std::vector<Brink> brinks) {
  std::sort(brinks.begin(), brinks.end(), [](const Brink& a, const Brink& b) {
    return std::pair(a.segment, a.after) > std::pair(b.segment, b.after);
  });
  PlannedOrbit orbit = problem.orbit(y);
  for (const Brink& brink : brinks) put_impact(problem, brink, orbit);
  return cut_at_event(orbit);
}

/// What becomes of an orbit where impacts lose their speed (`brinks` are those that do), with one of them alone as the second choice.
SequenceChange without_impacts(const HybridOrbit& problem, const Vector& y, const std::vector<Brink>& brinks,
                               const std::string& words) {
  const auto without = [&](std::size_t count) {
    std::vector<char> gone(problem.plan().segments.size(), 0);
    for (std::size_t k = 0; k < count; ++k) gone[brinks[k].segment] = 1;
    return without_events(problem, y, gone);
  };
  SequenceChange change{without(brinks.size()), words, {}};
  if (brinks.size() > 1) change.alone = without(1);
  return change;
}

/// The same where flights touch contacts.
SequenceChange touched_contact(const HybridOrbit& problem, const Vector& y, const Brink& brink,
                               const std::string& words) {
  const std::vector<Brink> brinks = together(problem, y, brink);
  SequenceChange change{with_impacts(problem, y, brinks), words, {}};
  if (brinks.size() > 1) change.alone = with_impacts(problem, y, {brink});
  return change;
}

/// Without the slide of no length that segment i is.
PlannedOrbit without_segment(const PlannedOrbit& orbit, std::size_t i) {
  PlannedOrbit result = rotated(orbit, i + 1);  // the slide is the last segment now
  result.plan.segments[result.x.size() - 2].shift += result.plan.segments.back().shift;
  result.plan.segments.pop_back();
  result.x.pop_back();
  result.tau.pop_back();
  return result;
}

/// With a slide of no length behind the impact that ends segment i.
PlannedOrbit with_slide(const PlannedOrbit& orbit, std::size_t i, std::size_t contact) {
  PlannedOrbit result = rotated(orbit, (i + 1) % orbit.x.size());  // begins behind the impact
  SegmentPlan slide = result.plan.segments.front();
  slide.mode.close(contact);
  slide.end = {Kind::release, contact};
  slide.shift.setZero();
  result.plan.segments.insert(result.plan.segments.begin(), slide);
  result.x.insert(result.x.begin(), Vector(result.x.front()));
  result.tau.insert(result.tau.begin(), 0.0);
  return result;
}

/// With the two switches at the ends of segment i, which lasts no time, met in the other order.
PlannedOrbit with_other_order(const PlannedOrbit& orbit, std::size_t i) {
  const std::size_t m = orbit.x.size();
  PlannedOrbit result = orbit;
  SegmentPlan& before = result.plan.segments[(i + m - 1) % m];
  SegmentPlan& between = result.plan.segments[i];
  std::swap(before.end, between.end);
  std::swap(before.shift, between.shift);
  between.mode = before.mode;
  between.mode.pass(before.end.index, -between.mode.side(before.end.index));
  return result;
}

/// Without segment i, which goes beyond a switch and back in no time.
PlannedOrbit without_excursion(const PlannedOrbit& orbit, std::size_t i) {
  PlannedOrbit result =
      rotated(orbit, (i + orbit.x.size() - 1) % orbit.x.size());  // the excursion is the second segment now
  std::vector<SegmentPlan>& segments = result.plan.segments;
  result.tau[0] += result.tau[1] + result.tau[2];
  segments[0].end = segments[2].end;
  segments[0].shift += segments[1].shift + segments[2].shift;
  result.x.erase(result.x.begin() + 1, result.x.begin() + 3);
  result.tau.erase(result.tau.begin() + 1, result.tau.begin() + 3);
  segments.erase(segments.begin() + 1, segments.begin() + 3);
  return result;
}

bool is_short(const PlannedOrbit& orbit, std::size_t i) {
  return orbit.tau[i] < 2e-4 * std::accumulate(orbit.tau.begin(), orbit.tau.end(), 0.0);
}

const SegmentEnd& end_before(const PlannedOrbit& orbit, std::size_t i) {
  return orbit.plan.segments[(i + orbit.x.size() - 1) % orbit.x.size()].end;
}

/// Without the segments that vanish: of a symmetric orbit they vanish together. Nothing if too little is left.
std::optional<PlannedOrbit> without_all(PlannedOrbit orbit, PlannedOrbit (*without)(const PlannedOrbit&, std::size_t),
                                        const std::function<bool(const PlannedOrbit&, std::size_t)>& vanishes) {
  for (std::size_t i = 0; i < orbit.x.size();) {
    if (!vanishes(orbit, i)) {
      ++i;
      continue;
    }
    if (orbit.x.size() < 3) return std::nullopt;
    orbit = without(orbit, i);
    i = 0;
  }
  return orbit;
}

/// Segment i lasts no time between two switches.
bool meets_in_one_instant(const PlannedOrbit& orbit, std::size_t i) {
  const SegmentEnd& before = end_before(orbit, i);
  const SegmentEnd& end = orbit.plan.segments[i].end;
  const bool switches = before.kind == Kind::switched && end.kind == Kind::switched && before.index != end.index;
  const double whole = std::accumulate(orbit.tau.begin(), orbit.tau.end(), 0.0);
  return switches && std::abs(orbit.tau[i]) < 1e-8 * whole;
}

/// What happens where the segment between two events, a switch among them, becomes as short as nothing. Switches by the clock alone do so more than
/// once in a period: the second choice is the other order of these two alone.
SequenceChange changed_order(const PlannedOrbit& orbit, std::size_t i, const EventNames& names) {
  const std::size_t m = orbit.x.size();
  const SegmentEnd& first = orbit.plan.segments[(i + m - 1) % m].end;
  const SegmentEnd& second = orbit.plan.segments[i].end;
  const auto name = [&](const SegmentEnd& end) {
    const bool of_contact = end.kind == Kind::impact || end.kind == Kind::release;
    return of_contact ? fmt::format("'{}'", names.contacts.at(end.index))
                      : fmt::format("switch({})", names.switches.at(end.index));
  };
  if (first == second) {
    const std::string words = fmt::format("a flight beyond {} becomes as short as nothing", name(first));
    const auto left = without_all(orbit, without_excursion, [&](const PlannedOrbit& now, std::size_t j) {
      return is_short(now, j) && end_before(now, j) == first && now.plan.segments[j].end == first;
    });
    if (m < 3 || !left) return {{}, words};
    return {left, words};
  }
  const std::string words = fmt::format("{} and {} are met in one instant", name(first), name(second));
  if (first.kind != Kind::switched || second.kind != Kind::switched) return {{}, words};
  const PlannedOrbit alone = with_other_order(orbit, i);
  PlannedOrbit all = alone;
  for (std::size_t j = 0; j < m; ++j)
    if (j != i && meets_in_one_instant(orbit, j)) all = with_other_order(all, j);
  return {all, words, alone};
}

/// With a slide of no length along the switch that ends segment i and is passed there.
PlannedOrbit with_stick(const PlannedOrbit& orbit, std::size_t i, std::size_t k) {
  PlannedOrbit result = rotated(orbit, (i + 1) % orbit.x.size());  // begins behind the switch
  SegmentPlan stick = result.plan.segments.front();
  stick.end = {stick.mode.side(k) > 0.0 ? Kind::weight_high : Kind::weight_low, k};
  stick.mode.slide(k);
  stick.shift.setZero();
  result.plan.segments.insert(result.plan.segments.begin(), stick);
  result.x.insert(result.x.begin(), Vector(result.x.front()));
  result.tau.insert(result.tau.begin(), 0.0);
  return result;
}

/// What happens where a switch at which the force jumps is reached without speed, at the end of segment i. Of a symmetric orbit several slides vanish
/// together: the second choice is without this one alone.
SequenceChange changed_arrival(const HybridOrbit& problem, const Vector& y, std::size_t i, const std::string& name) {
  const PlannedOrbit orbit = problem.orbit(y);
  const std::size_t m = orbit.x.size();
  const std::size_t stick = (i + 1) % m;
  if (!is_touching_stick(orbit.plan, stick)) return {{}, fmt::format("switch({}) is reached without speed", name)};
  const std::string words = fmt::format("a slide along switch({}) vanishes where the flight only touches it", name);
  const std::size_t k = orbit.plan.segments[i].end.index;
  const auto vanishes = [k](const PlannedOrbit& now, std::size_t j) {
    return is_touching_stick(now.plan, j) && now.plan.segments[j].end.index == k && is_short(now, j);
  };
  std::size_t count = 0;
  for (std::size_t j = 0; j < m; ++j) count += vanishes(orbit, j) ? 1U : 0U;
  if (m == 2 || m == 2 * count) return {without_events(problem, y, i), words};
  if (count < 2) return {without_excursion(orbit, stick), words};
  return {without_all(orbit, without_excursion, vanishes), words, without_excursion(orbit, stick)};
}

/// Without the flights between two slides along switch k that last next to nothing.
std::optional<PlannedOrbit> without_slips(const PlannedOrbit& orbit, std::size_t k) {
  return without_all(orbit, without_excursion, [k](const PlannedOrbit& now, std::size_t i) {
    const std::size_t m = now.x.size();
    const std::vector<SegmentPlan>& all = now.plan.segments;
    return is_short(now, i) && all[i].end == SegmentEnd{Kind::switched, k} &&
           all[(i + m - 1) % m].mode.slides_alone(k) && all[(i + 1) % m].mode.slides_alone(k);
  });
}

/// Without the flights beyond switch k before slides along it that last next to nothing.
std::optional<PlannedOrbit> without_entry_flights(const PlannedOrbit& orbit, std::size_t k) {
  return without_all(orbit, without_segment, [k](const PlannedOrbit& now, std::size_t i) {
    const SegmentEnd own = {Kind::switched, k};
    return is_short(now, i) && now.plan.segments[i].end == own && end_before(now, i) == own &&
           now.plan.segments[(i + 1) % now.x.size()].mode.slides_alone(k);
  });
}

/// Without the flight that segment i is and the chatter behind it, between two slides along one contact; of a symmetric orbit such
/// flights vanish together.
PlannedOrbit without_hops(const HybridOrbit& problem, const Vector& y, std::size_t i) {
  const PlannedOrbit orbit = problem.orbit(y);
  const double no_longer = 1.001 * orbit.tau[i];
  const std::size_t contact = orbit.plan.segments[i].end.index;
  const auto all = without_all(orbit, without_excursion, [&](const PlannedOrbit& now, std::size_t j) {
    return now.tau[j] <= no_longer && end_before(now, j) == SegmentEnd{Kind::release, contact} &&
           now.plan.segments[j].end == SegmentEnd{Kind::impact, contact};
  });
  if (all) return *all;
  if (orbit.x.size() > 2) return without_excursion(orbit, i);
  PlannedOrbit slide = without_events(problem, y, (i + 1) % orbit.x.size());
  slide.plan.segments.front().chatter.reset();
  return slide;
}

/// What happens where a slide along a switch is born, ends or is left for a moment.
SequenceChange changed_stick(const PlannedOrbit& orbit, const Brink& brink, const std::string& name) {
  const std::size_t m = orbit.x.size();
  const std::size_t i = brink.segment;
  const SegmentPlan& plan = orbit.plan.segments[i];
  const SegmentEnd own = {Kind::switched, brink.index};
  const bool whole = orbit.plan.segments[(i + m - 1) % m].end == own &&
                     (plan.end.kind == Kind::weight_low || plan.end.kind == Kind::weight_high);
  switch (brink.kind) {
    case Brink::Kind::passage:
      return {with_stick(orbit, i, brink.index),
              fmt::format("a slide along switch({}) begins where it is passed", name)};
    case Brink::Kind::entry_flight:
      return {without_entry_flights(orbit, brink.index),
              fmt::format("a flight beyond switch({}) before a slide along it vanishes", name)};
    case Brink::Kind::slip_length: {
      const std::string between = fmt::format("a flight between two slides along switch({}) vanishes", name);
      return {without_slips(orbit, brink.index), between};
    }
    case Brink::Kind::stick_weight:
      return {{}, fmt::format("a slide along switch({}) touches the limit at which it is left", name)};
    case Brink::Kind::entry:
      if (!whole || orbit.tau[i] > 1e-6 * orbit.tau[(i + m - 1) % m])
        return {{}, fmt::format("a slide along switch({}) begins at the limit of what holds it", name)};
      break;
    default: break;
  }
  const std::string words = fmt::format("a slide along switch({}) becomes as short as nothing", name);
  if (!whole) return {{}, words};
  return {without_segment(orbit, i), words};
}

}  // namespace

SequenceChange changed_sequence(const HybridOrbit& problem, const Vector& y, const Brink& brink,
                                const EventNames& names) {
  const PlannedOrbit orbit = problem.orbit(y);
  const std::size_t m = orbit.x.size();
  const std::size_t i = brink.segment;
  const auto name = [&] { return names.contacts.at(brink.index); };
  switch (brink.kind) {
    case Brink::Kind::impact_speed:
      if (orbit.plan.segments[(i + 1) % m].start_mode().is_closed(brink.index))
        return {{}, fmt::format("the impact on '{}' that begins a slide comes to rest", name())};
      return without_impacts(problem, y, together(problem, y, brink),
                             fmt::format("an impact on '{}' loses its speed and disappears", name()));
    case Brink::Kind::blow_speed:
      return {{}, fmt::format("'{}' is no longer struck by the impulse of another impact", name())};
    case Brink::Kind::gap:
      if (orbit.plan.segments[i].chatter) return {{}, fmt::format("a slide touches '{}'", name())};
      return touched_contact(problem, y, brink, fmt::format("a flight touches '{}'", name()));
    case Brink::Kind::corner: return {{}, fmt::format("'{}' is met in the instant of another event", name())};
    case Brink::Kind::slide_length: {
      const SegmentEnd& before = orbit.plan.segments[(i + m - 1) % m].end;
      const std::string words = fmt::format("a slide along '{}' becomes as short as nothing", name());
      if (orbit.plan.segments[i].chatter)
        return {{}, fmt::format("the impacts on '{}' no longer come to an end before its slide would", name())};
      if (m < 2 || before.kind != Kind::impact || before.index != brink.index) return {{}, words};
      return {without_segment(orbit, i), words};
    }
    case Brink::Kind::hop_length:
      return {without_hops(problem, y, i),
              fmt::format("a flight between two slides along '{}' vanishes, where its force touches zero", name())};
    case Brink::Kind::departure:
      return {with_slide(orbit, i, brink.index), fmt::format("a slide along '{}' begins behind its impact", name())};
    case Brink::Kind::force: return {{}, fmt::format("the force of '{}' touches zero inside a slide", name())};
    case Brink::Kind::switch_side:
      return with_touches(problem, y, together(problem, y, brink),
                          fmt::format("a flight touches switch({})", names.switches.at(brink.index)));
    case Brink::Kind::switch_order: return changed_order(orbit, i, names);
    case Brink::Kind::arrival: return changed_arrival(problem, y, i, names.switches.at(brink.index));
    default: return changed_stick(orbit, brink, names.switches.at(brink.index));
  }
  return {};
}

}  // namespace saltus
