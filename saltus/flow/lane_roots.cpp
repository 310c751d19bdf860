#include "saltus/flow/lane_roots.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/flow/root_crossing.hpp"

namespace saltus {

std::optional<RootAhead> root_ahead(const LaneRow& row, std::size_t l) {
  const LaneStepper& stepper = row.stepper();
  if (!row.layout().roots || !stepper.carries_tangent()) return std::nullopt;
  const Lane& lane = row[l];
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
  if (!row.layout().roots || !row.stepper().carries_tangent() || !lane.arrived) return;
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
