#include "saltus/analysis/branches/touched_switch.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

using Kind = SegmentEnd::Kind;

constexpr double first_excursion = 1e-3;  // of the period

double start_of(const PlannedOrbit& orbit, std::size_t i) {
  return std::accumulate(orbit.tau.begin(), orbit.tau.begin() + static_cast<std::ptrdiff_t>(i), orbit.t);
}

/// A state inside a segment of an orbit, `after` its start.
class Inside {
 public:
  Inside(const HybridOrbit& problem, const PlannedOrbit& orbit)
      : kernels_(problem.system().kernels),
        inputs_(problem.system().rates.at(orbit.varied).inputs),
        flow_(kernels_, problem.system().options, inputs_, LaneStepper::Carries::state) {}
  Vector operator()(const PlannedOrbit& orbit, std::size_t i, double after) {
    return flow_(start_of(orbit, i), orbit.x[i], orbit.plan.segments[i].mode, after, SegmentFlow::Watch::nothing).x;
  }
  Mechanism mechanism() const { return {kernels_, inputs_}; }

 private:
  const Kernels& kernels_;
  std::vector<double> inputs_;
  SegmentFlow flow_;
};

/// By the speed with which the field beyond leads away from the switch, beside what its terms are.
Touch touch_at(const HybridOrbit& problem, const PlannedOrbit& orbit, const Brink& brink) {
  Inside inside(problem, orbit);
  const Mechanism mechanism = inside.mechanism();
  const double t = start_of(orbit, brink.segment) + brink.after;
  const Vector x = inside(orbit, brink.segment, brink.after);
  Mode beyond = orbit.plan.segments[brink.segment].mode;
  const double sign = beyond.side(brink.index);
  beyond.pass(brink.index, -sign);
  const Vector rate = mechanism.field(t, x, beyond).rate;
  const std::size_t contacts = mechanism.layout().contacts;
  const auto ds_dx = mechanism.jets(t, x).row(index(2 * contacts + brink.index)).head(x.size());
  const double away = -sign * mechanism.events(t, x, rate).rate[index(contacts + brink.index)];
  const double resolved = 1e-6 * ds_dx.cwiseAbs().dot(rate.transpose().cwiseAbs());
  if (std::abs(away) <= resolved) return Touch::returns;
  return away < 0.0 ? Touch::slides : Touch::leaves;
}

/// Cuts segment i into three: before, between (of a duration around `after`) and the rest.
void cut_in_three(Inside& inside, PlannedOrbit& orbit, std::size_t i, double after, double duration) {
  const SegmentPlan whole = orbit.plan.segments[i];
  const double before = after - 0.5 * duration;
  const Vector begin = inside(orbit, i, before);
  const Vector end = inside(orbit, i, before + duration);
  const auto next = static_cast<std::ptrdiff_t>(i + 1);
  orbit.plan.segments[i].shift.setZero();
  SegmentPlan rest = whole, between = orbit.plan.segments[i];
  rest.settles = between.settles = false;
  orbit.plan.segments.insert(orbit.plan.segments.begin() + next, {between, rest});
  orbit.x.insert(orbit.x.begin() + next, {begin, end});
  orbit.tau.insert(orbit.tau.begin() + next, {duration, orbit.tau[i] - before - duration});
  orbit.tau[i] = before;
}

void put_touch(Inside& inside, PlannedOrbit& orbit, const Brink& brink, Touch touch, double T) {
  const std::size_t i = brink.segment;
  const std::size_t k = brink.index;
  const double room = 0.5 * std::min(brink.after, orbit.tau[i] - brink.after);
  cut_in_three(inside, orbit, i, brink.after, touch == Touch::returns ? std::min(first_excursion * T, room) : 0.0);
  orbit.plan.segments[i].end = {Kind::switched, k};
  SegmentPlan& between = orbit.plan.segments[i + 1];
  const double sign = between.mode.side(k);
  if (touch == Touch::slides) {
    between.end = {sign > 0.0 ? Kind::weight_high : Kind::weight_low, k};
    between.mode.slide(k);
  } else {
    between.end = {Kind::switched, k};
    between.mode.pass(k, -sign);
  }
}

}  // namespace

SequenceChange with_touches(const HybridOrbit& problem, const Vector& y, const std::vector<Brink>& brinks,
                            const std::string& words) {
  const PlannedOrbit orbit = problem.orbit(y);
  const Touch touch = touch_at(problem, orbit, brinks.front());
  if (touch == Touch::leaves || orbit.plan.segments[brinks.front().segment].chatter) return {{}, words};
  const auto with = [&](std::vector<Brink> some) {
    std::sort(some.begin(), some.end(), [](const Brink& a, const Brink& b) {
      return std::pair(a.segment, a.after) > std::pair(b.segment, b.after);
    });
    PlannedOrbit changed = orbit;
    Inside inside(problem, orbit);
    for (const Brink& brink : some) put_touch(inside, changed, brink, touch, problem.period(y));
    return cut_at_event(changed);
  };
  SequenceChange change{with(brinks), words, {}, touch == Touch::returns};
  if (brinks.size() > 1) change.alone = with({brinks.front()});
  return change;
}

std::optional<std::size_t> shortest_excursion(const PlannedOrbit& orbit) {
  const std::size_t m = orbit.x.size();
  std::optional<std::size_t> shortest;
  for (std::size_t i = 0; m > 1 && i < m; ++i) {
    const SegmentEnd& before = orbit.plan.segments[(i + m - 1) % m].end;
    const bool returns = before.kind == Kind::switched && before == orbit.plan.segments[i].end;
    const bool slides = returns && orbit.plan.segments[i].mode.slides_alone(before.index);
    if (returns && !slides && (!shortest || orbit.tau[i] < orbit.tau[*shortest])) shortest = i;
  }
  return shortest;
}

}  // namespace saltus
