#include "saltus/flow/exact_road.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "saltus/flow/closing.hpp"
#include "saltus/flow/run_length.hpp"
#include "saltus/flow/time_scale.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

/// Systems are assembled once and used by many runs: what a thread used last is kept.
const ExactSystem& remembered_system(const Kernels& kernels, const std::vector<double>& parameters) {
  struct Entry {
    std::uint64_t serial;
    std::unique_ptr<ExactSystem> system;
  };
  constexpr std::size_t most = 16;
  thread_local std::vector<Entry> entries;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].serial != kernels.serial() || entries[i].system->parameters() != parameters) continue;
    const auto place = entries.begin() + static_cast<std::ptrdiff_t>(i);
    if (i > 0) std::rotate(entries.begin(), place, place + 1);
    return *entries.front().system;
  }
  if (entries.size() == most) entries.pop_back();
  entries.insert(entries.begin(), Entry{kernels.serial(), std::make_unique<ExactSystem>(kernels, parameters)});
  return *entries.front().system;
}

}  // namespace

ExactRoad::ExactRoad(const Kernels& kernels, const FlowOptions& options, LaneStepper::Carries carries, LaneWork& work,
                     std::size_t seat)
    : EventLoop(kernels, options, work),
      state_only_(carries == LaneStepper::Carries::state),
      N_(layout_.N()),
      step_(N_),
      rate_(N_),
      rate_beyond_(N_) {
  motion_.seat = seat;
}

// ---- where the motion stands --------------------------------------------------------------------------------------

void ExactRoad::clear(std::size_t) {
  const std::size_t seat = motion_.seat;
  guards_.reset();
  motion_ = Motion();
  motion_.seat = seat;
  loaded_ = false;
}

/// What belongs to a new motion.
void ExactRoad::prepare() {
  if (guards_) return;
  system_ = &remembered_system(kernels_, motion_.run.parameters);
  guards_.emplace(*motion_.mechanism, motion_.run.watches, motion_.kept_watches, motion_.kept_functions);
  if (state_only_) motion_.point.tangent.resize(motion_.point.tangent.rows(), 0);
}

/// How long the motion goes about without turning: a step, or what the fall of a free body takes to change it, or to close a gap.
double ExactRoad::first_step(std::size_t) {
  prepare();
  const FlowPoint& point = motion_.point;
  const ExactMode& mode = system_->mode(point.mode);
  if (mode.linear && std::isfinite(mode.step)) return mode.step;
  const Mechanism& mechanism = *motion_.mechanism;
  const Vector rate = mechanism.field(point.t.phase, point.x, point.mode).rate;
  if (const double scale = time_scale(mechanism, point.t.phase, point.x, point.mode, rate); scale > 0.0) return scale;
  const EventValue events = mechanism.events(point.t.phase, point.x, rate, point.mode);
  double longest = 0.0;
  for (Index i = 0; i < events.gap_second.size(); ++i)
    if (const double fall = std::sqrt(std::abs(events.value[i] / events.gap_second[i])); std::isfinite(fall))
      longest = std::max(longest, fall);
  if (longest > 0.0) return longest;
  const FlowRun& run = motion_.run;
  return run.period > 0.0 ? 0.1 * run.period : 0.01 * std::max(until(run.end, point.t, run.period), 1e-290);
}

void ExactRoad::enter(std::size_t) {
  prepare();
  at_ = &system_->mode(motion_.point.mode);
  motion_.look_at_watches();
  guards_->forget();
  if (at_->linear) step_.enter(*at_, motion_.point.x.data(), motion_.point.t.phase);
  loaded_ = at_->linear;
}

void ExactRoad::leave(std::size_t) {
  if (loaded_) std::copy_n(step_.x(), N_, motion_.point.x.data());
}

/// A mode was met that is not linear after all: all of the run by Runge-Kutta steps.
void ExactRoad::hand_over() {
  if (options_.method == FlowMethod::exact)
    throw Error(
        ExitCode::usage,
        "method 'exact': the motion slides along a switch across which the force changes by more than a constant, "
        "or is held where several switches meet, and that is not linear\n  use method 'rk'");
  FlowOptions general = options_;
  general.method = FlowMethod::runge_kutta;
  if (state_only_) motion_.run.start.tangent.resize(motion_.run.start.tangent.rows(), 0);
  FlowResult result = flow(kernels_, general, motion_.run);
  use_.steps += result.ledger.steps;
  motion_.active = false;
  work_.done(motion_.seat, std::move(result));
}

