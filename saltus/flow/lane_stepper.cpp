#include "saltus/flow/lane_stepper.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/flow/tableau.hpp"

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
  other_.resize((rates_ + extra) * width_);
  t_.resize(width_);
  scalars_.resize(3 * width_);
  tangent_scalars_.resize(3 * width_);
  t_stage_.resize(width_);
  t_sample_.resize(width_);
  p_.resize(layout_.parameter_inputs() * width_);
  mode_.resize(layout_.mode_size() * width_);
  y_.resize(components_ * width_);
  y_new_.resize(components_ * width_);
  stage_.resize(components_ * width_);
  sample_.resize(layout_.N() * width_);
  k_.assign(dop853::all_stages + 1, std::vector<double>((rates_ + extra) * width_));
  dense_.assign(7, std::vector<double>(layout_.N() * width_));
  sums_.resize(4 * width_);
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
  group.first_rate = rates * width_;
  const std::size_t q = positions * width_;
  const std::size_t v = velocities * width_;
  group.streams[0] = y_.data() + q;
  group.streams[1] = y_.data() + v;
  for (std::size_t j = 0; j < dop853::all_stages; ++j)
    group.streams[StepLoops::first_slope + j] = k_[j].data() + group.first_rate;
  group.streams[StepLoops::new_position] = y_new_.data() + q;
  group.streams[StepLoops::new_velocity] = y_new_.data() + v;
  const bool pair = &sums == &loops_.pair;
  group.outputs = pair ? 2 : 1;
  group.stage = {stage_.data() + (pair ? q : v), stage_.data() + v};
  group.end = {y_new_.data() + (pair ? q : v), y_new_.data() + v};
  if (!tangent) {
    for (std::size_t r = 0; r < dense_.size(); ++r) {
      group.dense[r] = dense_[r].data() + (pair ? q : v);
      group.dense[dense_.size() + r] = dense_[r].data() + v;
    }
  }
  groups_.push_back(group);
}

void LaneStepper::set_tolerances(double rtol, double atol, double tangent_rtol) {
  std::fill_n(scalars_.begin() + static_cast<std::ptrdiff_t>(width_), width_, rtol);
  std::fill_n(scalars_.begin() + static_cast<std::ptrdiff_t>(2 * width_), width_, atol);
  std::fill(tangent_scalars_.begin() + static_cast<std::ptrdiff_t>(width_), tangent_scalars_.end(), tangent_rtol);
  measures_tangent_ = std::isfinite(tangent_rtol);
}

void LaneStepper::set_masked(std::size_t lane, bool masked) {
  masked_[lane] = masked ? 1 : 0;
  masked_count_ = static_cast<std::size_t>(std::count(masked_.begin(), masked_.end(), 1));
}

/// Each lane by the kernel of its own mode: where both kinds are present both run, and each lane takes its own.
void LaneStepper::evaluate_with(Kernel free, Kernel sliding, std::size_t rates, const double* y, double* k) {
  const double* const X = y + layout_.N() * width_;
  if (masked_count_ == 0) return free(t_stage_.data(), y, p_.data(), mode_.data(), X, k);
  sliding(t_stage_.data(), y, p_.data(), mode_.data(), X, k);
  if (masked_count_ == width_) return;
  free(t_stage_.data(), y, p_.data(), mode_.data(), X, other_.data());
  for (std::size_t lane = 0; lane < width_; ++lane) {
    if (masked_[lane]) continue;
    for (std::size_t i = 0; i < rates; ++i) k[i * width_ + lane] = other_[i * width_ + lane];
  }
}

/// k = F(t + c h, y) in every lane.
void LaneStepper::evaluate(double c, const double* y, double* k) {
  if (!carries_tangent()) return evaluate_state(c, y, k);
  for (std::size_t lane = 0; lane < width_; ++lane) t_stage_[lane] = t_[lane] + c * h(lane);
  evaluate_with(functions_.field_tangent, functions_.sliding_tangent, rates_, y, k);
}

/// The state's part of it alone.
void LaneStepper::evaluate_state(double c, const double* x, double* k) {
  for (std::size_t lane = 0; lane < width_; ++lane) t_stage_[lane] = t_[lane] + c * h(lane);
  evaluate_with(functions_.field, functions_.sliding, layout_.N(), x, k);
}

void LaneStepper::start() { evaluate(0.0, y_.data(), k_[0].data()); }

/// What stage i is evaluated at; d_{i−1} replaces k_{i−1}, or stands behind all when k₁₂ itself is still wanted.
void LaneStepper::sum_stage(std::size_t i, bool with_tangent) {
  const std::size_t target = i == dop853::stages + 1 ? dop853::all_stages : i - 1;
  for (const Group& group : groups_) {
    if (group.tangent && !with_tangent) continue;
    std::array<double*, 3> out = {group.stage[0], group.stage[1], nullptr};
    out[group.outputs] = k_[target].data() + group.first_rate;
    group.sums->stage[i](group.streams.data(), group.tangent ? tangent_scalars_.data() : scalars_.data(), out.data(),
                         nullptr, group.count);
  }
}

