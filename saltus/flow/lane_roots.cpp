#include "saltus/flow/lane_roots.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/flow/root_crossing.hpp"
#include "saltus/flow/root_rest.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {

std::optional<RootAhead> root_ahead(const LaneRow& row, std::size_t l) {
  const LaneStepper& stepper = row.stepper();
  const Lane& lane = row[l];
  if (row.layout().switches == 0 || !stepper.carries_tangent() || !lane.mechanism->has_roots()) return std::nullopt;
  const double h = stepper.h(l);
  const double near = RootCrossing::part * (lane.flown + h);
  const double left = until(lane.run.end, lane.point.t, lane.run.period) - h;
  for (const Guard& guard : lane.guards) {
    if (guard.kind != Guard::Kind::switched) continue;
    const EndJet end = row.trial(l).end(guard);
    if (!(end.value > 0.0) || !(end.value <= -end.rate * near)) continue;
    const RootCrossing crossing(*lane.mechanism, lane.point.mode, guard.index);
    const auto delta = crossing.time_to_surface({lane.point.t.phase + h, stepper.state_in(stepper.y_new_array(), l)},
                                                -end.value / end.rate);
    if (delta && *delta < left) return RootAhead{guard, *delta};
  }
  return std::nullopt;
}

std::optional<RootAhead> rest_ahead(LaneRow& row, std::size_t l) {
  constexpr double near = 1.0;  // of the time since the last event: from here on s is known relative to itself
  constexpr double there = 1e-6;
  constexpr double hidden = 1e-11;  // of the terms of s: nearer it is rounding that decides
  constexpr double smallest = 1e-150;
  constexpr double alike = 0.05;  // exponents of the surface and of the way to it
  Lane& lane = row[l];
  if (row.layout().switches == 0 || lane.held || !lane.mechanism->has_roots()) return std::nullopt;
  const LaneStepper& stepper = row.stepper();
  const double h = stepper.h(l);
  const double flown = lane.flown + h;
  const double left = until(lane.run.end, lane.point.t, lane.run.period) - h;
  for (const Guard& guard : lane.guards) {
    if (guard.kind != Guard::Kind::switched) continue;
    const EndJet begin = row.trial(l).begin(guard);
    const EndJet end = row.trial(l).end(guard);
    const auto approach = root_approach(begin.value, begin.rate, end.value, end.rate);
    if (!approach || !(approach->left <= near * flown)) continue;
    const double t = lane.point.t.phase + h;
    const Vector x = stepper.state_in(stepper.y_new_array(), l);
    const auto root = root_of_rest(*lane.mechanism, lane.point.mode, guard.index, t, x);
    if (!root || !(std::abs(root->exponent - approach->exponent) <= alike)) continue;
    const Vector normal = lane.mechanism->jets(t, x, lane.point.mode)
                              .row(index(row.layout().switch_jet(guard.index)))
                              .head(x.size())
                              .cwiseAbs()
                              .transpose();
    const double terms = std::max(normal.dot(x.cwiseAbs()), end.value);
    lane.to_rest = Lane::ToRest{end.value / normal.maxCoeff(), terms / normal.maxCoeff()};
    const bool arrives = end.value <= std::max(hidden * terms, smallest);
    if ((arrives || approach->left <= there * flown) && approach->left < left) return RootAhead{guard, approach->left};
  }
  return std::nullopt;
}

void come_to_root(LaneRow& row, std::size_t l) {
  Lane& lane = row[l];
  row.leave(l);
  Standing& on = *lane.in<Standing>();
  const RootCrossing crossing(*lane.mechanism, lane.point.mode, on.guard.index);
  const RootCrossing::Place from{row.stepper().t(l) - on.beyond, lane.point.x};
  const RootCrossing::Place to = crossing.later(from, on.beyond);
  lane.point.tangent = crossing.carried(from, to, RootCrossing::Off::from, lane.point.tangent);
  lane.point.x = to.x;
  on = {on.guard, 0.0};
  row.store(l);
  row.refresh(l);
}

void leave_root(LaneRow& row, std::size_t l, double before) {
  Lane& lane = row[l];
  FlowPoint& point = lane.point;
  if (!row.stepper().carries_tangent() || !lane.arrived || !lane.mechanism->has_roots()) return;
  if (lane.arrived->kind != Guard::Kind::switched || point.mode.slides_along(lane.arrived->index)) return;
  double delta = std::min(RootCrossing::part * before, 0.5 * until(lane.run.end, point.t, lane.run.period));
  if (lane.run.period > 0.0) delta = std::min(delta, 0.5 * (lane.run.period - point.t.phase));
  if (!(delta > 0.0)) return;
  const RootCrossing crossing(*lane.mechanism, point.mode, lane.arrived->index);
  const RootCrossing::Place from{point.t.phase, point.x};
  const RootCrossing::Place to = crossing.later(from, delta);
  const Matrix X = crossing.carried(from, to, RootCrossing::Off::to, point.tangent);
  if (!X.allFinite()) return;
  point.t.advance(delta);
  point.x = to.x;
  point.tangent = X;
}

}  // namespace saltus
