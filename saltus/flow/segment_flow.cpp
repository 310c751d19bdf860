#include "saltus/flow/segment_flow.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "saltus/flow/exact_flow.hpp"
#include "saltus/flow/exclusion.hpp"
#include "saltus/flow/step_control.hpp"
#include "saltus/flow/time_scale.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

/// Of steps in a segment. A trial that needs more has strayed to where the model is stiff: it is refused, and a shorter step tried.
constexpr long most_attempts = 1'000'000;

constexpr long steps_between_polls = 64;

bool is_interrupted(const FlowOptions& options) { return options.interrupted && options.interrupted(); }

constexpr std::size_t pieces = 8;
constexpr double narrowest = 0x1p-30;
constexpr int most_splits = 400;

}  // namespace

/// Of a guard between two places of a step: its rates by θ at both, and what bounds say.
struct SegmentFlow::Stretch {
  double rate_begin, rate_end;
  bool turns;  // its rate may vanish
  bool bends_up;  // it has one minimum at most
  bool stays_above;
};

SegmentFlow::SegmentFlow(const Kernels& kernels, const FlowOptions& options,
                         const std::vector<double>& parameter_inputs, LaneStepper::Carries carries)
    : kernels_(kernels),
      options_(options),
      parameters_(parameter_inputs),
      mechanism_(kernels, parameters_),
      stepper_(kernels, 1, carries),
      unseen_(UnseenForce::of(kernels, 1)),
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
  const double scale = time_scale(mechanism_, t, x, mode, field.rate);
  const double ahead = 1e-6 * (scale > 0.0 ? scale : 1.0);
  return (guard_value(guard, t + ahead, x + ahead * field.rate, mode) -
          guard_value(guard, t - ahead, x - ahead * field.rate, mode)) /
         (2.0 * ahead);
}

/// Minima of the guards inside a step: where their rate passes from negative to positive. Where bounds do not show that a guard
/// stays above zero the step is split until they show where it turns.
void SegmentFlow::look_for_dips(const Step& step, std::vector<Dip>& dips) {
  const std::vector<Guard> guards = guards_of(step.mode);
  if (guards.empty()) return;
  lay_curve(step);
  splits_ = 0;
  look_between(step, {0.0, 1.0}, guards, dips);
}

/// x(θ) of the step, by powers of θ.
void SegmentFlow::lay_curve(const Step& step) {
  const std::size_t N = kernels_.layout().N();
  if (!curve_) curve_.emplace(kernels_, 1);
  const std::vector<double> mode = mode_inputs(step.mode);
  curve_->set(step.t, step.h, parameters_.data(), mode.data(), 1);
  std::vector<double>& coefficients = curve_->coefficients(on_path_ ? path_.degree : LaneStepper::dense_degree);
  if (on_path_) {
    double power = 1.0;
    for (std::size_t k = 0; k <= static_cast<std::size_t>(path_.degree); ++k, power *= step.h)
      for (std::size_t i = 0; i < N; ++i) coefficients[k * N + i] = power * path_.x[k * N + i];
  } else {
    for (std::size_t i = 0; i < N; ++i) {
      const auto c = stepper_.dense_polynomial(i, 0);
      for (std::size_t k = 0; k < c.size(); ++k) coefficients[k * N + i] = c[k];
    }
  }
  if (step.mode.is_masked() && !step.mode.any_held()) curve_->add_multipliers(step.mode, std::vector<double>(N, 0.0));
}

SegmentFlow::Stretch SegmentFlow::stretch_of(const Step& step, const Guard& guard, Part part, const double* begin,
                                             const double* end, const double* box) const {
  const double sign = guard.sign;
  const double offset = guard.offset;
  const std::size_t event = row_of(guard, kernels_.layout());
  const std::size_t row = guard.is_multiplier() ? curve_->row_of_multiplier(event) : event;
  const auto at = [&](const double* values) { return CurveBounds::Row{values, curve_->rows()}; };
  const auto interval = [&](std::size_t order, double factor) {
    const Interval it = at(box).interval(order, row, 1.0, order == 0 ? offset : 0.0);
    return sign * factor > 0.0 ? Interval{factor * sign * it.lower, factor * sign * it.upper}
                               : Interval{factor * sign * it.upper, factor * sign * it.lower};
  };
  const auto jet = [&](const double* values) {
    return EndJet{sign * (at(values).middle(0, row) - offset), sign * step.h * at(values).middle(1, row), 0.0};
  };
  const EndJet from = jet(begin);
  const EndJet to = jet(end);
  const Interval value = interval(0, 1.0);
  const Interval rate = interval(1, step.h);
  const Interval bend = interval(2, step.h * step.h);
  const double width = part.upper - part.lower;
  const double between =
      std::max(meeting_value(from, to, width, bend.lower), tent_value(from.value, to.value, width, rate));
  return {from.rate, to.rate, !(rate.lower > 0.0 || rate.upper < 0.0), bend.lower > 0.0,
          value.lower > 0.0 || std::min(std::min(from.value, to.value), between) > 0.0};
}

