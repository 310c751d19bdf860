#pragma once
// Motions in a test's own words: a model, its numbers and its kernels in one value, and the checks that every tangent must pass.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "saltus/flow/flow_run.hpp"
#include "saltus/kernel/parameter_rates.hpp"
#include "tests/support/tolerance.hpp"

namespace saltus::test {

using Carries = LaneStepper::Carries;

/// A way to compute a motion: Runge-Kutta steps alone or with others side by side, or the closed form of piecewise linear models.
struct Road {
  FlowMethod method;
  unsigned width;
};

/// What a motion is made of beside its model.
struct MotionSetup {
  std::string case_name = "";
  std::vector<Assignment> set = {};
  std::vector<std::string> varied = {};
  std::vector<unsigned> widths = {1};
  FlowOptions options = {.method = FlowMethod::runge_kutta};  // what these tests are about, unless they say otherwise
};

/// A model with its numbers and its kernels, ready to move.
class Motion {
 public:
  Motion(const ModelReading& reading, const MotionSetup& with) : model_(reading.model) {
    if (!model_) throw std::runtime_error(rendered(reading.diagnostics));
    for (const std::string& name : with.varied) varied_.push_back(parameter(name));
    KernelOptions kernel_options;
    kernel_options.varied = varied_;
    kernel_options.followed = followed_parameters(*model_, with.case_name, with.set, varied_);
    if (model_->section) kernel_options.surfaces = {model_->section->surface.expr};
    kernels_ = std::make_unique<Kernels>(*model_, kernel_options, with.widths);
    const SetupReading numbers = set_up(*model_, with.case_name, with.set);
    if (!numbers.setup) throw std::runtime_error(rendered(numbers.diagnostics));
    setup_ = *numbers.setup;
    rates_ = std::make_unique<ParameterRates>(model_, kernels_->layout(), setup_.parameters);
    options = with.options;
    width_ = with.widths.back();
    if (model_->solver.impact_law) options.impact_law = *model_->solver.impact_law;
  }
  static Motion of(const std::string& text, const MotionSetup& with = {}) {
    return Motion(read_model("model.toml", text), with);
  }
  static Motion example(const std::string& name, const MotionSetup& with = {}) {
    return Motion(read_model_file("examples/" + name + ".toml"), with);
  }

  const Model& model() const { return *model_; }
  const Kernels& kernels() const { return *kernels_; }
  const Layout& layout() const { return kernels_->layout(); }
  double period() const { return setup_.forcing_period; }
  const std::vector<std::size_t>& varied() const { return varied_; }
  Vector start() const {
    return Eigen::Map<const Vector>(setup_.initial.data(), static_cast<Eigen::Index>(setup_.initial.size()));
  }
  double value_of(const std::string& name) const { return setup_.parameters[parameter(name)]; }

  /// Parameters and followers' rates, with varied parameter c moved by `by`.
  std::vector<double> parameters(std::size_t c = 0, double by = 0.0) const { return point(c, by).inputs; }
  double period_with(std::size_t c, double by) const { return point(c, by).period; }
  /// All of it, as analyses take it.
  ParameterPoint point(std::size_t c = 0, double by = 0.0) const {
    std::vector<double> values = rates_->start();
    if (by != 0.0) values[c] += by;
    return rates_->at(values);
  }
  const ParameterRates& rates() const { return *rates_; }
  std::shared_ptr<const Model> shared_model() const { return model_; }
  Mechanism mechanism() const {
    inputs_ = parameters();
    return Mechanism(*kernels_, inputs_);
  }

  FlowRun run_from(Time t, const Vector& x, Time end, Carries carries) const {
    FlowRun run;
    run.start = start_point(*kernels_, t, x, carries);
    run.end = end;
    run.period = period();
    run.parameters = parameters();
    run.period_rates = point().period_rates;
    return run;
  }
  FlowResult flow_from(Time t, const Vector& x, Time end, Carries carries = Carries::state) const {
    return moved(run_from(t, x, end, carries), carries);
  }
  /// A run in the widest of the kernels, with neighbours that do the same.
  FlowResult moved(const FlowRun& run, Carries carries) const {
    if (width_ == 1) return flow(*kernels_, options, run);
    Neighbours all(run, width_);
    flow_lanes(*kernels_, options, width_, carries, all);
    return all.last;
  }
  /// From the initial state to the absolute time T.
  FlowResult until(double T, Carries carries = Carries::state) const { return flow_from({}, start(), {0, T}, carries); }
  /// The same with the state moved by dx and varied parameter c by dp.
  FlowResult until(double T, const Vector& dx, std::size_t c, double dp) const {
    FlowRun run = run_from({}, start() + dx, {0, T}, Carries::state);
    run.parameters = parameters(c, dp);
    run.period = period_with(c, dp);
    return moved(run, Carries::state);
  }

  FlowOptions options;

 private:
  /// One run in every lane.
  class Neighbours final : public LaneWork {
   public:
    Neighbours(const FlowRun& run, unsigned count) : run_(run), left_(count) {}
    bool next(std::size_t /*lane*/, FlowRun& run) override {
      if (left_ == 0) return false;
      --left_;
      run = run_;
      return true;
    }
    void done(std::size_t /*lane*/, FlowResult&& result) override { last = std::move(result); }
    FlowResult last;

   private:
    const FlowRun& run_;
    unsigned left_;
  };

  std::size_t parameter(const std::string& name) const {
    if (const auto j = parameter_index(*model_, name)) return *j;
    throw std::runtime_error("no parameter " + name);
  }

