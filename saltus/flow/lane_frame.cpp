#include <algorithm>

#include "saltus/flow/lane_flow.hpp"
#include "saltus/numerics/vectors.hpp"

// What is kept of a motion beside its way: the frame of its tangent, and how far its components range.

namespace saltus {

/// After a step or a plain impact: the frame made orthonormal where its columns are about to become parallel.
void LaneFlow::keep_frame(std::size_t l) {
  leave(l);
  if (!motion(l).frame.keep(motion(l).point.tangent)) return;
  store(l);
  refresh(l);
}

/// Both ends of a trial that will be taken, and its middle by Hermite's cubic: a flight may be one step from ground to ground.
void LaneFlow::note_range(std::size_t l) {
  FlowResult& result = motion(l).result;
  const double h = stepper_.h(l);
  if (result.lowest.size() == 0) {
    result.lowest = Vector::Constant(index(layout_.N()), std::numeric_limits<double>::infinity());
    result.highest = -result.lowest;
  }
  for (std::size_t i = 0; i < layout_.N(); ++i) {
    const double begin = stepper_.y(i, l);
    const double end = stepper_.y_new(i, l);
    const double middle = 0.5 * (begin + end) + 0.125 * h * (stepper_.rate(i, l) - stepper_.rate_new(i, l));
    result.lowest[index(i)] = std::min({result.lowest[index(i)], begin, end, middle});
    result.highest[index(i)] = std::max({result.highest[index(i)], begin, end, middle});
  }
}

}  // namespace saltus
