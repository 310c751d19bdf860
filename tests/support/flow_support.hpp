#pragma once
// Motions in a test's own words: a model, its numbers and its kernels in one value, and the checks that every tangent must pass.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "saltus/expr/differentiate.hpp"
#include "saltus/expr/evaluate.hpp"
#include "saltus/flow/flow_run.hpp"
#include "tests/support/tolerance.hpp"

namespace saltus::test {

using Carries = LaneStepper::Carries;

/// What a motion is made of beside its model.
struct MotionSetup {
  std::string case_name = "";
  std::vector<Assignment> set = {};
  std::vector<std::string> varied = {};
  std::vector<unsigned> widths = {1};
  FlowOptions options = {};
};

/// A model with its numbers and its kernels, ready to move.
class Motion {
 public:
  Motion(const ModelReading& reading, const MotionSetup& with) : model_(reading.model), with_(with) {
    if (!model_) throw std::runtime_error(rendered(reading.diagnostics));
    for (const std::string& name : with.varied) varied_.push_back(parameter(name));
    KernelOptions kernel_options;
    kernel_options.varied = varied_;
    if (model_->section) kernel_options.surfaces = {model_->section->surface.expr};
    kernels_ = std::make_unique<Kernels>(*model_, kernel_options, with.widths);
    setup_ = setup_with({});
    options = with.options;
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
  std::vector<double> parameters(std::size_t c = 0, double by = 0.0) const { return inputs(moved(c, by)); }
  double period_with(std::size_t c, double by) const { return moved(c, by).forcing_period; }
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
    run.period_rates = period_rates();
    return run;
  }
  FlowResult flow_from(Time t, const Vector& x, Time end, Carries carries = Carries::state) const {
    return flow(*kernels_, options, run_from(t, x, end, carries));
  }
  /// From the initial state to the absolute time T.
  FlowResult until(double T, Carries carries = Carries::state) const { return flow_from({}, start(), {0, T}, carries); }
  /// The same with the state moved by dx and varied parameter c by dp.
  FlowResult until(double T, const Vector& dx, std::size_t c, double dp) const {
    FlowRun run = run_from({}, start() + dx, {0, T}, Carries::state);
    run.parameters = parameters(c, dp);
    run.period = period_with(c, dp);
    return flow(*kernels_, options, run);
  }

  FlowOptions options;

 private:
  std::size_t parameter(const std::string& name) const {
    for (std::size_t i = 0; i < model_->parameters.size(); ++i)
      if (model_->parameters[i].name == name) return i;
    throw std::runtime_error("no parameter " + name);
  }
  Setup setup_with(const std::vector<Assignment>& more) const {
    std::vector<Assignment> all = with_.set;
    all.insert(all.end(), more.begin(), more.end());
    const SetupReading reading = set_up(*model_, with_.case_name, all);
    if (!reading.setup) throw std::runtime_error(rendered(reading.diagnostics));
    return *reading.setup;
  }
  Setup moved(std::size_t c, double by) const {
    if (by == 0.0) return setup_;
    const std::size_t j = varied_[c];
    std::ostringstream value;
    value.precision(17);
    value << setup_.parameters[j] + by;
    return setup_with({{model_->parameters[j].name, value.str()}});
  }
  /// ∂p_j/∂p_varied by the chain rule over the expressions of the followers.
  std::vector<double> inputs(const Setup& setup) const {
    std::vector<double> result = setup.parameters;
    const auto value = [&](const std::string& name) { return setup.parameters[parameter(name)]; };
    for (std::size_t c = 0; c < varied_.size(); ++c) {
      std::vector<double> rate(model_->parameters.size(), 0.0);
      rate[varied_[c]] = 1.0;
      for (const Follower& follower : layout().followers) {
        if (follower.column != c) continue;
        const Parameter& p = model_->parameters[follower.parameter];
        for (std::size_t i = 0; i < follower.parameter; ++i)
          if (rate[i] != 0.0)
            rate[follower.parameter] += rate[i] * evaluate(differentiate(p.value, model_->parameters[i].symbol), value);
        result.push_back(rate[follower.parameter]);
      }
    }
    return result;
  }
  /// ∂period/∂p, exact but for a central difference of a smooth formula.
  std::vector<double> period_rates() const {
    std::vector<double> rates;
    if (period() == 0.0) return rates;
    for (std::size_t c = 0; c < varied_.size(); ++c) {
      const double h = 1e-4;
      const auto slope = [&](double by) { return (period_with(c, by) - period_with(c, -by)) / (2.0 * by); };
      rates.push_back((4.0 * slope(h) - slope(2.0 * h)) / 3.0);
    }
    return rates;
  }

  std::shared_ptr<const Model> model_;
  MotionSetup with_;
  std::vector<std::size_t> varied_;
  std::unique_ptr<Kernels> kernels_;
  Setup setup_;
  mutable std::vector<double> inputs_;
};

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
  double smallest = 2e-7;  // ... h, h/4, h/16, … down to here
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
  for (double h = check.h; h >= check.smallest && best > check.best * tolerance_scale(); h *= 0.25) {
    const double error = largest(D(h) - X) / size;
    if (error < best) at = h;
    best = std::min(best, error);
  }
  EXPECT_LE(best, check.best * tolerance_scale()) << "at h = " << at << "\n" << sequence_of(result);
}

/// A tight tolerance for differences: noise of the flow far below the step of the difference.
inline FlowOptions tight() {
  FlowOptions options;
  options.rtol = 1e-13;
  options.atol = 1e-15;
  options.tangent_rtol = 1e-11;
  return options;
}

}  // namespace saltus::test