// ---- a step -------------------------------------------------------------------------------------------------------

void ExactRoad::advance() {
  ++use_.slots;
  ++use_.busy;
  FlowPoint& point = motion_.point;
  if (!at_->linear) {
    hand_over();
    return refill(0);
  }
  if (motion_.has_set_aside()) {
    leave(0);
    motion_.watch_again();
  }
  guards_->begin_on(motion_.arrived);
  const double left = until(motion_.run.end, point.t, motion_.run.period);
  const double longest = longest_length();
  ends_ = longest >= left * (1.0 - 1e-12);
  const double length = ends_ ? left : longest;
  if (!(length > 0.0)) {
    point.t = motion_.run.end;
    end(0, Outcome::reached_end);
    return refill(0);
  }
  if (!ends_ && longest == at_->step) step_.go_whole();
  else step_.go(length, point.t.phase);
  if (!step_.ends_finite()) {
    end(0, Outcome::left_domain);
    return refill(0);
  }
  const auto meeting = guards_->first_meeting(step_, point.t.phase);
  if (!meeting) {
    take();
    return arrive_at(0, {std::nullopt, ends_});
  }
  if (meeting->tau == 0.0) return meet_at_once(meeting->guard);
  step_.land(meeting->tau);
  ends_ = false;
  take();
  arrive_at(0, {meeting->guard, false});
}

double ExactRoad::longest_length() {
  const double natural = std::isfinite(at_->step) ? at_->step : polynomial_step();
  return std::min({natural, longest_step(options_), motion_.longest_unwatched()});
}

/// Of a motion that is a polynomial in time, for which any step is exact: so long that the terms of a parabola are some ten thousand
/// times those that close it and no more, or rounding of the largest would hide where a gap closes just after the start.
double ExactRoad::polynomial_step() {
  constexpr double shortest = 1e-6;  // of the pace: what is sooner is rounding of zero
  return std::max(100.0 * guards_->time_of_zeros(step_), shortest * motion_.point.natural_step);
}

/// A guard that falls where the step begins. A contact that was let go in this very instant, and presses, stays closed; one that is driven
/// together by what is left of its speed, and drawn apart by its force, is struck.
void ExactRoad::meet_at_once(const Guard& guard) {
  const auto presses = [&] {
    leave(0);
    const FlowPoint& point = motion_.point;
    const Mechanism& mechanism = *motion_.mechanism;
    const Vector rate = mechanism.field(point.t.phase, point.x, point.mode).rate;
    const Index n = index(layout_.n);
    const Vector parts = rate.segment(n, n).cwiseAbs() + pulls_of(mechanism, point.t.phase, point.x, point.mode);
    const Vector normal = mechanism.contact(point.t.phase, point.x, point.mode).normal.row(index(guard.index));
    const double apart = mechanism.events(point.t.phase, point.x, rate, point.mode).gap_second[index(guard.index)];
    return !(apart > 1e-9 * normal.cwiseAbs().dot(parts));
  };
  if (guard.kind == Guard::Kind::gap && motion_.steps_since_event == 0 && presses()) {
    motion_.point.mode.close(guard.index);
    motion_.arrived = guard;
    leave(0);
    return enter(0);
  }
  meet(0, guard);
  if (!motion_.active) refill(0);
}

/// Takes the step as far as it was laid out.
void ExactRoad::take() {
  FlowPoint& point = motion_.point;
  FlowResult& result = motion_.result;
  const double tau = step_.tau();
  if (!guards_->misses().empty()) keep_misses();
  for (std::size_t i = 0; i < layout_.contacts; ++i) motion_.note_lowest(i, guards_->lowest_minima()[i]);
  motion_.take_samples(tau, [&](double ahead) {
    Vector x(index(N_));
    step_.place(std::max(ahead, 0.0), x.data());
    return x;
  });
  if (motion_.run.follower && tau > 0.0) show(tau);
  result.divergence += at_->trace * tau;
  if (motion_.run.measure_energy) add_work(tau);
  if (at_->masked) motion_.note_sliding(tau);
  if (carries_tangent()) step_.carry(point.tangent.data(), layout_.state_columns, layout_.varied.size());
  if (motion_.run.measure_range) note_range(tau);
  step_.take();
  const long turns = motion_.move_on(tau, 0.0, ends_);
  if (step_.is_whole() && turns == 0) guards_->go_on();
  else refresh();
  if (turns != 0) turn_columns(turns);
  if (at_->masked) project();
  if (motion_.frame.is_due()) motion_.frame.keep(point.tangent);
}

