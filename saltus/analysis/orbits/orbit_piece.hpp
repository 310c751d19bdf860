#pragma once

#include <vector>

#include "saltus/analysis/orbits/plan_reading.hpp"
#include "saltus/flow/contact_law.hpp"
#include "saltus/flow/segment_flow.hpp"

namespace saltus {

/// What the equations of orbits are made of.
struct OrbitSystem {
  const Kernels& kernels;        // N state columns, a column for every varied parameter, width 1
  FlowOptions options;
  const ParameterRates& rates;
  ReturnPlace place;
};

/// An event function with its derivatives by x, t and the varied parameters.
struct EventRow {
  double value = 0.0;
  Eigen::RowVectorXd dx;
  double dt = 0.0;
  Eigen::RowVectorXd dp;
};

/// The function in a row of Mechanism::jets.
EventRow event_row(const Matrix& jets, std::size_t row, double value, Eigen::Index N);

/// A segment with its end: the event function, the jump, and how all of it depends on start, start time and duration.
struct OrbitPiece {
  bool whole = false;
  double t_end = 0.0;
  Vector x_end;
  Matrix dx, dp;          // ∂x_end by start and varied parameters
  Vector dt, dtau;        // ∂x_end by the start time, by the duration
  EventRow event;
  Jump jump;
  std::vector<Dip> dips;
  double slides = 0.0;    // after this time a chatter has become a slide
};

/// What the state, the times and the varied parameters of an orbit are measured in: differences take steps that are small beside it.
struct OrbitUnits {
  Vector x;
  double t = 1.0;
  Vector p;
};

/// Segment i of an orbit, which begins at the time t.
OrbitPiece orbit_piece(const OrbitSystem& system, const Mechanism& mechanism, SegmentFlow& flow,
                       const PlannedOrbit& orbit, std::size_t i, double t, SegmentFlow::Watch watch,
                       const OrbitUnits& units);

/// ∂x_end/∂x_start of a segment as a product of factors, the first of them first, none of which contracts so much that its smallest
/// direction is lost in the error of its tangent. `whole`: the product, known already; sizes: those of the components.
std::vector<Matrix> segment_factors(SegmentFlow& flow, const PlannedOrbit& orbit, std::size_t i, double t,
                                    const Matrix& whole, const Vector& sizes);

}  // namespace saltus
