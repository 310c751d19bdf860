#include "saltus/flow/lane_stepper.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "saltus/numerics/vectors.hpp"

namespace saltus {

LaneStepper::LaneStepper(const Kernels& kernels, unsigned width, Carries carries)
    : functions_(kernels.at(width)),
      loops_(step_loops(width)),
      layout_(kernels.layout()),
      width_(width),
      components_(layout_.N() * (1 + (carries == Carries::state ? 0 : layout_.columns()))),
      rates_(layout_.N() + (carries == Carries::state ? 0 : layout_.tangent_rates())) {
  const std::size_t extra = layout_.contacts + layout_.switches;  // λ and w behind the field
  masked_.assign(width_, 0);
  held_.assign(width_, nullptr);
  other_.resize((rates_ + extra) * width_);
  scalars_.resize(4 * width_);
  tangent_scalars_.resize(3 * width_);
  times_.resize(dop853::all_stages * width_);
  for (const double c : dop853::c) nodes_.insert(nodes_.end(), width_, c);
  t_sample_.resize(width_);
  p_.resize(layout_.parameter_inputs() * width_);
  mode_.resize(layout_.mode_size() * width_);
  y_.resize(components_ * width_);
  y_new_.resize(components_ * width_);
  stage_.resize(components_ * width_);
  sample_.resize(layout_.N() * width_);
  for (LaneArray* slopes : {&rate_, &rate_new_, &slope_}) slopes->resize((rates_ + extra) * width_);
  for (LaneArray& r : dense_) r.resize(layout_.N() * width_);
  sums_.resize(4 * width_);
  least_.resize(extra * width_);
  largest_.resize(extra * width_);
  for (const std::size_t count : {layout_.N(), components_ - layout_.N()})
    error_counts_.insert(error_counts_.end(), width_, static_cast<double>(count));
  errors_.resize(width_);
  tangent_errors_.resize(width_);
  const std::size_t n = layout_.n;
  const std::size_t N = layout_.N();
  add_group(loops_.pair, false, 0, n, n, n);
  add_group(loops_.plain, false, 2 * n, 2 * n, 2 * n, layout_.first_order);
  if (carries == Carries::state) return;
  const std::size_t C = layout_.columns();
  add_group(loops_.pair, true, N, N + n * C, N, n * C);
  add_group(loops_.plain, true, N + 2 * n * C, N + 2 * n * C, N + n * C, layout_.first_order * C);
}

void LaneStepper::add_group(const StepLoops::Sums& sums, bool tangent, std::size_t positions, std::size_t velocities,
                            std::size_t rates, std::size_t count) {
  if (count == 0) return;
  Group group{.sums = &sums, .tangent = tangent, .count = count};
  group.records.resize((count + 8) * StepLoops::record_slots * width_);
  const std::size_t q = positions * width_;
  const std::size_t v = velocities * width_;
  const std::size_t k = rates * width_;
  group.streams = {y_.data() + q,     y_.data() + v,     rate_.data() + k,    slope_.data() + k,
                   y_new_.data() + q, y_new_.data() + v, group.records.data()};
  group.end_streams = group.streams;
  group.end_streams[StepLoops::last_slope] = rate_new_.data() + k;
  double* const records = group.records.data();
  const bool pair = &sums == &loops_.pair;
  group.stage = {stage_.data() + q, stage_.data() + v, records};
  group.end = {y_new_.data() + q, y_new_.data() + v, records};
  if (!pair) {
    group.stage = {stage_.data() + v, records};
    group.end = {y_new_.data() + v, records};
  }
  if (!tangent) {
    for (std::size_t r = 0; r < dense_.size(); ++r) {
      group.dense[r] = dense_[r].data() + (pair ? q : v);
      group.dense[dense_.size() + r] = dense_[r].data() + v;
    }
  }
  groups_.push_back(std::move(group));  // its records stay where they are
}

void LaneStepper::set_tolerances(double rtol, double atol, double tangent_rtol) {
  std::fill_n(scalars_.begin() + static_cast<std::ptrdiff_t>(2 * width_), width_, rtol);
  std::fill_n(scalars_.begin() + static_cast<std::ptrdiff_t>(3 * width_), width_, atol);
  std::fill(tangent_scalars_.begin() + static_cast<std::ptrdiff_t>(width_), tangent_scalars_.end(), tangent_rtol);
  measures_tangent_ = std::isfinite(tangent_rtol);
}

void LaneStepper::set_masked(std::size_t lane, bool masked) {
  if (masked == (masked_[lane] != 0)) return;
  masked_[lane] = masked ? 1 : 0;
  masked_count_ += masked ? 1 : -1;
}

/// Each lane by the kernel of its own mode: where both kinds are present both run, and each lane takes its own.
void LaneStepper::evaluate_with(Kernel free, Kernel sliding, std::size_t rates, const double* t, const double* y,
                                double* k) {
  const double* const X = y + layout_.N() * width_;
  if (masked_count_ == 0) return free(t, y, p_.data(), mode_.data(), X, k);
  sliding(t, y, p_.data(), mode_.data(), X, k);
  for (std::size_t lane = 0; lane < width_; ++lane)
    if (held_[lane] && masked_[lane])
      held_[lane]->write(t[lane], {y + lane, width_}, {k + lane, width_}, rates > layout_.N());
  if (masked_count_ == width_) return;
  free(t, y, p_.data(), mode_.data(), X, other_.data());
  for (std::size_t lane = 0; lane < width_; ++lane) {
    if (masked_[lane]) continue;
    for (std::size_t i = 0; i < rates; ++i) k[i * width_ + lane] = other_[i * width_ + lane];
  }
}

/// k = F(t, y) in every lane.
void LaneStepper::evaluate(const double* t, const double* y, double* k) {
  if (!carries_tangent()) return evaluate_state(t, y, k);
  evaluate_with(functions_.field_tangent, functions_.sliding_tangent, rates_, t, y, k);
}

/// The state's part of it alone.
void LaneStepper::evaluate_state(const double* t, const double* x, double* k) {
  evaluate_with(functions_.field, functions_.sliding, layout_.N(), t, x, k);
}

void LaneStepper::start() { evaluate(t_array(), y_.data(), rate_.data()); }

void LaneStepper::start(LaneSet chosen) {
  evaluate(t_array(), y_.data(), slope_.data());
  copy_lanes(chosen, slope_, rate_);
}

void LaneStepper::set_rates(LaneSet chosen, const LaneArray& rates) { copy_lanes(chosen, rates, rate_); }

void LaneStepper::exchange(std::size_t lane, LaneStepper& other, std::size_t other_lane) {
  for (LaneArray LaneStepper::* const array :
       {&LaneStepper::p_, &LaneStepper::mode_, &LaneStepper::y_, &LaneStepper::rate_}) {
    LaneArray& ours = this->*array;
    LaneArray& theirs = other.*array;
    for (std::size_t i = 0; i < ours.size(); i += width_) std::swap(ours[i + lane], theirs[i + other_lane]);
  }
  std::swap(t(lane), other.t(other_lane));
}

/// t + c h of stages first … last.
void LaneStepper::set_times(std::size_t first, std::size_t last) {
  const double* const streams[] = {nodes_.data() + first * width_};
  double* const out[] = {times_.data() + first * width_};
  loops_.times(streams, scalars_.data(), out, nullptr, last - first + 1);
}

/// What stage i is evaluated at; d_{i−1} goes into the records.
void LaneStepper::sum_stage(std::size_t i, bool with_tangent) {
  for (const Group& group : groups_) {
    if (group.tangent && !with_tangent) continue;
    const Group::Streams& streams = i == dop853::stages + 1 ? group.end_streams : group.streams;
    group.sums->stage[i](streams.data(), group.tangent ? tangent_scalars_.data() : h_array(), group.stage.data(),
                         nullptr, group.count);
  }
}

void LaneStepper::sum_step() {
  std::fill(sums_.begin(), sums_.end(), 0.0);
  for (const Group& group : groups_) {
    const bool measured = !group.tangent || measures_tangent_;
    const LoopKernel loop = measured ? group.sums->step_with_error : group.sums->step;
    loop(group.streams.data(), group.tangent ? tangent_scalars_.data() : h_array(), group.end.data(),
         sums_.data() + (group.tangent ? 2 * width_ : 0), group.count);
  }
}

void LaneStepper::begin_ranges() {
  std::copy_n(rate_.begin() + static_cast<std::ptrdiff_t>(rates_ * width_), least_.size(), least_.begin());
  largest_ = least_;
}

void LaneStepper::widen_ranges(const double* k) {
  const double* const multipliers = k + rates_ * width_;
  for (std::size_t i = 0; i < least_.size(); ++i) {
    least_[i] = std::min(least_[i], multipliers[i]);
    largest_[i] = std::max(largest_[i], multipliers[i]);
  }
}

void LaneStepper::attempt() {
  dense_ready_ = false;
  const bool masked = masked_count_ > 0;
  if (masked) begin_ranges();
  if (carries_tangent()) std::copy_n(h_array(), width_, tangent_scalars_.begin());
  set_times(1, dop853::stages);
  const Kernel free = carries_tangent() ? functions_.field_tangent : functions_.field;
  const std::size_t N = layout_.N();
  for (std::size_t i = 1; i < dop853::stages; ++i) {
    sum_stage(i, true);
    if (!masked) {  // what `evaluate` does then, without asking again at each stage
      free(stage_times(i), stage_.data(), p_.data(), mode_.data(), stage_.data() + N * width_, slope_.data());
      continue;
    }
    evaluate(stage_times(i), stage_.data(), slope_.data());
    widen_ranges(slope_.data());
  }
  sum_step();
  measure_errors();
  evaluate(stage_times(dop853::stages), y_new_.data(), rate_new_.data());
  if (masked) widen_ranges(rate_new_.data());
}

/// Of state and tangent, whichever is larger; infinite where one is not a number.
void LaneStepper::measure_errors() {
  const auto measure = [&](std::size_t which, LaneArray& errors) {
    const double* const sums = sums_.data() + 2 * which * width_;
    const double* const streams[] = {sums, sums + width_, error_counts_.data() + which * width_};
    double* const out[] = {errors.data()};
    loops_.error(streams, h_array(), out, nullptr, 1);
  };
  measure(0, errors_);
  const bool with_tangent = carries_tangent() && measures_tangent_;
  if (with_tangent) measure(1, tangent_errors_);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (std::size_t lane = 0; lane < width_; ++lane) {
    const double other = with_tangent ? tangent_errors_[lane] : 0.0;
    const bool known = errors_[lane] < infinity && other < infinity;
    errors_[lane] = known ? std::max(errors_[lane], other) : infinity;
  }
}

void LaneStepper::copy_lanes(LaneSet chosen, const LaneArray& from, LaneArray& to) const {
  std::array<double, 8> choice{};
  for (std::size_t lane = 0; lane < choice.size(); ++lane) choice[lane] = static_cast<double>(chosen.has(lane));
  const double* const streams[] = {to.data(), from.data()};
  double* const out[] = {to.data()};
  loops_.take(streams, choice.data(), out, nullptr, from.size() / width_);
}

void LaneStepper::take(LaneSet chosen) {
  for (const std::size_t lane : chosen) t(lane) += h(lane);
  copy_lanes(chosen, y_new_, y_);
  copy_lanes(chosen, rate_new_, rate_);
}

void LaneStepper::take(std::size_t lane) { take(LaneSet::only(lane)); }

void LaneStepper::prepare_dense() {
  if (std::exchange(dense_ready_, true)) return;
  set_times(dop853::stages + 1, dop853::all_stages - 1);
  for (std::size_t i = dop853::stages + 1; i < dop853::all_stages; ++i) {
    sum_stage(i, false);
    evaluate_state(stage_times(i), stage_.data(), slope_.data());
  }
  for (const Group& group : groups_)
    if (!group.tangent) group.sums->dense(group.streams.data(), h_array(), group.dense.data(), nullptr, group.count);
}

/// y + θ (r₂ + (1 − θ) (r₃ + θ (r₄ + …))), from the inside out.
std::array<double, LaneStepper::dense_degree + 1> LaneStepper::dense_polynomial(std::size_t i, std::size_t lane) const {
  std::array<double, dense_degree + 1> c{};
  for (std::size_t r = dense_.size(); r-- > 0;) {
    c[0] += dense_[r][i * width_ + lane];
    for (std::size_t k = dense_degree; k > 0; --k) c[k] = r % 2 == 0 ? c[k - 1] : c[k] - c[k - 1];
    if (r % 2 == 0) c[0] = 0.0;
  }
  c[0] = y_[i * width_ + lane];
  return c;
}

Vector LaneStepper::state_in(const double* array, std::size_t lane) const {
  Vector x(index(layout_.N()));
  for (std::size_t i = 0; i < layout_.N(); ++i) x[index(i)] = array[i * width_ + lane];
  return x;
}

void LaneStepper::sample(std::span<const double> theta) {
  std::array<double, 16> scalars{};
  for (std::size_t lane = 0; lane < width_; ++lane) {
    scalars[lane] = theta[lane];
    scalars[width_ + lane] = 1.0 - theta[lane];
    t_sample_[lane] = t(lane) + theta[lane] * h(lane);
  }
  std::array<const double*, 8> streams{};
  streams[0] = y_.data();
  for (std::size_t r = 0; r < dense_.size(); ++r) streams[r + 1] = dense_[r].data();
  double* const out[] = {sample_.data()};
  loops_.value(streams.data(), scalars.data(), out, nullptr, layout_.N());
}

}  // namespace saltus
