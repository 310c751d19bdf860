#include "saltus/flow/exact_step.hpp"

#include <algorithm>
#include <cmath>

namespace saltus {

void ExactStep::enter(const ExactMode& mode, const double* x, double phase) {
  mode_ = &mode;
  resize();
  std::copy_n(x, N_, z_.data());
  refresh_basis(phase);
}

void ExactStep::resize() {
  z_.resize(mode_->M());
  z_new_.resize(mode_->M());
  z_part_.resize(mode_->M());
  exponential_.resize(N_ * mode_->M());
}

void ExactStep::change_mode(const ExactMode& mode, double phase) {
  const bool same = mode.basis == mode_->basis;
  mode_ = &mode;
  if (same) return;
  resize();
  refresh_basis(phase);
}

const TaylorPath& ExactStep::path() {
  if (!path_known_) arithmetic_.expand(*mode_, x(), u(), path_);
  path_known_ = true;
  return path_;
}

void ExactStep::place(double tau, double* x) {
  const TaylorPath& along = path();
  arithmetic_.evaluate(along.x.data(), along.degree, tau, x, N_);
}

/// z over parts of a step.
void ExactStep::turn(const ExactMode::Over& over, const double* from, double* to) const {
  const std::size_t m = mode_->m;
  arithmetic_.multiply(over.z.data(), from, to, N_, N_ + m, false);
  for (std::size_t i = 0; i < m; ++i) {
    double sum = 0.0;
    for (std::size_t j = 0; j < m; ++j) sum += over.u[j * m + i] * from[N_ + j];
    to[N_ + i] = sum;
  }
}

void ExactStep::go_whole() {
  path_known_ = false;
  whole_ = true;
  length_ = tau_ = mode_->step;
  turn(mode_->over_step(), z_.data(), z_new_.data());
}

void ExactStep::go(double length, double phase) {
  path_known_ = false;
  length_ = length;
  land(length);
  mode_->basis.values(phase + length, z_new_.data() + N_);
}

/// To the nearest of the stored parts, and from there by what few terms are left of the exponential.
void ExactStep::land(double tau) {
  whole_ = false;
  tau_ = tau;
  if (mode_->powers.empty()) return place(tau, z_new_.data());
  const bool polynomial = mode_->over.size() == 1;
  part_ = polynomial ? 0 : static_cast<std::size_t>(std::lround(ExactMode::parts * (tau / mode_->step)));
  const double from = part_ == 0 ? 0.0 : mode_->step * static_cast<double>(part_) / ExactMode::parts;
  arithmetic_.exponential(*mode_, tau - from, polynomial ? mode_->degree : part_degree, exponential_.data());
  if (part_ > 0) turn(mode_->over[part_], z_.data(), z_part_.data());
  const double* const z = part_ > 0 ? z_part_.data() : z_.data();
  arithmetic_.multiply(exponential_.data(), z, z_new_.data(), N_, mode_->M(), false);
}

bool ExactStep::ends_finite() const {
  double sum = 0.0;
  for (std::size_t i = 0; i < N_; ++i) sum += z_new_[i] - z_new_[i];  // 0, or not a number
  return sum == 0.0;
}

void ExactStep::carry(double* columns, std::size_t states, std::size_t parameters) {
  const auto multiply = [&](const std::vector<double>& matrix, std::size_t c) {
    arithmetic_.multiply(matrix.data(), columns + c * N_, columns + c * N_, N_, N_, false);
  };
  if (!whole_ && mode_->powers.empty()) {
    arithmetic_.carry(*mode_, tau_, columns, states);
  } else {
    for (std::size_t c = 0; c < states; ++c) {
      if (whole_ || part_ > 0) multiply(mode_->over[whole_ ? ExactMode::parts : part_].z, c);
      if (!whole_) multiply(exponential_, c);
    }
  }
  for (std::size_t c = 0; c < parameters; ++c) {
    double* const column = columns + (states + c) * N_;
    if (whole_) {
      multiply(mode_->over_step().z, states + c);
      arithmetic_.multiply(mode_->over_step_p[c].data(), z_.data(), column, N_, mode_->M(), true);
    } else {
      arithmetic_.carry_parameter(*mode_, path(), c, tau_, column);
    }
  }
}

void ExactStep::take() {
  if (whole_) z_.swap(z_new_);
  else std::copy_n(z_new_.data(), N_, z_.data());
  path_known_ = false;
}

void ExactStep::field(const ExactMode& mode, const double* u, double* rate) const {
  arithmetic_.multiply(mode.A.data(), x(), rate, N_, N_, false);
  arithmetic_.multiply(mode.B.data(), u, rate, N_, mode.m, true);
}

}  // namespace saltus