/// Both ends of the step; of a free flight also its middle: it may be one step from ground to ground.
void ExactRoad::note_range(double tau) {
  FlowResult& result = motion_.result;
  const Index N = index(N_);
  if (result.lowest.size() == 0) {
    result.lowest = Vector::Constant(N, std::numeric_limits<double>::infinity());
    result.highest = -result.lowest;
  }
  const auto include = [&](const double* x) {
    result.lowest = result.lowest.cwiseMin(Eigen::Map<const Vector>(x, N));
    result.highest = result.highest.cwiseMax(Eigen::Map<const Vector>(x, N));
  };
  include(step_.start());
  include(step_.end());
  if (std::isfinite(at_->step)) return;
  step_.place(0.5 * tau, rate_.data());
  include(rate_.data());
}

void ExactRoad::show(double tau) {
  const std::function<void(double, Vector&)> place = [&](double theta, Vector& x) {
    x.resize(index(N_));
    step_.place(theta * tau, x.data());
  };
  motion_.run.follower->follow({motion_.point.t.absolute(motion_.run.period), tau, motion_.point.mode, place});
}

/// Misses before the end of the step count; those behind an event never happened.
void ExactRoad::keep_misses() {
  for (const ExactGuards::Miss& miss : guards_->misses()) {
    if (miss.tau > step_.tau()) continue;
    const double near = 10.0 * (options_.rtol * miss.size + options_.atol);
    Vector x(index(N_));
    step_.place(miss.tau, x.data());
    motion_.note_miss({miss.contact, miss.tau, miss.h, 0.0, near}, x);
  }
  guards_->misses().clear();
}

/// ∫ of all power on the kinetic energy, by Gauss' rule with eight points: exact to rounding over a step.
void ExactRoad::add_work(double tau) {
  static constexpr std::array<double, 4> places = {0.18343464249564980, 0.52553240991632899, 0.79666647741362674,
                                                   0.96028985649753623};
  static constexpr std::array<double, 4> weights = {0.36268378337836198, 0.31370664587788729, 0.22238103445337447,
                                                    0.10122853629037626};
  Vector x(index(N_));
  for (std::size_t j = 0; j < places.size(); ++j) {
    for (const double side : {-1.0, 1.0}) {
      const double at = 0.5 * tau * (1.0 + side * places[j]);
      step_.place(at, x.data());
      const double power = motion_.mechanism->energy(motion_.point.t.phase + at, x, motion_.point.mode).second;
      motion_.result.ledger.energy_work += 0.5 * tau * weights[j] * power;
    }
  }
}

void ExactRoad::refresh() {
  step_.refresh_basis(motion_.point.t.phase);
  guards_->forget();
}

/// Back onto the surfaces that the mode slides along.
void ExactRoad::project() {
  leave(0);
  Settler(*motion_.mechanism, options_, motion_.run.period).project(motion_.point);
  std::copy_n(motion_.point.x.data(), N_, step_.x());
  guards_->forget();
}

void ExactRoad::note_gaps(std::size_t) {
  if (!at_->linear) return;
  for (std::size_t i = 0; i < layout_.contacts; ++i)
    if (!motion_.point.mode.is_closed(i)) motion_.note_gap(ExactGuards::value_of(at_->events[i], step_.start()));
}

/// A parameter may change the period: at a fixed number of cycles and a fixed phase its column gains ẋ ∂period/∂p per turn.
void ExactRoad::turn_columns(long turns) {
  if (!carries_tangent() || motion_.run.period_rates.empty()) return;
  step_.field(*at_, step_.u(), rate_.data());
  for (std::size_t c = 0; c < layout_.varied.size(); ++c)
    for (std::size_t i = 0; i < N_; ++i)
      motion_.point.tangent(index(i), index(layout_.state_columns + c)) +=
          static_cast<double>(turns) * motion_.run.period_rates[c] * rate_[i];
}

