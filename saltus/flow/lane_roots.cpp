#include <algorithm>
#include <cmath>

#include "saltus/flow/lane_flow.hpp"
#include "saltus/flow/root_crossing.hpp"
#include "saltus/numerics/vectors.hpp"

// Switching surfaces on which forces have a root: the last and the first short way of a lane's columns, see RootCrossing.

namespace saltus {

/// A surface which the trial's end has all but reached, and when it is: steps would shrink without end before it.
std::optional<LaneFlow::RootAhead> LaneFlow::root_ahead(std::size_t l) const {
  if (!layout_.roots || !stepper_.carries_tangent()) return std::nullopt;
  const Lane& lane = motion(l);
  const double h = stepper_.h(l);
  const double near = RootCrossing::part * (lane.flown + h);
  const double left = until(lane.run.end, lane.point.t, lane.run.period) - h;
  for (const Guard& guard : lane.guards) {
    if (guard.kind != Guard::Kind::switched) continue;
    const EndJet end = trial(l).end(guard);
    if (!(end.value > 0.0) || !(end.value <= -end.rate * near)) continue;
    const RootCrossing crossing(*lane.mechanism, lane.point.mode, guard.index);
    const auto delta = crossing.time_to_surface({lane.point.t.phase + h, stepper_.state_in(stepper_.y_new_array(), l)},
                                                -end.value / end.rate);
    if (delta && *delta < left) return RootAhead{guard, *delta};
  }
  return std::nullopt;
}

/// From the end of the trial, `beyond` before the surface, onto it.
void LaneFlow::come_to_root(std::size_t l) {
  Lane& lane = motion(l);
  leave(l);
  Standing& on = *lane.in<Standing>();
  const RootCrossing crossing(*lane.mechanism, lane.point.mode, on.guard.index);
  const RootCrossing::Place from{stepper_.t(l) - on.beyond, lane.point.x};
  const RootCrossing::Place to = crossing.later(from, on.beyond);
  lane.point.tangent = crossing.carried(from, to, RootCrossing::Off::from, lane.point.tangent);
  lane.point.x = to.x;
  on = {on.guard, 0.0};
  store(l);
  refresh(l);
}

/// From a surface that has just been passed to where slopes are finite again.
void LaneFlow::leave_root(std::size_t l, double before) {
  Lane& lane = motion(l);
  FlowPoint& point = lane.point;
  if (!layout_.roots || !stepper_.carries_tangent() || !lane.arrived) return;
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
