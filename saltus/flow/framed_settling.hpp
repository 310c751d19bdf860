#pragma once

#include "saltus/flow/settle.hpp"
#include "saltus/flow/tangent_frame.hpp"

namespace saltus {

/// `settler.settle`, with a frame that is orthonormal before and after the instant. So the instant alone decides which directions
/// it annihilates, whatever the motion contracted before, and only one that began a slide or had no rebound may do so. A frame
/// without columns is left alone.
Settled settle_framed(const Settler& settler, TangentFrame& frame, FlowPoint& point, const Trigger& trigger,
                      std::vector<Event>& events, Ledger& ledger);

}  // namespace saltus
