#pragma once

#include <array>
#include <span>
#include <vector>

#include "saltus/flow/step_loops.hpp"
#include "saltus/kernel/kernels.hpp"

namespace saltus {

/// One smooth step of the pair DOP853 for W trajectories at once, each with its own time, step size, parameters and mode;
/// the tangent rides along. Has never heard of events.
///
/// A trial computes y_new from y in every lane; whether a lane takes it, repeats it with another h or goes back is the
/// caller's choice, lane by lane. Component i of lane l stands at array[i * width + l]: the state (q, v, z), then the
/// tangent as in Layout. Rates: ẋ, then those of the tangent without δq̇ = δv, then λ and w if masked.
class LaneStepper {
 public:
  enum class Carries { state, state_and_tangent };

  LaneStepper(const Kernels& kernels, unsigned width, Carries carries);
  LaneStepper(const LaneStepper&) = delete;  // its loops point into it
  LaneStepper& operator=(const LaneStepper&) = delete;

  std::size_t width() const { return width_; }
  std::size_t components() const { return components_; }  // N, or N (1 + columns)
  std::size_t rates() const { return rates_; }  // N, or with those of the tangent
  std::size_t N() const { return layout_.N(); }
  bool carries_tangent() const { return components_ > layout_.N(); }

  /// Scaled errors of a trial: of one step ≤ rtol |y| + atol. Infinite: not measured.
  void set_tolerances(double rtol, double atol, double tangent_rtol);

  // What the caller sets, lane by lane.
  double& t(std::size_t lane) { return t_[lane]; }
  double& h(std::size_t lane) { return scalars_[lane]; }
  double h(std::size_t lane) const { return scalars_[lane]; }
  /// True while contacts are closed or a Filippov switch is slid along: the lane then uses the sliding kernels. A lane's results
  /// do not depend on what its neighbours do.
  void set_masked(std::size_t lane, bool masked);
  double& mode(std::size_t i, std::size_t lane) { return mode_[i * width_ + lane]; }
  double& parameter(std::size_t i, std::size_t lane) { return p_[i * width_ + lane]; }
  double& y(std::size_t i, std::size_t lane) { return y_[i * width_ + lane]; }
  double y(std::size_t i, std::size_t lane) const { return y_[i * width_ + lane]; }
  double& y_new(std::size_t i, std::size_t lane) { return y_new_[i * width_ + lane]; }
  double y_new(std::size_t i, std::size_t lane) const { return y_new_[i * width_ + lane]; }
  /// The field at the start and at the end of the trial.
  double& rate(std::size_t i, std::size_t lane) { return k_[0][i * width_ + lane]; }
  double rate(std::size_t i, std::size_t lane) const { return k_[0][i * width_ + lane]; }
  double& rate_new(std::size_t i, std::size_t lane) { return k_[12][i * width_ + lane]; }
  double rate_new(std::size_t i, std::size_t lane) const { return k_[12][i * width_ + lane]; }

  /// The field at (t, y) of every lane.
  void start();
  /// y_new = y(t + h) in every lane, and the field there. Lanes with h = 0 stand still.
  void attempt();
  /// Scaled error of the last trial, ≤ 1 is good: of state and tangent, whichever is larger.
  double error(std::size_t lane) const;
  /// Takes the trial in the chosen lanes: y ← y_new, t ← t + h, the field at the end becomes the field at the start.
  void take(std::span<const bool> chosen);
  void take(std::size_t lane);

  /// Makes the last trial's interior available to `sample` (state only).
  void prepare_dense();
  /// x(t + θ h) of every lane, each with its own θ.
  void sample(std::span<const double> theta);
  double sampled(std::size_t i, std::size_t lane) const { return sample_[i * width_ + lane]; }

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
  /// Components that go through a step by the same sums: (q, v), z, (δq, δv), δz.
  struct Group {
    const StepLoops::Sums* sums;
    bool tangent;
    std::size_t count;
    std::array<const double*, StepLoops::stream_count> streams{};
    std::array<double*, 2> stage{};  // where the field is evaluated next
    std::array<double*, 2> end{};  // new values
    std::size_t outputs = 0;  // how many of these two there are
    std::array<double*, 14> dense{};
    std::size_t first_rate = 0;
  };

  void add_group(const StepLoops::Sums& sums, bool tangent, std::size_t positions, std::size_t velocities,
                 std::size_t rates, std::size_t count);
  void sum_stage(std::size_t i, bool with_tangent);
  void sum_step();
  void evaluate(double c, const double* y, double* k);
  void evaluate_state(double c, const double* x, double* k);
  void evaluate_with(Kernel free, Kernel sliding, std::size_t rates, const double* y, double* k);
  double scaled_error(std::size_t lane, std::size_t first, std::size_t count) const;

  const KernelSet& functions_;
  const StepLoops& loops_;
  const Layout& layout_;
  std::size_t width_;
  std::size_t components_;
  std::size_t rates_;
  std::size_t masked_count_ = 0;
  bool measures_tangent_ = false;
  std::vector<char> masked_;
  std::vector<double> other_;  // the second kernel's results when some lanes slide and some do not
  std::vector<double> t_, scalars_, tangent_scalars_, t_stage_, t_sample_, p_, mode_, y_, y_new_, stage_, sample_;
  std::vector<std::vector<double>> k_;  // 16 stages: k₀ and k₁₂ as they are, the others less k₀; then k₁₂ − k₀
  std::vector<std::vector<double>> dense_;  // r₂ … r₈
  std::vector<Group> groups_;
  std::vector<double> sums_;  // of the squares of scaled errors: state 5, 3, tangent 5, 3
};

}  // namespace saltus
