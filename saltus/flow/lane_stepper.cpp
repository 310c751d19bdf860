#include "saltus/flow/lane_stepper.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "saltus/flow/tableau.hpp"

namespace saltus {

LaneStepper::LaneStepper(const Kernels& kernels, unsigned width, Carries carries)
    : functions_(kernels.at(width)),
      loops_(step_loops(width)),
      width_(width),
      N_(kernels.layout().N()),
      components_(N_ * (1 + (carries == Carries::state ? 0 : kernels.layout().columns()))),
      tangent_(carries == Carries::state_and_tangent) {
  const Layout& layout = kernels.layout();
  const std::size_t extra = layout.contacts + layout.switches;  // λ and w behind the field
  masked_.assign(width_, 0);
  other_.resize((components_ + extra) * width_);
  t_.resize(width_);
  h_.resize(width_);
  t_stage_.resize(width_);
  t_sample_.resize(width_);
  p_.resize(layout.parameter_inputs() * width_);
  mode_.resize(layout.mode_size() * width_);
  y_.resize(components_ * width_);
  y_new_.resize(components_ * width_);
  stage_.resize(components_ * width_);
  sample_.resize(N_ * width_);
  k_.assign(dop853::all_stages, std::vector<double>((components_ + extra) * width_));
  dense_.assign(7, std::vector<double>(N_ * width_));
}

/// Each lane by the kernel of its own mode: where both kinds are present both run, and each lane takes its own.
void LaneStepper::evaluate_with(Kernel free, Kernel sliding, std::size_t components, const double* y, double* k) {
  const bool some_masked = std::find(masked_.begin(), masked_.end(), 1) != masked_.end();
  const bool some_free = std::find(masked_.begin(), masked_.end(), 0) != masked_.end();
  const double* const X = y + N_ * width_;
  if (some_masked) sliding(t_stage_.data(), y, p_.data(), mode_.data(), X, k);
  if (!some_free) return;
  double* const target = some_masked ? other_.data() : k;
  free(t_stage_.data(), y, p_.data(), mode_.data(), X, target);
  if (!some_masked) return;
  for (std::size_t lane = 0; lane < width_; ++lane) {
    if (masked_[lane]) continue;
    for (std::size_t i = 0; i < components; ++i) k[i * width_ + lane] = other_[i * width_ + lane];
  }
}

/// k = F(t + c h, y) in every lane.
void LaneStepper::evaluate(double c, const double* y, double* k) {
  for (std::size_t lane = 0; lane < width_; ++lane) t_stage_[lane] = t_[lane] + c * h_[lane];
  if (tangent_) {
    evaluate_with(functions_.field_tangent, functions_.sliding_tangent, components_, y, k);
  } else {
    evaluate_with(functions_.field, functions_.sliding, components_, y, k);
  }
}

/// The state's part of it alone.
void LaneStepper::evaluate_state(double c, const double* x, double* k) {
  for (std::size_t lane = 0; lane < width_; ++lane) t_stage_[lane] = t_[lane] + c * h_[lane];
  evaluate_with(functions_.field, functions_.sliding, N_, x, k);
}

void LaneStepper::start() { evaluate(0.0, y_.data(), k_[0].data()); }

void LaneStepper::attempt() {
  std::array<const double*, dop853::all_stages + 1> streams{};
  streams[0] = y_.data();
  for (std::size_t j = 0; j < dop853::all_stages; ++j) streams[j + 1] = k_[j].data();
  for (std::size_t i = 1; i < dop853::stages; ++i) {
    double* const out[] = {stage_.data()};
    loops_.stage[i](streams.data(), h_.data(), out, nullptr, components_);
    evaluate(dop853::c[i], stage_.data(), k_[i].data());
  }
  double* const out[] = {y_new_.data()};
  loops_.stage[dop853::stages](streams.data(), h_.data(), out, nullptr, components_);
  evaluate(1.0, y_new_.data(), k_[dop853::stages].data());
}

void LaneStepper::measure(std::size_t first, std::size_t count, double rtol, double atol, std::span<double> errors) {
  std::array<const double*, dop853::all_stages + 2> streams{};
  streams[0] = y_.data() + first * width_;
  streams[1] = y_new_.data() + first * width_;
  for (std::size_t j = 0; j <= dop853::stages; ++j) streams[j + 2] = k_[j].data() + first * width_;
  std::array<double, 16> scalars{};
  std::array<double, 16> sums{};
  std::fill_n(scalars.begin(), width_, rtol);
  std::fill_n(scalars.begin() + static_cast<std::ptrdiff_t>(width_), width_, atol);
  loops_.error(streams.data(), scalars.data(), nullptr, sums.data(), count);
  for (std::size_t lane = 0; lane < width_; ++lane) {
    const double e5 = sums[lane];
    const double mixed = e5 + 0.01 * sums[width_ + lane];
    errors[lane] = mixed == 0.0 ? 0.0 : std::abs(h_[lane]) * e5 / std::sqrt(mixed * static_cast<double>(count));
  }
}

void LaneStepper::take(std::size_t lane) {
  for (std::size_t i = 0; i < components_; ++i) y_[i * width_ + lane] = y_new_[i * width_ + lane];
  for (std::size_t i = lane; i < k_[0].size(); i += width_) k_[0][i] = k_[dop853::stages][i];
  t_[lane] += h_[lane];
}

void LaneStepper::prepare_dense() {
  std::array<const double*, dop853::all_stages + 2> streams{};
  streams[0] = y_.data();
  for (std::size_t j = 0; j < dop853::all_stages; ++j) streams[j + 1] = k_[j].data();
  for (std::size_t i = dop853::stages + 1; i < dop853::all_stages; ++i) {
    double* const out[] = {stage_.data()};
    loops_.stage[i](streams.data(), h_.data(), out, nullptr, N_);
    evaluate_state(dop853::c[i], stage_.data(), k_[i].data());
  }
  for (std::size_t lane = 0; lane < width_; ++lane) t_stage_[lane] = t_[lane] + h_[lane];
  streams[1] = y_new_.data();
  for (std::size_t j = 0; j < dop853::all_stages; ++j) streams[j + 2] = k_[j].data();
  std::array<double*, 7> out{};
  for (std::size_t r = 0; r < out.size(); ++r) out[r] = dense_[r].data();
  loops_.dense(streams.data(), h_.data(), out.data(), nullptr, N_);
}

void LaneStepper::sample(std::span<const double> theta) {
  std::array<double, 16> scalars{};
  for (std::size_t lane = 0; lane < width_; ++lane) {
    scalars[lane] = theta[lane];
    scalars[width_ + lane] = 1.0 - theta[lane];
    t_sample_[lane] = t_[lane] + theta[lane] * h_[lane];
  }
  std::array<const double*, 8> streams{};
  streams[0] = y_.data();
  for (std::size_t r = 0; r < dense_.size(); ++r) streams[r + 1] = dense_[r].data();
  double* const out[] = {sample_.data()};
  loops_.value(streams.data(), scalars.data(), out, nullptr, N_);
}

}  // namespace saltus
