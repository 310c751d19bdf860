#include "saltus/flow/segment_flow.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "saltus/flow/exact_flow.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

/// Of steps in a segment. A trial that needs more has strayed to where the model is stiff: it is refused, and a shorter step tried.
constexpr long most_attempts = 1'000'000;

constexpr std::array<double, 9> looks = {0.0, 0.0625, 0.1875, 0.3125, 0.5, 0.6875, 0.8125, 0.9375, 1.0};

}  // namespace

SegmentFlow::SegmentFlow(const Kernels& kernels, const FlowOptions& options,
                         const std::vector<double>& parameter_inputs, LaneStepper::Carries carries)
    : kernels_(kernels),
      options_(options),
      parameters_(parameter_inputs),
      mechanism_(kernels, parameters_),
      stepper_(kernels, 1, carries),
      tangent_(carries == LaneStepper::Carries::state_and_tangent) {
  stepper_.set_tolerances(options.rtol, options.atol, options.tangent_rtol);
  for (std::size_t i = 0; i < parameters_.size(); ++i) stepper_.parameter(i, 0) = parameters_[i];
  if (flows_exactly(kernels, options)) exact_.emplace(kernels, parameters_);
}

void SegmentFlow::load(double t, const Vector& x, const Mode& mode) {
  const Layout& layout = kernels_.layout();
  stepper_.t(0) = t;
  for (std::size_t i = 0; i < layout.N(); ++i) stepper_.y(i, 0) = x[index(i)];
  if (tangent_)
    for (std::size_t c = 0; c < layout.columns(); ++c)
      for (std::size_t i = 0; i < layout.N(); ++i)
        stepper_.y(layout.N() + layout.tangent(i, c), 0) = i == c ? 1.0 : 0.0;
  const std::vector<double> inputs = mode_inputs(mode);
  for (std::size_t i = 0; i < inputs.size(); ++i) stepper_.mode(i, 0) = inputs[i];
  stepper_.set_masked(0, mode.is_masked());
  stepper_.h(0) = 0.0;
  stepper_.start();
}

/// The last step's state at t + θ h, on its dense output or its Taylor polynomial.
Vector SegmentFlow::state(double theta, double h) {
  Vector x(index(kernels_.layout().N()));
  if (on_path_) {
    const std::size_t N = kernels_.layout().N();
    exact_arithmetic(N).evaluate(path_.x.data(), path_.degree, theta * h, x.data(), N);
    return x;
  }
  const std::array<double, 1> place = {theta};
  stepper_.sample(place);
  for (Index i = 0; i < x.size(); ++i) x[i] = stepper_.sampled(static_cast<std::size_t>(i), 0);
  return x;
}

double SegmentFlow::guard_value(const Guard& guard, double t, const Vector& x, const Mode& mode) const {
  const FieldValue field = mechanism_.field(t, x, mode);
  const Index row = index(row_of(guard, kernels_.layout()));
  const auto of = [&](const Vector& values, Index at) { return guard.sign * (values[at] - guard.offset); };
  if (guard.kind == Guard::Kind::force) return of(field.force, row);
  if (guard.kind == Guard::Kind::weight) return of(field.weight, index(guard.index));
  return of(mechanism_.events(t, x, field.rate).value, row);
}

double SegmentFlow::guard_rate(const Guard& guard, double t, const Vector& x, const Mode& mode) const {
  const FieldValue field = mechanism_.field(t, x, mode);
  if (!guard.is_multiplier())
    return guard.sign * mechanism_.events(t, x, field.rate).rate[index(row_of(guard, kernels_.layout()))];
  const double ahead = 1e-6;
  return (guard_value(guard, t + ahead, x + ahead * field.rate, mode) -
          guard_value(guard, t - ahead, x - ahead * field.rate, mode)) /
         (2.0 * ahead);
}

/// Minima of the guards inside the step from t: where their rate passes from negative to positive.
void SegmentFlow::look_for_dips(const Mode& mode, double t, double begin, double h, std::vector<Dip>& dips) {
  for (const Guard& guard : guards_of(mode)) {
    const auto rate = [&](double theta) {
      return guard_rate(guard, t + theta * h, state(theta, h), mode) * (h > 0 ? 1 : -1);
    };
    double before = rate(looks[0]);
    for (std::size_t j = 1; j < looks.size(); ++j) {
      const double after = rate(looks[j]);
      if (before < 0.0 && after >= 0.0) {
        double lower = looks[j - 1], upper = looks[j], r_lower = before, r_upper = after;
        for (int k = 0; k < 60 && upper - lower > 1e-13; ++k) {
          double middle = lower - r_lower * (upper - lower) / (r_upper - r_lower);
          if (k % 3 == 2 || !(middle > lower && middle < upper)) middle = 0.5 * (lower + upper);
          const double r = rate(middle);
          (r < 0.0 ? lower : upper) = middle;
          (r < 0.0 ? r_lower : r_upper) = r;
          if (r == 0.0) break;
        }
        const double place = std::abs(r_lower) < std::abs(r_upper) ? lower : upper;
        dips.push_back({guard, begin + place * h, guard_value(guard, t + place * h, state(place, h), mode)});
      }
      before = after;
    }
  }
}