void SegmentFlow::look_between(const Step& step, Part part, std::span<const Guard> guards, std::vector<Dip>& dips) {
  ++splits_;
  std::array<Part, 2 * pieces + 1> parts{};
  const auto node = [&](std::size_t k) {
    return k == pieces ? part.upper : part.lower + (part.upper - part.lower) * static_cast<double>(k) / pieces;
  };
  for (std::size_t k = 0; k <= pieces; ++k) parts[k] = {node(k), node(k)};
  for (std::size_t k = 0; k < pieces; ++k) parts[pieces + 1 + k] = {node(k), node(k + 1)};
  std::vector<double> bounds;
  curve_->bound(parts, bounds);
  const auto row = [&](std::size_t k) { return bounds.data() + k * curve_->size(); };
  for (std::size_t k = 0; k < pieces; ++k) {
    const Part piece = parts[pieces + 1 + k];
    std::vector<Guard> open;
    for (const Guard& guard : guards) {
      // The hull of switches that hold the motion together is known point by point only.
      const bool by_points = guard.is_multiplier() && step.mode.any_held();
      Stretch it{0.0, 0.0, true, false, true};
      if (by_points) {
        const auto rate = [&](double theta) {
          return guard_rate(guard, step.t + theta * step.h, state(theta, step.h), step.mode) * step.h;
        };
        it.rate_begin = rate(piece.lower);
        it.rate_end = rate(piece.upper);
      } else {
        it = stretch_of(step, guard, piece, row(k), row(k + 1), row(pieces + 1 + k));
      }
      const bool minimum = it.rate_begin < 0.0 && it.rate_end >= 0.0;
      const bool fine = piece.upper - piece.lower < narrowest || splits_ >= most_splits;
      if (minimum && (it.bends_up || it.stays_above || fine)) dips.push_back(dip_between(step, guard, piece));
      else if (it.turns && !it.stays_above && !it.bends_up && !fine) open.push_back(guard);
    }
    if (!open.empty()) look_between(step, piece, open, dips);
  }
}

/// The minimum between two places, by its rate.
Dip SegmentFlow::dip_between(const Step& step, const Guard& guard, Part part) {
  const auto [mode, t, begin, h] = step;
  const auto rate = [&, mode = std::cref(mode), t = t, h = h](double theta) {
    return guard_rate(guard, t + theta * h, state(theta, h), mode) * (h > 0 ? 1 : -1);
  };
  double lower = part.lower;
  double upper = part.upper;
  double r_lower = rate(lower);
  double r_upper = rate(upper);
  for (int k = 0; k < 60 && upper - lower > 1e-13; ++k) {
    double middle = lower - r_lower * (upper - lower) / (r_upper - r_lower);
    if (k % 3 == 2 || !(middle > lower && middle < upper)) middle = 0.5 * (lower + upper);
    const double r = rate(middle);
    (r < 0.0 ? lower : upper) = middle;
    (r < 0.0 ? r_lower : r_upper) = r;
    if (r == 0.0) break;
  }
  const double place = std::abs(r_lower) < std::abs(r_upper) ? lower : upper;
  return {guard, begin + place * h, guard_value(guard, t + place * h, state(place, h), mode)};
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
  long steps = 0;
  while (done < length) {
    if (steps++ % steps_between_polls == 0 && is_interrupted(options_)) break;
    const bool ends = at.step >= (length - done) * (1.0 - 1e-12);
    const double h = sign * (ends ? length - done : at.step);
    const double now = t + sign * done;
    at.basis.values(now, u.data());
    arithmetic.expand(at, segment.x.data(), u.data(), path_);
    if (watch == Watch::dips) look_for_dips({at.mode, now, sign * done, h}, segment.dips);
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
  segment.whole = done >= length && segment.x.allFinite();
  return segment;
}

/// Where in the last trial the motion may have met a force that its stages did not see.
std::optional<Part> SegmentFlow::unseen_in_trial(const Mode& mode) {
  if (!unseen_) return std::nullopt;
  unseen_->look(stepper_);
  if (unseen_->shows_all(0)) return std::nullopt;
  stepper_.prepare_dense();
  return unseen_->first_unseen(stepper_, 0, [&](double t, const double* x, double* rate) {
    const Vector state = Eigen::Map<const Vector>(x, index(kernels_.layout().N()));
    const Vector slope = mechanism_.field(t, state, mode).rate;
    std::copy(slope.begin(), slope.end(), rate);
  });
}

Segment SegmentFlow::by_steps(double t, const Vector& x, const Mode& mode, double duration, Watch watch,
                              PathFollower* follower) {
  const Layout& layout = kernels_.layout();
  load(t, x, mode);
  Segment segment;
  const double sign = duration < 0.0 ? -1.0 : 1.0;
  const double length = std::abs(duration);
  const double speed = mechanism_.field(t, x, mode).rate.cwiseAbs().maxCoeff();
  StepControl control;
  double step = std::min(options_.largest_step, StepControl::first_step(speed, x.cwiseAbs().maxCoeff()));
  double done = 0.0;
  long attempts = 0;
  while (done < length) {
    if (attempts % steps_between_polls == 0 && is_interrupted(options_)) return segment;
    if (++attempts > most_attempts) return segment;
    const bool ends = step >= (length - done) * (1.0 - 1e-12);
    const double h = sign * (ends ? length - done : step);
    stepper_.h(0) = h;
    stepper_.attempt();
    const double error = stepper_.error(0);
    if (!(error <= 1.0)) {
      step = std::abs(h) * control.shrink(error);
      if (!StepControl::moves(step, stepper_.t(0))) return segment;
      continue;
    }
    if (const auto unseen = unseen_in_trial(mode)) {
      step = std::abs(h) * part_to_try(*unseen);
      if (step < 1e-14 * (length + std::abs(t))) return segment;
      continue;
    }
    if (watch == Watch::dips || follower) stepper_.prepare_dense();
    if (watch == Watch::dips) look_for_dips({mode, stepper_.t(0), sign * done, h}, segment.dips);
    if (follower) show(stepper_.t(0), h, mode, *follower);
    stepper_.take(0);
    done = ends ? length : done + std::abs(h);
    step = std::min(options_.largest_step, std::abs(h) * control.grow(error));
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
