#include "saltus/analysis/orbits/orbit_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace saltus {

bool is_same_instant(double t, double other) { return std::abs(t - other) <= 1e-13 * std::abs(t); }

Mode SegmentPlan::start_mode() const {
  Mode first = mode;
  if (chatter) first.open(*chatter);
  return first;
}

bool is_touching_stick(const OrbitPlan& plan, std::size_t i) {
  const std::size_t m = plan.segments.size();
  const SegmentPlan& before = plan.segments[(i + m - 1) % m];
  const SegmentEnd& end = plan.segments[i].end;
  const bool up = end.kind == SegmentEnd::Kind::weight_high;
  if (!up && end.kind != SegmentEnd::Kind::weight_low) return false;
  const bool begins = before.end == SegmentEnd{SegmentEnd::Kind::switched, end.index};
  return begins && (before.mode.side(end.index) > 0.0) == up;
}

bool runs_twice(const OrbitPlan& plan) {
  const std::size_t m = plan.segments.size();
  if (m % 2 != 0 || plan.periods % 2 != 0) return false;
  Vector turns = Vector::Zero(plan.segments.front().shift.size());
  for (std::size_t i = 0; i < m / 2; ++i) {
    const SegmentPlan& a = plan.segments[i];
    const SegmentPlan& b = plan.segments[i + m / 2];
    const bool cuts = !is_event(a.end) && !is_event(b.end);
    const bool ends_alike =
        cuts || (a.end.kind == b.end.kind && a.end.index == b.end.index && a.end.blows == b.end.blows);
    if (!ends_alike || a.together != b.together || !(a.mode == b.mode) || a.chatter != b.chatter) return false;
    turns += a.shift + b.shift;
  }
  // Half of the orbit turns half as often, wherever the turns are taken off.
  return plan.translations.remainder(0.5 * turns).norm() < 1e-6 * (1.0 + turns.norm());
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
  share_out(twice);
  return twice;
}

void share_out(PlannedOrbit& orbit) {
  const double whole = std::accumulate(orbit.tau.begin(), orbit.tau.end(), 0.0);
  for (std::size_t i = 0; i < orbit.tau.size(); ++i) {
    SegmentEnd& end = orbit.plan.segments[i].end;
    if (end.kind != SegmentEnd::Kind::phase && end.kind != SegmentEnd::Kind::share) continue;
    const bool last = i + 1 == orbit.tau.size();
    end = last ? SegmentEnd{SegmentEnd::Kind::phase} : SegmentEnd{SegmentEnd::Kind::share, 0, orbit.tau[i] / whole};
  }
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
  result.plan.translations = orbit.plan.translations;
  result.varied = orbit.varied;
  result.t = orbit.plan.periods > 0 ? t : 0.0;
  bool begins = true;  // a segment begins behind an event, not behind a return
  for (std::size_t j = 1; j <= m; ++j) {
    const std::size_t i = (first + j) % m;
    if (begins) {
      result.x.push_back(orbit.x[i]);
      result.tau.push_back(0.0);
      result.plan.segments.push_back(
          {all[i].mode, {}, Vector::Zero(orbit.x[i].size()), all[i].chatter, false, all[i].together});
    }
    result.tau.back() += orbit.tau[i];
    result.plan.segments.back().end = all[i].end;
    result.plan.segments.back().shift += all[i].shift;
    begins = is_event(all[i].end);
  }
  return result;
}

}  // namespace saltus
