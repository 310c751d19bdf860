#pragma once

#include "saltus/flow/lane_row.hpp"

// Switching surfaces on which forces have a root: the last and the first short way of a lane's columns, see RootCrossing, and rests on them.

namespace saltus {

/// A surface which the trial's end has all but reached, and when it is: steps would shrink without end before it.
struct RootAhead {
  Guard guard;
  double delta;
};
std::optional<RootAhead> root_ahead(const LaneRow& row, std::size_t l);

/// A surface on which the motion comes to rest, and when it does: its steps would shrink without end, or stray across it. It is reached by
/// its law, |ṡ| = c |s|^r, from so near that what the law neglects, of second order in the time that is left, is nothing; or from where
/// rounding hides s. On the way there `to_rest` says how near it is.
std::optional<RootAhead> rest_ahead(LaneRow& row, std::size_t l);

/// From the end of the trial, `beyond` before the surface, onto it.
void come_to_root(LaneRow& row, std::size_t l);

/// From a surface that has just been passed, `before` after the last event, to where slopes are finite again: the lane's point.
void leave_root(LaneRow& row, std::size_t l, double before);

}  // namespace saltus