Segment SegmentFlow::operator()(double t, const Vector& x, const Mode& mode, double duration, Watch watch,
                                PathFollower* follower) {
  if (exact_)
    if (const ExactMode& at = exact_->mode(mode); at.linear) return in_closed_form(at, t, x, duration, watch, follower);
  return by_steps(t, x, mode, duration, watch, follower);
}

/// The step from t over h.
void SegmentFlow::show(double t, double h, const Mode& mode, PathFollower& follower) {
  const std::function<void(double, Vector&)> place = [&](double theta, Vector& x) { x = state(theta, h); };
  follower.follow({t, h, mode, place});
}

Segment SegmentFlow::in_closed_form(const ExactMode& at, double t, const Vector& x, double duration, Watch watch,
                                    PathFollower* follower) {
  const Layout& layout = kernels_.layout();
  const ExactArithmetic& arithmetic = exact_arithmetic(layout.N());
  Segment segment{.whole = false, .x = x, .tangent = {}, .dips = {}};
  if (tangent_) segment.tangent = Matrix::Identity(index(layout.N()), index(layout.columns()));
  const double sign = duration < 0.0 ? -1.0 : 1.0;
  const double length = std::abs(duration);
  std::vector<double> u(at.m);
  on_path_ = true;
  double done = 0.0;
  while (done < length) {
    const bool ends = at.step >= (length - done) * (1.0 - 1e-12);
    const double h = sign * (ends ? length - done : at.step);
    const double now = t + sign * done;
    at.basis.values(now, u.data());
    arithmetic.expand(at, segment.x.data(), u.data(), path_);
    if (watch == Watch::dips) look_for_dips(at.mode, now, sign * done, h, segment.dips);
    if (follower) show(now, h, at.mode, *follower);
    if (tangent_) {
      double* const columns = segment.tangent.data();
      arithmetic.carry(at, h, columns, layout.state_columns);
      for (std::size_t c = 0; c < layout.varied.size(); ++c)
        arithmetic.carry_parameter(at, path_, c, h, columns + (layout.state_columns + c) * layout.N());
    }
    arithmetic.evaluate(path_.x.data(), path_.degree, h, segment.x.data(), layout.N());
    done = ends ? length : done + at.step;
  }
  on_path_ = false;
  segment.whole = segment.x.allFinite();
  return segment;
}

Segment SegmentFlow::by_steps(double t, const Vector& x, const Mode& mode, double duration, Watch watch,
                              PathFollower* follower) {
  const Layout& layout = kernels_.layout();
  load(t, x, mode);
  Segment segment;
  const double sign = duration < 0.0 ? -1.0 : 1.0;
  const double length = std::abs(duration);
  const double speed = mechanism_.field(t, x, mode).rate.cwiseAbs().maxCoeff();
  double step =
      std::min({length, options_.largest_step, speed > 0.0 ? 0.05 * (1.0 + x.cwiseAbs().maxCoeff()) / speed : 1e-2});
  double done = 0.0;
  long attempts = 0;
  while (done < length) {
    if (++attempts > most_attempts) return segment;
    const bool ends = step >= (length - done) * (1.0 - 1e-12);
    const double h = sign * (ends ? length - done : step);
    stepper_.h(0) = h;
    stepper_.attempt();
    const double error = stepper_.error(0);
    const double worst = std::isfinite(error) ? error : 1e9;
    if (worst > 1.0) {
      step = std::abs(h) * std::max(0.1, 0.8 * std::pow(worst, -1.0 / 8.0));
      if (step < 1e-14 * (1.0 + std::abs(t))) return segment;
      continue;
    }
    if (watch == Watch::dips || follower) stepper_.prepare_dense();
    if (watch == Watch::dips) look_for_dips(mode, stepper_.t(0), sign * done, h, segment.dips);
    if (follower) show(stepper_.t(0), h, mode, *follower);
    stepper_.take(0);
    done = ends ? length : done + std::abs(h);
    step = std::min(options_.largest_step,
                    std::abs(h) * std::clamp(0.8 * std::pow(std::max(worst, 1e-12), -1.0 / 8.0), 0.2, 2.0));
  }
  segment.x.resize(index(layout.N()));
  for (std::size_t i = 0; i < layout.N(); ++i) segment.x[index(i)] = stepper_.y(i, 0);
  if (tangent_) {
    segment.tangent.resize(index(layout.N()), index(layout.columns()));
    for (std::size_t c = 0; c < layout.columns(); ++c)
      for (std::size_t i = 0; i < layout.N(); ++i)
        segment.tangent(index(i), index(c)) = stepper_.y(layout.N() + layout.tangent(i, c), 0);
  }
  segment.whole = segment.x.allFinite();
  return segment;
}

}  // namespace saltus
