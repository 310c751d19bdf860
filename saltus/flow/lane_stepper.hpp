#pragma once

#include <array>
#include <span>
#include <vector>

#include "saltus/base/lane_array.hpp"
#include "saltus/flow/held_field.hpp"
#include "saltus/flow/lane_set.hpp"
#include "saltus/flow/step_loops.hpp"
#include "saltus/flow/tableau.hpp"
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
  double& t(std::size_t lane) { return scalars_[lane]; }
  double t(std::size_t lane) const { return scalars_[lane]; }
  double& h(std::size_t lane) { return scalars_[width_ + lane]; }
  double h(std::size_t lane) const { return scalars_[width_ + lane]; }
  double& rtol(std::size_t lane) { return scalars_[2 * width_ + lane]; }
  double& atol(std::size_t lane) { return scalars_[3 * width_ + lane]; }
  /// True while contacts are closed or a Filippov switch is slid along: the lane then uses the sliding kernels. A lane's results
  /// do not depend on what its neighbours do.
  void set_masked(std::size_t lane, bool masked);
  /// The lane's field where several switches hold it; nothing: they do not.
  void set_held(std::size_t lane, const HeldField* field) { held_[lane] = field; }
  double& mode(std::size_t i, std::size_t lane) { return mode_[i * width_ + lane]; }
  double& parameter(std::size_t i, std::size_t lane) { return p_[i * width_ + lane]; }
  double& y(std::size_t i, std::size_t lane) { return y_[i * width_ + lane]; }
  double y(std::size_t i, std::size_t lane) const { return y_[i * width_ + lane]; }
  double y_new(std::size_t i, std::size_t lane) const { return y_new_[i * width_ + lane]; }
  /// The field at the start and at the end of the trial.
  double& rate(std::size_t i, std::size_t lane) { return rate_[i * width_ + lane]; }
  double rate(std::size_t i, std::size_t lane) const { return rate_[i * width_ + lane]; }
  double rate_new(std::size_t i, std::size_t lane) const { return rate_new_[i * width_ + lane]; }

  /// Multiplier i (contact forces λ, then Filippov weights w) of a masked lane over the stages of the last trial.
  struct Range {
    double least;
    double largest;
  };
  Range multiplier(std::size_t i, std::size_t lane) const {
    return {least_[i * width_ + lane], largest_[i * width_ + lane]};
  }

  /// The field at (t, y) of every lane, or of the chosen ones.
  void start();
  void start(LaneSet chosen);
  /// ẋ of the chosen lanes, as the kernel writes it.
  void set_rates(LaneSet chosen, const LaneArray& rates);
  /// k = F(t, y) in every lane, each in its own mode; the state's part of it alone.
  void evaluate(const double* t, const double* y, double* k);
  void evaluate_state(const double* t, const double* x, double* k);
  /// y_new = y(t + h) in every lane, and the field there. Lanes with h = 0 stand still.
  void attempt();
  /// Scaled error of the last trial, ≤ 1 is good: of state and tangent, whichever is larger.
  double error(std::size_t lane) const { return errors_[lane]; }
  /// Takes the trial in the chosen lanes: y ← y_new, t ← t + h, the field at the end becomes the field at the start.
  void take(LaneSet chosen);
  void take(std::size_t lane);
  /// Exchanges all that a lane stands on before a trial with a lane of another stepper of the same kind.
  void exchange(std::size_t lane, LaneStepper& other, std::size_t other_lane);

  /// Makes the last trial's interior available to `sample` (state only), if it is not yet.
  void prepare_dense();
  /// x(t + θ h) of every lane, each with its own θ.
  void sample(std::span<const double> theta);
  double sampled(std::size_t i, std::size_t lane) const { return sample_[i * width_ + lane]; }
  /// Component i of the interior as a polynomial: its coefficients by powers of θ.
  static constexpr int dense_degree = 7;
  std::array<double, dense_degree + 1> dense_polynomial(std::size_t i, std::size_t lane) const;

  /// x of one lane, in an array whose first components are the states.
  Vector state_in(const double* array, std::size_t lane) const;

  // Whole arrays, for kernels.
  const double* t_array() const { return scalars_.data(); }
  const double* t_new_array() const { return stage_times(dop853::stages); }
  const double* t_sample_array() const { return t_sample_.data(); }
  const double* p_array() const { return p_.data(); }
  const double* mode_array() const { return mode_.data(); }
  const double* y_array() const { return y_.data(); }
  const double* y_new_array() const { return y_new_.data(); }
  const double* sample_array() const { return sample_.data(); }
  const double* rate_array() const { return rate_.data(); }
  const double* rate_new_array() const { return rate_new_.data(); }
  const KernelSet& functions() const { return functions_; }
  const StepLoops& loops() const { return loops_; }
  const double* h_array() const { return scalars_.data() + width_; }
  const double* errors() const { return errors_.data(); }

  /// to ← from in the chosen lanes, as much as there is of `from`.
  void copy_lanes(LaneSet chosen, const LaneArray& from, LaneArray& to) const;

 private:
  /// Components that go through a step by the same sums: (q, v), z, (δq, δv), δz.
  struct Group {
    using Streams = std::array<const double*, StepLoops::stream_count>;
    const StepLoops::Sums* sums;
    bool tangent;
    std::size_t count;
    Streams streams{};  // the last slope is that of a stage ...
    Streams end_streams{};  // ... or that of the end of the step
    std::array<double*, 3> stage{};  // where the field is evaluated next, then the records
    std::array<double*, 3> end{};  // new values, then the records
    std::array<double*, 14> dense{};
    LaneArray records;  // kⱼ − k₀ of the stages
  };

  void add_group(const StepLoops::Sums& sums, bool tangent, std::size_t positions, std::size_t velocities,
                 std::size_t rates, std::size_t count);
  void sum_stage(std::size_t i, bool with_tangent);
  void sum_step();
  const double* stage_times(std::size_t i) const { return times_.data() + i * width_; }
  void begin_ranges();
  void widen_ranges(const double* k);
  void set_times(std::size_t first, std::size_t last);
  void evaluate_with(Kernel free, Kernel sliding, std::size_t rates, const double* t, const double* y, double* k);
  void measure_errors();

  const KernelSet& functions_;
  const StepLoops& loops_;
  const Layout& layout_;
  std::size_t width_;
  std::size_t components_;
  std::size_t rates_;
  std::size_t masked_count_ = 0;
  bool measures_tangent_ = false;
  bool dense_ready_ = false;
  std::vector<char> masked_;
  std::vector<const HeldField*> held_;
  LaneArray other_;  // the second kernel's results when some lanes slide and some do not
  LaneArray scalars_;  // t, h, rtol, atol: of times from t, of sums from h
  LaneArray tangent_scalars_, times_, nodes_, t_sample_, p_, mode_, y_, y_new_, stage_, sample_;
  std::vector<double> least_, largest_;  // of λ and w over the stages
  LaneArray rate_, rate_new_, slope_;  // the field at the start, at the end, at the last stage
  std::array<LaneArray, 7> dense_;  // r₂ … r₈
  std::vector<Group> groups_;
  LaneArray sums_;  // of the squares of scaled errors: state 5, 3, tangent 5, 3
  LaneArray error_counts_, errors_, tangent_errors_;
};

}  // namespace saltus