  std::shared_ptr<const Model> model_;
  std::vector<std::size_t> varied_;
  std::unique_ptr<Kernels> kernels_;
  std::unique_ptr<ParameterRates> rates_;
  Setup setup_;
  unsigned width_ = 1;
  mutable std::vector<double> inputs_;
};

/// Tests of piecewise linear models: what they say of one road they say of every other.
class OnEveryRoad : public testing::TestWithParam<Road> {
 protected:
  static MotionSetup on_the_road(MotionSetup with) {
    with.options.method = GetParam().method;
    if (GetParam().width > 1) with.widths = {1, GetParam().width};
    return with;
  }
  static Motion of(const std::string& text, const MotionSetup& with = {}) {
    return Motion::of(text, on_the_road(with));
  }
  static Motion example(const std::string& name, const MotionSetup& with = {}) {
    return Motion::example(name, on_the_road(with));
  }
};

inline const auto every_road =
    testing::Values(Road{FlowMethod::runge_kutta, 1}, Road{FlowMethod::runge_kutta, 4}, Road{FlowMethod::exact, 1});
inline const auto stepped_roads = testing::Values(Road{FlowMethod::runge_kutta, 1}, Road{FlowMethod::runge_kutta, 4});
inline const auto both_roads = testing::Values(Road{FlowMethod::runge_kutta, 1}, Road{FlowMethod::exact, 1});

inline std::string name_of_road(const testing::TestParamInfo<Road>& tested) {
  if (tested.param.method == FlowMethod::exact) return "closed_form";
  return tested.param.width == 1 ? "runge_kutta" : "lanes";
}

/// Kind and place of every event: what must not change between the runs of a difference. The impacts of a chatter that is completed
/// are left out: infinitely many, however many of them were looked at one by one.
inline std::string sequence_of(const FlowResult& result) {
  std::vector<const Event*> kept;
  for (const Event& event : result.events) {
    const auto same = [&] { return kept.back()->kind == EventKind::impact && kept.back()->index == event.index; };
    while (event.kind == EventKind::chatter && !kept.empty() && same()) kept.pop_back();
    kept.push_back(&event);
  }
  std::string text;
  for (const Event* event : kept) text += std::string(name_of(event->kind)) + " " + std::to_string(event->index) + "\n";
  return text;
}

inline std::size_t count_of(const FlowResult& result, EventKind kind) {
  return static_cast<std::size_t>(
      std::count_if(result.events.begin(), result.events.end(), [&](const Event& e) { return e.kind == kind; }));
}

inline double largest(const Matrix& m) { return m.size() == 0 ? 0.0 : m.cwiseAbs().maxCoeff(); }

/// (x(T; +h sⱼ) − x(T; −h sⱼ)) / 2h for every state and every varied parameter j: N × (N + varied), converges to X diag(s).
inline Matrix central_differences(const Motion& motion, double T, double h, const Vector& scale) {
  const Eigen::Index N = static_cast<Eigen::Index>(motion.layout().N());
  const Eigen::Index columns = N + static_cast<Eigen::Index>(motion.varied().size());
  const std::string sequence = sequence_of(motion.until(T));
  Matrix D(N, columns);
  for (Eigen::Index j = 0; j < columns; ++j) {
    const auto end = [&](double by) {
      const Vector dx = j < N ? Vector(Vector::Unit(N, j) * by) : Vector(Vector::Zero(N));
      const FlowResult result =
          motion.until(T, dx, static_cast<std::size_t>(std::max<Eigen::Index>(j - N, 0)), j < N ? 0.0 : by);
      EXPECT_EQ(result.outcome, Outcome::reached_end);
      EXPECT_EQ(sequence_of(result), sequence) << "column " << j << ", h = " << by;
      return result.end.x;
    };
    const double step = h * scale[j];
    D.col(j) = (end(step) - end(-step)) / (2.0 * h);
  }
  return D;
}

/// How a tangent is compared with differences of the flow.
struct TangentCheck {
  double h = 1e-3;  // the error falls by 4 ± 0.5 from h to h/2 ...
  double best = 1e-8;  // ... and is below this, relative to the tangent, at the best of ...
  double smallest = 2e-7;  // ... h, h/2, h/4, … down to here
  std::vector<double> scale = {};  // what is a unit step of each state and parameter; 1 if not given
};

/// X against central differences of the flow. The flow must be run at a tolerance far below `best`.
inline void expect_tangent(const Motion& motion, double T, const TangentCheck& check = {}) {
  const FlowResult result = motion.until(T, Carries::state_and_tangent);
  ASSERT_EQ(result.outcome, Outcome::reached_end);
  Vector scale = Vector::Ones(result.end.tangent.cols());
  for (std::size_t i = 0; i < check.scale.size(); ++i) scale[static_cast<Eigen::Index>(i)] = check.scale[i];
  const Matrix X = result.end.tangent * scale.asDiagonal();
  const double size = std::max(largest(X), 1e-3);
  const auto D = [&](double h) { return central_differences(motion, T, h, scale); };
  EXPECT_CLOSE(D, X, difference(check.h, check.best * size)) << sequence_of(result);
  double best = 1e300;
  double at = 0.0;
  for (double h = check.h; h >= check.smallest && best > check.best * tolerance_scale(); h *= 0.5) {
    const double error = largest(D(h) - X) / size;
    if (error < best) at = h;
    best = std::min(best, error);
  }
  EXPECT_LE(best, check.best * tolerance_scale()) << "at h = " << at << "\n" << sequence_of(result);
}

/// A tight tolerance for differences: noise of the flow far below the step of the difference.
inline FlowOptions tight() {
  FlowOptions options;
  options.method = FlowMethod::runge_kutta;
  options.rtol = 1e-13;
  options.atol = 1e-15;
  options.tangent_rtol = 1e-11;
  return options;
}

}  // namespace saltus::test
