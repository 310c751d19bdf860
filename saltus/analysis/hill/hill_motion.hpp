#pragma once

#include <functional>
#include <memory>

#include "saltus/analysis/hill/hill_stability.hpp"
#include "saltus/flow/flow_run.hpp"

namespace saltus {

/// How the size |(x, ẋ)| of a motion against the stop changed over whole periods.
struct HillGrowth {
  double restitution = 0.0;
  long periods = 0;
  double factor =
      0.0;   // per period: (size at the end / size at the start)^(1/periods); 0 if the motion died at the stop
  long impacts = 0;
  Outcome outcome = Outcome::reached_end;
};

/// The equation against its stop, followed by the event-driven engine, which knows nothing of Floquet's theory.
class HillMotion {
 public:
  explicit HillMotion(const Model& model);

  /// From (x, ẋ) at the beginning of a period, with a restitution of its own.
  HillGrowth growth(std::span<const double> p, double restitution, const Eigen::Vector2d& start, long periods,
                    const FlowOptions& options = {}, const std::function<bool()>& interrupted = {}) const;

 private:
  Model mechanics_;
  std::unique_ptr<const Kernels> kernels_;
};

}  // namespace saltus