// ---- switches -----------------------------------------------------------------------------------------------------

bool ExactRoad::carry_over(std::size_t, const Guard& guard) {
  return guard.kind == Guard::Kind::switched && passes(guard);
}

/// The common case, done without the settler: the motion passes a switch at which the force is continuous (or no tangent
/// is carried), so that nothing but the mode changes.
bool ExactRoad::passes(const Guard& guard) {
  FlowPoint& point = motion_.point;
  FlowResult& result = motion_.result;
  const std::size_t k = guard.index;
  const ExactMode& beyond = system_->beyond(*at_, k);
  if (!beyond.linear || at_->masked || layout_.nested_switches || point.recent.shrinks() || is_near_watched() ||
      meets_others(k))
    return false;
  if (carries_tangent()) step_.field(*at_, step_.u(), rate_.data());
  step_.change_mode(beyond, point.t.phase);
  const double speed = ExactGuards::rate_of(beyond.events[layout_.contacts + k], step_.start());
  if (guard.sign * speed > 0.0 || (carries_tangent() && jumps())) {
    step_.change_mode(*at_, point.t.phase);
    return false;
  }
  ++result.ledger.switches;
  if (motion_.run.keep_events) {
    leave(0);
    result.events.push_back({EventKind::switched, point.t.absolute(motion_.run.period), k, 0, 0, 0, point.x, point.x});
  }
  point.mode.pass(k, -guard.sign);
  point.recent.note({point.t.absolute(motion_.run.period), k, point.mode.switches()[k],
                     Eigen::Map<const Vector>(step_.x(), index(N_))});
  at_ = &beyond;
  guards_->forget();
  motion_.steps_since_event = 0;
  if (motion_.has_too_many_events(options_)) end(0, Outcome::too_many_events);
  return true;
}

/// The motion is on the surface of another switch, too, as one that rests on it is: which side that one takes may change with k.
bool ExactRoad::meets_others(std::size_t k) const {
  constexpr double near = 1e-9;
  for (std::size_t j = 0; j < layout_.switches; ++j) {
    if (j == k) continue;
    const ExactRow& row = at_->events[layout_.contacts + j];
    const double reach = std::abs(ExactGuards::rate_of(row, step_.start())) * motion_.point.natural_step;
    const double size = ExactGuards::size_of(row.value, step_.start()) + reach;
    if (std::abs(ExactGuards::value_of(row, step_.start())) <= near * size) return true;
  }
  return false;
}

/// A watched surface may be passed at the very instant.
bool ExactRoad::is_near_watched() const {
  constexpr double near = 1e-6;
  for (const Watch& watch : motion_.run.watches) {
    const ExactRow& row = at_->events[layout_.contacts + layout_.switches + watch.surface];
    if (!row.affine) return true;
    double value = ExactGuards::value_of(row, step_.start());
    if (watch.modulo > 0.0) value -= watch.modulo * std::round(value / watch.modulo);
    const double reach = std::abs(ExactGuards::rate_of(row, step_.start())) * motion_.point.natural_step;
    if (std::abs(value) <= near * (ExactGuards::size_of(row.value, step_.start()) + watch.modulo + reach)) return true;
  }
  return false;
}

/// Does the field jump from `rate_`, in the mode before, to that of the step's mode? Each component beside the terms that it is the
/// sum of.
bool ExactRoad::jumps() {
  const ExactMode& beyond = step_.mode();
  step_.field(beyond, step_.u(), rate_beyond_.data());
  for (std::size_t i = 0; i < N_; ++i) {
    double size = 0.0;
    for (std::size_t j = 0; j < N_; ++j) size += std::abs(beyond.A[j * N_ + i] * step_.x()[j]);
    for (std::size_t j = 0; j < beyond.m; ++j) size += std::abs(beyond.B[j * N_ + i] * step_.u()[j]);
    if (std::abs(rate_[i] - rate_beyond_[i]) > 1e-13 * (size + std::abs(rate_[i]))) return true;
  }
  return false;
}

}  // namespace saltus
