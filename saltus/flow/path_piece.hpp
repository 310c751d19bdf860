#pragma once

#include <Eigen/Core>
#include <functional>

#include "saltus/flow/mode.hpp"

namespace saltus {

/// A smooth piece of a motion as it was computed, within one mode: x(t + θ length), θ = 0 … 1. It holds while it is shown.
struct PathPiece {
  double t;  // absolute
  double length;
  const Mode& mode;
  const std::function<void(double theta, Eigen::VectorXd& x)>& place;
};

/// Is shown a motion piece by piece, in order and without gaps: what happens at an instant lies between two pieces.
class PathFollower {
 public:
  virtual ~PathFollower() = default;
  /// A run begins. It may begin twice, by another method: the pieces since the last beginning are then void.
  virtual void begin() = 0;
  virtual void follow(const PathPiece& piece) = 0;
};

}  // namespace saltus
