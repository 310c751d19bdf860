#include "saltus/flow/curve_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace saltus {

PolynomialBox box_of_polynomial(std::vector<double>& c, const Part& part, double h) {
  const double m = 0.5 * (part.lower + part.upper);
  const double w = 0.5 * (part.upper - part.lower);
  const std::size_t D = c.size() - 1;
  for (std::size_t k = 0; k < D; ++k)
    for (std::size_t j = D; j-- > k;) c[j] += m * c[j + 1];
  double x = 0.0;
  double v = 0.0;
  double a = 0.0;
  for (std::size_t k = D; k >= 1; --k) {
    const auto order = static_cast<double>(k);
    const double size = std::abs(c[k]);
    x = w * (x + size);
    if (k >= 2) v = w * (v + order * size);
    if (k >= 3) a = w * (a + order * (order - 1.0) * size);
  }
  const auto at = [&](std::size_t k) { return k <= D ? c[k] : 0.0; };
  return {{at(0), at(1) / h, 2.0 * at(2) / (h * h)}, {x, v / std::abs(h), a / (h * h)}};
}

CurveBounds::CurveBounds(const Kernels& kernels, unsigned width)
    : kernels_(kernels),
      kernel_(kernels.at(width).event_bounds),
      width_(width),
      N_(kernels.layout().N()),
      events_(kernels.layout().events()),
      rows_(events_),
      multipliers_(kernels.layout(), width),
      p_(kernels.layout().parameter_inputs() * width),
      mode_(kernels.layout().mode_size() * width),
      t_box_(2 * width),
      x_box_(2 * N_ * width),
      X_box_(6 * N_ * width),
      out_(6 * events_ * width) {
  std::vector<bool> read(N_, false);
  for (const InputRef& input : kernels.program("event_bounds").inputs)
    if (input.slot == Slot::state || input.slot == Slot::tangent) read[input.index / 2 % N_] = true;
  for (std::size_t i = 0; i < N_; ++i) {
    if (read[i]) components_.push_back(i);
    all_components_.push_back(i);
  }
}

void CurveBounds::set(double t, double h, const double* p, const double* mode, std::size_t stride) {
  t_ = t;
  h_ = h;
  rows_ = events_;
  with_multipliers_ = false;
  for (std::size_t i = 0; i < p_.size(); ++i) p_[i] = p[i / width_ * stride];
  for (std::size_t i = 0; i < mode_.size(); ++i) mode_[i] = mode[i / width_ * stride];
}

void CurveBounds::add_multipliers(const Mode& mode, std::span<const double> delta) {
  if (!dynamics_) {
    dynamics_ = kernels_.inverse_dynamics_bounds(static_cast<unsigned>(width_));
    dynamics_out_.resize(2 * InverseDynamicsLayout(kernels_.layout()).size() * width_);
  }
  multipliers_.choose(mode);
  multipliers_.forget();
  with_multipliers_ = true;
  rows_ = events_ + mode.contacts().size() + mode.switches().size();
  for (std::size_t i = 0; i < N_; ++i)
    std::fill_n(X_box_.begin() + static_cast<std::ptrdiff_t>(2 * (2 * N_ + i) * width_), width_, delta[i]);
}

std::vector<double> CurveBounds::reaches() {
  for (std::size_t lane = 0; lane < width_; ++lane) fill(lane, {0.5, 0.5});
  bound_multipliers(1);
  std::vector<double> all;
  for (std::size_t u = 0; u < rows_ - events_; ++u) all.push_back(multipliers_(u, 0).reach);
  return all;
}

void CurveBounds::bound_multipliers(std::size_t lanes) {
  dynamics_(t_box_.data(), x_box_.data(), p_.data(), mode_.data(), X_box_.data(), dynamics_out_.data());
  for (std::size_t lane = 0; lane < lanes; ++lane) multipliers_.solve_lane(dynamics_out_.data(), lane);
}

std::vector<double>& CurveBounds::coefficients(int degree) {
  degree_ = degree;
  coefficients_.resize((static_cast<std::size_t>(degree) + 1) * N_);
  return coefficients_;
}

Interval CurveBounds::Row::interval(std::size_t order, std::size_t row, double sign, double offset) const {
  const double c = sign * (middle(order, row) - offset);
  const double r = radius(order, row);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (!(r < infinity) || !std::isfinite(c)) return {-infinity, infinity};
  return {c - r, c + r};
}

void CurveBounds::fill(std::size_t lane, const Part& part) {
  const double m = 0.5 * (part.lower + part.upper);
  const double w = 0.5 * (part.upper - part.lower);
  const auto put = [&](LaneArray& boxes, std::size_t i, double c, double r) {
    boxes[2 * i * width_ + lane] = c;
    boxes[(2 * i + 1) * width_ + lane] = r;
  };
  put(t_box_, 0, t_ + m * h_, w * std::abs(h_));
  shifted_.resize(static_cast<std::size_t>(degree_) + 1);
  for (const std::size_t i : with_multipliers_ ? all_components_ : components_) {
    for (std::size_t k = 0; k < shifted_.size(); ++k) shifted_[k] = coefficients_[k * N_ + i];
    const PolynomialBox box = box_of_polynomial(shifted_, part, h_);
    put(x_box_, i, box.middle[0], box.radius[0]);
    put(X_box_, i, box.middle[1], box.radius[1]);
    put(X_box_, N_ + i, box.middle[2], box.radius[2]);
  }
}

void CurveBounds::bound(std::span<const Part> parts, std::vector<double>& out) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (std::size_t first = 0; first < parts.size(); first += width_) {
    const std::size_t count = std::min(width_, parts.size() - first);
    for (std::size_t lane = 0; lane < count; ++lane) fill(lane, parts[first + lane]);
    if (events_ > 0) kernel_(t_box_.data(), x_box_.data(), p_.data(), mode_.data(), X_box_.data(), out_.data());
    if (with_multipliers_) bound_multipliers(count);
    for (std::size_t lane = 0; lane < count; ++lane) {
      for (std::size_t order = 0; order < 3; ++order) {
        for (std::size_t k = 2 * order * events_; k < 2 * (order + 1) * events_; ++k)
          out.push_back(out_[k * width_ + lane]);
        for (std::size_t u = 0; u < rows_ - events_; ++u) {
          const MultiplierBounds::Bound it = multipliers_(u, lane);
          const MultiplierBounds::Box box = order == 0   ? it.value
                                            : order == 1 ? it.rate
                                                         : MultiplierBounds::Box{0.0, infinity};
          out.push_back(box.c);
          out.push_back(box.r);
        }
      }
    }
  }
}

}  // namespace saltus
