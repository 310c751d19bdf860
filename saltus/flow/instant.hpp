#pragma once

#include "saltus/flow/settle.hpp"
#include "saltus/flow/switch_sides.hpp"

namespace saltus {

/// The working state of one instant.
struct Settler::Instant {
  FlowPoint& point;
  Trigger trigger;
  std::vector<Event>& events;
  Ledger& ledger;
  double t;               // phase
  double absolute;        // time
  Vector x_minus;
  Mode mode_minus;
  Vector F_minus;
  Jump jump;
  std::vector<char> touching;  // contacts with a closed gap
  std::vector<std::size_t> crossed = {};  // switches whose surface is passed, the one that was met first
  std::optional<double> let_go = {};  // a hold ends: a time during which it stays ended
  std::optional<double> push = {};  // a slide along a switch ends: a time during which it is pushed beyond its limit
  double until_told = 0.0;  // from the instant at which a motion is taken to rest to that of its rest
  std::optional<Matrix> limit_tangent = {};  // at the limit of switches that accumulate

  SwitchSides::Pace pace() const {
    return let_go ? SwitchSides::Pace(*let_go)
                  : SwitchSides::Pace(point.natural_step, push.value_or(point.natural_step));
  }
};

}  // namespace saltus
