#pragma once

#include <optional>

#include "saltus/flow/flow_run.hpp"

namespace saltus {

/// A motion along which the tangent is compared with differences.
struct TangentCheckOptions {
  double transient = 0.0;    // in forcing periods, or in time for an autonomous system
  double length = 1000.0;    // windows begin equally spaced over this, in the same unit
  std::size_t windows = 8;
  FlowOptions flow;          // of the motion; the windows themselves are computed with a tolerance of 1e-13
};

/// How well the tangent of the flow agrees with its central differences D(h) = (x(T; +h) − x(T; −h)) / 2h.
struct TangentAgreement {
  std::size_t windows = 0;      // compared
  std::size_t left_out = 0;     // began in contact, or the events changed however small the step
  double worst = 0.0;           // largest |(4 D(h/2) − D(h))/3 − X| / |X| of all windows
  std::optional<double> order;  // median of log₂ |D(h) − X| / |D(h/2) − X|: 2 by theory; nothing if the flow is linear
};

/// Over windows of one forcing period each (forty steps of an autonomous motion), through all their events: the sequence of
/// events of all runs of a difference must be the same, h is made smaller until it is. The kernels must have N state columns.
TangentAgreement tangent_check(const Kernels& kernels, const Vector& x, const std::vector<double>& parameters,
                               double period, const TangentCheckOptions& options);

}  // namespace saltus