void LaneStepper::sum_step() {
  std::fill(sums_.begin(), sums_.end(), 0.0);
  for (const Group& group : groups_) {
    const bool measured = !group.tangent || measures_tangent_;
    std::array<double*, 3> out = {group.end[0], group.end[1], nullptr};
    out[group.outputs] = k_[dop853::stages - 1].data() + group.first_rate;
    const LoopKernel loop = measured ? group.sums->step_with_error : group.sums->step;
    loop(group.streams.data(), group.tangent ? tangent_scalars_.data() : scalars_.data(), out.data(),
         sums_.data() + (group.tangent ? 2 * width_ : 0), group.count);
  }
}

void LaneStepper::attempt() {
  std::copy_n(scalars_.begin(), width_, tangent_scalars_.begin());
  for (std::size_t i = 1; i < dop853::stages; ++i) {
    sum_stage(i, true);
    evaluate(dop853::c[i], stage_.data(), k_[i].data());
  }
  sum_step();
  evaluate(1.0, y_new_.data(), k_[dop853::stages].data());
}

double LaneStepper::scaled_error(std::size_t lane, std::size_t first, std::size_t count) const {
  const double e5 = sums_[first * width_ + lane];
  const double mixed = e5 + 0.01 * sums_[(first + 1) * width_ + lane];
  return mixed == 0.0 ? 0.0 : std::abs(h(lane)) * e5 / std::sqrt(mixed * static_cast<double>(count));
}

double LaneStepper::error(std::size_t lane) const {
  const double state = scaled_error(lane, 0, layout_.N());
  const double tangent =
      carries_tangent() && measures_tangent_ ? scaled_error(lane, 2, components_ - layout_.N()) : 0.0;
  if (std::isnan(state) || std::isnan(tangent)) return std::numeric_limits<double>::infinity();
  return std::max(state, tangent);
}

void LaneStepper::take(std::span<const bool> chosen) {
  std::array<double, 8> choice{};
  std::size_t count = 0;
  for (std::size_t lane = 0; lane < width_; ++lane) {
    if (!chosen[lane]) continue;
    choice[lane] = 1.0;
    t_[lane] += h(lane);
    ++count;
  }
  if (count == 0) return;
  if (count == width_) {
    std::copy(y_new_.begin(), y_new_.end(), y_.begin());
    std::copy(k_[dop853::stages].begin(), k_[dop853::stages].end(), k_[0].begin());
    return;
  }
  const auto take_array = [&](std::vector<double>& to, const std::vector<double>& from) {
    const double* const streams[] = {to.data(), from.data()};
    double* const out[] = {to.data()};
    loops_.take(streams, choice.data(), out, nullptr, to.size() / width_);
  };
  take_array(y_, y_new_);
  take_array(k_[0], k_[dop853::stages]);
}

void LaneStepper::take(std::size_t lane) {
  std::array<bool, 8> chosen{};
  chosen[lane] = true;
  take(chosen);
}

void LaneStepper::prepare_dense() {
  const auto with_last_difference = [&](auto&& work) {
    for (Group& group : groups_)
      group.streams[StepLoops::first_slope + dop853::stages] = k_[dop853::all_stages].data() + group.first_rate;
    work();
    for (Group& group : groups_)
      group.streams[StepLoops::first_slope + dop853::stages] = k_[dop853::stages].data() + group.first_rate;
  };
  sum_stage(dop853::stages + 1, false);
  evaluate_state(dop853::c[dop853::stages + 1], stage_.data(), k_[dop853::stages + 1].data());
  with_last_difference([&] {
    for (std::size_t i = dop853::stages + 2; i < dop853::all_stages; ++i) {
      sum_stage(i, false);
      evaluate_state(dop853::c[i], stage_.data(), k_[i].data());
    }
    for (const Group& group : groups_) {
      if (group.tangent) continue;
      // The last slope comes as it is.
      double* const last = k_[dop853::all_stages - 1].data() + group.first_rate;
      for (std::size_t i = 0; i < group.count * width_; ++i) last[i] -= k_[0][group.first_rate + i];
      group.sums->dense(group.streams.data(), scalars_.data(), group.dense.data(), nullptr, group.count);
    }
  });
  for (std::size_t lane = 0; lane < width_; ++lane) t_stage_[lane] = t_[lane] + h(lane);
}

void LaneStepper::sample(std::span<const double> theta) {
  std::array<double, 16> scalars{};
  for (std::size_t lane = 0; lane < width_; ++lane) {
    scalars[lane] = theta[lane];
    scalars[width_ + lane] = 1.0 - theta[lane];
    t_sample_[lane] = t_[lane] + theta[lane] * h(lane);
  }
  std::array<const double*, 8> streams{};
  streams[0] = y_.data();
  for (std::size_t r = 0; r < dense_.size(); ++r) streams[r + 1] = dense_[r].data();
  double* const out[] = {sample_.data()};
  loops_.value(streams.data(), scalars.data(), out, nullptr, layout_.N());
}

}  // namespace saltus
