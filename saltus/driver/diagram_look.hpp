#pragma once

#include <optional>
#include <string>
#include <vector>

#include "saltus/analysis/motions/ramps.hpp"
#include "saltus/driver/diagram.hpp"
#include "saltus/driver/extreme.hpp"
#include "saltus/driver/motion_request.hpp"

namespace saltus {

/// What is looked at and where: settled before anything is computed.
struct DiagramLook {
  Recording recording;
  Expr observable;
  std::string observed, place;
  std::vector<Expr> surfaces;
  std::vector<Expr> observables;       // for the kernels: the quantity, and its guards for extrema
  bool speeds = false;  // approach speeds instead of the quantity
  std::optional<std::size_t> coordinate;  // the quantity is this coordinate itself
  std::optional<Extreme> extreme;         // only the largest or the smallest of what the motion leaves
};

/// Throws Error(usage) if there is nothing to look at, or more than one thing.
DiagramLook diagram_look(const DiagramRequest& request, const PreparedModel& prepared,
                         const std::optional<MotionSurface>& surface);

/// The numbers that a motion leaves in the diagram.
class DiagramObserver {
 public:
  DiagramObserver(const Kernels& kernels, const DiagramLook& look, std::vector<double> angle_periods)
      : kernels_(kernels), look_(look), angle_periods_(std::move(angle_periods)) {}
  std::vector<double> operator()(const std::vector<RecordedPoint>& recorded, const RampValue& value) const;

 private:
  double reduced(double number) const;
  const Kernels& kernels_;
  const DiagramLook& look_;
  std::vector<double> angle_periods_;  // of coordinates; 0: not drawn modulo anything
};

}  // namespace saltus
