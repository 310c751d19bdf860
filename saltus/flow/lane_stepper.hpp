#pragma once

#include <span>
#include <vector>

#include "saltus/flow/step_loops.hpp"
#include "saltus/kernel/kernels.hpp"

namespace saltus {

/// One smooth step of the pair DOP853 for W trajectories at once, each with its own time, step size, parameters and mode;
/// the tangent rides along. Has never heard of events.
///
/// A trial computes y_new from y in every lane; whether a lane takes it, repeats it with another h or goes back is the
/// caller's choice, lane by lane. Component i of lane l stands at array[i * width + l].
class LaneStepper {
 public:
  enum class Carries { state, state_and_tangent };

  LaneStepper(const Kernels& kernels, unsigned width, Carries carries);

  std::size_t width() const { return width_; }
  std::size_t components() const { return components_; }  // N, or N (1 + columns)
  std::size_t N() const { return N_; }

  // What the caller sets, lane by lane.
  double& t(std::size_t lane) { return t_[lane]; }
  double& h(std::size_t lane) { return h_[lane]; }
  /// True while contacts are closed or a Filippov switch is slid along: the lane then uses the sliding kernels. A lane's results
  /// do not depend on what its neighbours do.
  void set_masked(std::size_t lane, bool masked) { masked_[lane] = masked ? 1 : 0; }
  double& mode(std::size_t i, std::size_t lane) { return mode_[i * width_ + lane]; }
  double& parameter(std::size_t i, std::size_t lane) { return p_[i * width_ + lane]; }
  double& y(std::size_t i, std::size_t lane) { return y_[i * width_ + lane]; }

  /// The field at (t, y) of every lane.
  void start();
  /// y_new = y(t + h) in every lane, and the field there. Lanes with h = 0 stand still.
  void attempt();
  /// Scaled error of the last trial: ≤ 1 is good. `first`, `count`: components looked at.
  void measure(std::size_t first, std::size_t count, double rtol, double atol, std::span<double> errors);
  /// Takes the trial: y ← y_new, t ← t + h, the field at the end becomes the field at the start.
  void take(std::size_t lane);

  /// Makes the last trial's interior available to `sample` (state only).
  void prepare_dense();
  /// x(t + θ h) of every lane, each with its own θ.
  void sample(std::span<const double> theta);

  double y_new(std::size_t i, std::size_t lane) const { return y_new_[i * width_ + lane]; }
  double sampled(std::size_t i, std::size_t lane) const { return sample_[i * width_ + lane]; }
  /// The field at the start and at the end of the trial; behind its components, λ and w if masked.
  double rate(std::size_t i, std::size_t lane) const { return k_[0][i * width_ + lane]; }
  double rate_new(std::size_t i, std::size_t lane) const { return k_[12][i * width_ + lane]; }

  // Whole arrays, for kernels.
  const double* t_array() const { return t_.data(); }
  const double* t_new_array() const { return t_stage_.data(); }
  const double* t_sample_array() const { return t_sample_.data(); }
  const double* p_array() const { return p_.data(); }
  const double* mode_array() const { return mode_.data(); }
  const double* y_array() const { return y_.data(); }
  const double* y_new_array() const { return y_new_.data(); }
  const double* sample_array() const { return sample_.data(); }
  const double* rate_array() const { return k_[0].data(); }
  const double* rate_new_array() const { return k_[12].data(); }
  const KernelSet& functions() const { return functions_; }

 private:
  void evaluate(double c, const double* y, double* k);
  void evaluate_state(double c, const double* x, double* k);
  void evaluate_with(Kernel free, Kernel sliding, std::size_t components, const double* y, double* k);

  const KernelSet& functions_;
  const StepLoops& loops_;
  std::size_t width_;
  std::size_t N_;
  std::size_t components_;
  bool tangent_;
  std::vector<char> masked_;
  std::vector<double> other_;  // the second kernel's results when some lanes slide and some do not
  std::vector<double> t_, h_, t_stage_, t_sample_, p_, mode_, y_, y_new_, stage_, sample_;
  std::vector<std::vector<double>> k_;  // 16 stages
  std::vector<std::vector<double>> dense_;  // r₂ … r₈
};

}  // namespace saltus
