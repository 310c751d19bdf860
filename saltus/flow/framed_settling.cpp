#include "saltus/flow/framed_settling.hpp"

#include <cmath>
#include <numeric>

#include "saltus/flow/lost_directions.hpp"

namespace saltus {
namespace {

double volume(const TangentFrame& frame) { return std::accumulate(frame.growth().begin(), frame.growth().end(), 0.0); }

}  // namespace

Settled settle_framed(const Settler& settler, TangentFrame& frame, FlowPoint& point, const Trigger& trigger,
                      std::vector<Event>& events, Ledger& ledger) {
  using Rank = TangentFrame::Rank;
  if (frame.growth().empty()) return settler.settle(point, trigger, events, ledger);
  frame.factorise(point.tangent, Rank::full);
  const long began = ledger.slides + ledger.sticks;
  const long impacts = ledger.impacts;
  Settled settled = settler.settle(point, trigger, events, ledger);
  const bool slides = ledger.slides + ledger.sticks > began;
  const bool plastic = ledger.impacts > impacts && std::isinf(ledger.log_contraction);
  // A run may begin in contact, with a frame that knows nothing of it.
  const bool begins_sliding = trigger.kind == Trigger::Kind::begin && point.mode.annihilates();
  const double before = volume(frame);
  if (slides || plastic || begins_sliding) {
    const std::size_t lost = lost_directions(settler.mechanism(), point.t.phase, point.x, point.mode);
    frame.factorise(point.tangent, Rank::may_drop, settler.mechanism().layout().N() - lost);
  } else {
    frame.factorise(point.tangent, Rank::full);
  }
  // Where the field jumps at a switch that is passed, volume changes by n·F⁺ / n·F⁻, and a complete frame with it.
  const bool passes = trigger.kind == Trigger::Kind::switched && !slides && ledger.impacts == impacts;
  if (passes && point.tangent.cols() == point.tangent.rows() && std::isfinite(volume(frame)))
    ledger.log_contraction += volume(frame) - before;
  return settled;
}

}  // namespace saltus
