#include "saltus/flow/unseen_force.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace saltus {
namespace {

constexpr std::size_t seen_terms = 8;  // of a power series: degrees 0 … 7
constexpr std::size_t pieces_of_a_split = 8;
constexpr double narrowest_piece = 0x1p-36;
constexpr int most_splits_of_a_step = 400;
constexpr double shortest_part = 1.0 / 64.0;  // of a trial, for the next one

/// What counts is an impulse: on a piece of this part of the step a rate may be off by so many times what it may be over a large one.
double allowance(double length) { return std::max(1.0, 1.0 / (static_cast<double>(pieces_of_a_split) * length)); }

/// Σ |c_k| ρᵏ from k = 1.
double size_on_disc(std::span<const double> c, double rho) {
  double sum = 0.0;
  for (std::size_t k = c.size() - 1; k > 0; --k) sum = rho * (sum + std::abs(c[k]));
  return sum;
}

/// The quintic through q, v, v̇ at both ends of a step of length 2d, and its rates, by powers of s ∈ [−1, 1].
struct CentredQuintic {
  std::array<double, 6> q;
  std::array<double, 5> v;
  std::array<double, 4> a;

  CentredQuintic(double q0, double q1, double v0, double v1, double a0, double a1, double d) {
    const double w = 5.0 * (q1 - q0) / (d * d);
    const double u = 2.0 / d;
    const double z1 = w - u * (3.0 * v0 + 2.0 * v1) + a1 - 2.0 * a0;
    const double z2 = u * (2.0 * v0 + 3.0 * v1) - w + a0 - 2.0 * a1;
    a = {(a0 + 3.0 * (z1 + z2) + a1) / 8.0, 3.0 * (a1 + z2 - z1 - a0) / 8.0, 3.0 * (a1 - z2 - z1 + a0) / 8.0,
         (a1 - 3.0 * (z2 - z1) - a0) / 8.0};
    v = {0.5 * (v0 + v1) - d * (a[1] / 2.0 + a[3] / 4.0), d * a[0], d * a[1] / 2.0, d * a[2] / 3.0, d * a[3] / 4.0};
    q = {0.5 * (q0 + q1) - d * (v[1] / 2.0 + v[3] / 4.0),
         d * v[0],
         d * v[1] / 2.0,
         d * v[2] / 3.0,
         d * v[3] / 4.0,
         d * v[4] / 5.0};
  }
};

/// The cubic through z, ż at both ends, likewise.
struct CentredCubic {
  std::array<double, 4> z;
  std::array<double, 3> rate;

  CentredCubic(double z0, double z1, double r0, double r1, double d) {
    const double c2 = d * (r1 - r0) / 4.0;
    const double c3 = (d * (r0 + r1) - (z1 - z0)) / 4.0;
    z = {0.5 * (z0 + z1) - c2, 0.5 * (z1 - z0) - c3, c2, c3};
    rate = {z[1] / d, 2.0 * c2 / d, 3.0 * c3 / d};
  }
};

}  // namespace

std::optional<UnseenForce> UnseenForce::of(const Kernels& kernels, unsigned width) {
  if (kernels.field_discs().rows.empty()) return std::nullopt;
  return UnseenForce(kernels, width);
}

UnseenForce::UnseenForce(const Kernels& kernels, unsigned width)
    : layout_(kernels.layout()),
      discs_(kernels.field_discs()),
      width_(width),
      kernel_(kernels.field_disc_bounds(width)),
      p_(layout_.parameter_inputs() * width),
      mode_(layout_.mode_size() * width),
      t_disc_(2 * width),
      x_disc_(2 * layout_.N() * width),
      rate_disc_(2 * layout_.N() * width),
      out_(discs_.size() * width),
      coefficients_(layout_.N() * (LaneStepper::dense_degree + 1)),
      x_(layout_.N()),
      slope_(layout_.N()),
      rate_(layout_.N() + layout_.contacts + layout_.switches) {}

void UnseenForce::put(LaneArray& discs, std::size_t i, std::size_t lane, double middle, double radius) {
  discs[2 * i * width_ + lane] = middle;
  discs[(2 * i + 1) * width_ + lane] = radius;
}

/// The lane's last trial_. ρ is as wide as its tolerance needs, so that a hundred times the size of the state would be seen.
void UnseenForce::choose(LaneStepper& stepper, std::size_t lane) {
  const double rtol = stepper.rtol(lane);
  if (rtol != trial_.rtol) {
    trial_.rtol = rtol;
    trial_.reach = std::clamp(std::pow(0.1 * permitted * rtol, -0.125), 2.0, 32.0);
    trial_.tail = std::pow(trial_.reach, -static_cast<double>(seen_terms)) / (1.0 - 1.0 / trial_.reach);
  }
  trial_.t = stepper.t(lane);
  trial_.h = stepper.h(lane);
  trial_.tolerance.clear();
  for (std::size_t i = layout_.n; i < layout_.N(); ++i) {
    const double size = std::max(std::abs(stepper.y(i, lane)), std::abs(stepper.y_new(i, lane)));
    trial_.tolerance.push_back(permitted * (rtol * size + stepper.atol(lane)) / std::abs(trial_.h));
  }
  trial_.weights.clear();
  for (std::size_t s = 0; s < layout_.switches; ++s) {
    const bool slides = stepper.mode(layout_.filippov_mask(s), lane) != 0.0;
    const auto range = slides ? stepper.multiplier(layout_.contacts + s, lane) : LaneStepper::Range{0.0, 0.0};
    trial_.weights.push_back(std::max(std::abs(range.least), std::abs(range.largest)));
  }
}

// ---- by the ends ----------------------------------------------------------------------------------------------------------

void UnseenForce::fill_by_ends(LaneStepper& stepper, std::size_t lane) {
  const double d = 0.5 * stepper.h(lane);
  choose(stepper, lane);
  const double rho = trial_.reach;
  const std::size_t n = layout_.n;
  put(t_disc_, 0, lane, stepper.t(lane) + d, rho * std::abs(d));
  for (std::size_t i = 0; i < n; ++i) {
    const CentredQuintic c(stepper.y(i, lane), stepper.y_new(i, lane), stepper.y(n + i, lane),
                           stepper.y_new(n + i, lane), stepper.rate(n + i, lane), stepper.rate_new(n + i, lane), d);
    const double speeds = size_on_disc(c.v, rho);
    put(x_disc_, i, lane, c.q[0], size_on_disc(c.q, rho));
    put(x_disc_, n + i, lane, c.v[0], speeds);
    put(rate_disc_, i, lane, c.v[0], speeds);
    put(rate_disc_, n + i, lane, c.a[0], size_on_disc(c.a, rho));
  }
  for (std::size_t i = 2 * n; i < layout_.N(); ++i) {
    const CentredCubic c(stepper.y(i, lane), stepper.y_new(i, lane), stepper.rate(i, lane), stepper.rate_new(i, lane),
                         d);
    put(x_disc_, i, lane, c.z[0], size_on_disc(c.z, rho));
    put(rate_disc_, i, lane, c.rate[0], size_on_disc(c.rate, rho));
  }
}

void UnseenForce::look(LaneStepper& stepper) {
  for (std::size_t l = 0; l < width_; ++l) fill_by_ends(stepper, l);
  kernel_(t_disc_.data(), x_disc_.data(), stepper.p_array(), stepper.mode_array(), rate_disc_.data(), out_.data());
  for (std::size_t l = 0; l < width_; ++l) {
    choose(stepper, l);
    shows_all_[l] = trial_.h == 0.0 || is_resolved(l, 1.0);
  }
}

/// Is all that the rows have beside a polynomial of degree 7 on this piece, `length` of the step, as small as it should be? Or the
/// piece so short that it does not matter what they do?
bool UnseenForce::is_resolved(std::size_t slot, double length) const {
  const auto rest = [&](std::size_t entry) {
    const double r = out_[(entry + 1) * width_ + slot];
    const bool analytic = out_[(entry + 2) * width_ + slot] != 0.0;
    return analytic ? std::min(4.0, trial_.tail) * r : 4.0 * r;
  };
  for (std::size_t k = 0; k < discs_.rows.size(); ++k) {
    double all = rest(discs_.residual(k));
    for (std::size_t s = 0; s < trial_.weights.size(); ++s)
      if (trial_.weights[s] > 0.0) all += trial_.weights[s] * rest(discs_.push(k, s));
    const double mass = std::abs(out_[discs_.mass(k) * width_ + slot]);
    if (!(all <= mass * trial_.tolerance[discs_.rows[k]] * allowance(length))) return false;
  }
  return true;
}

// ---- inside ------------------------------------------------------------------------------------------------------------------

std::optional<Part> UnseenForce::first_unseen(LaneStepper& stepper, std::size_t lane, const Field& field) {
  const std::size_t N = layout_.N();
  const std::size_t stride = stepper.width();
  for (std::size_t i = 0; i < p_.size(); ++i) p_[i] = stepper.p_array()[i / width_ * stride + lane];
  for (std::size_t i = 0; i < mode_.size(); ++i) mode_[i] = stepper.mode_array()[i / width_ * stride + lane];
  for (std::size_t i = 0; i < N; ++i) {
    const auto c = stepper.dense_polynomial(i, lane);
    std::copy(c.begin(), c.end(), coefficients_.begin() + static_cast<std::ptrdiff_t>(i * c.size()));
  }
  splits_ = 0;
  choose(stepper, lane);
  return search({0.0, 1.0}, field);
}

/// Discs of x and ẋ around the middle of a part, ρ times as wide as half of it.
void UnseenForce::fill(std::size_t slot, const Part& part) {
  const double m = 0.5 * (part.lower + part.upper);
  const double R = trial_.reach * 0.5 * (part.upper - part.lower);
  put(t_disc_, 0, slot, trial_.t + m * trial_.h, R * std::abs(trial_.h));
  constexpr std::size_t degree = LaneStepper::dense_degree;
  std::array<double, degree + 1> c{};
  std::array<double, degree> rate{};
  for (std::size_t i = 0; i < layout_.N(); ++i) {
    std::copy_n(coefficients_.begin() + static_cast<std::ptrdiff_t>(i * c.size()), c.size(), c.begin());
    for (std::size_t k = 0; k < degree; ++k)
      for (std::size_t j = degree; j-- > k;) c[j] += m * c[j + 1];
    for (std::size_t k = 0; k < degree; ++k) rate[k] = static_cast<double>(k + 1) * c[k + 1] / trial_.h;
    put(x_disc_, i, slot, c[0], size_on_disc(c, R));
    put(rate_disc_, i, slot, rate[0], size_on_disc(rate, R));
  }
}

/// ẋ − F(x) at eight places, those of Chebyshev: a polynomial of degree 7 is known by them.
bool UnseenForce::has_defect(const Part& part, const Field& field) {
  const std::size_t N = layout_.N();
  constexpr std::size_t degree = LaneStepper::dense_degree;
  const double m = 0.5 * (part.lower + part.upper);
  const double w = 0.5 * (part.upper - part.lower);
  const double allowed = allowance(2.0 * w);
  for (std::size_t j = 0; j < seen_terms; ++j) {
    const double theta =
        m + w * std::cos((static_cast<double>(j) + 0.5) * std::numbers::pi / static_cast<double>(seen_terms));
    for (std::size_t i = 0; i < N; ++i) {
      const double* const c = coefficients_.data() + i * (degree + 1);
      x_[i] = c[degree];
      slope_[i] = 0.0;
      for (std::size_t k = degree; k-- > 0;) {
        slope_[i] = slope_[i] * theta + x_[i];
        x_[i] = x_[i] * theta + c[k];
      }
    }
    field(trial_.t + theta * trial_.h, x_.data(), rate_.data());
    for (std::size_t i = layout_.n; i < N; ++i)
      if (!(std::abs(slope_[i] / trial_.h - rate_[i]) <= allowed * trial_.tolerance[i - layout_.n])) return true;
  }
  return false;
}

/// From left to right; a piece that bounds do not resolve is split in eight.
std::optional<Part> UnseenForce::search(const Part& whole, const Field& field) {
  ++splits_;
  std::array<Part, pieces_of_a_split> parts{};
  std::array<bool, pieces_of_a_split> resolved{};
  const double length = (whole.upper - whole.lower) / pieces_of_a_split;
  for (std::size_t k = 0; k < parts.size(); ++k)
    parts[k] = {whole.lower + static_cast<double>(k) * length, whole.lower + static_cast<double>(k + 1) * length};
  for (std::size_t first = 0; first < parts.size(); first += width_) {
    const std::size_t count = std::min(width_, parts.size() - first);
    for (std::size_t k = 0; k < count; ++k) fill(k, parts[first + k]);
    kernel_(t_disc_.data(), x_disc_.data(), p_.data(), mode_.data(), rate_disc_.data(), out_.data());
    for (std::size_t k = 0; k < count; ++k) resolved[first + k] = is_resolved(k, length);
  }
  for (std::size_t k = 0; k < parts.size(); ++k) {
    // A formula may have no value at a place where its function has one, as sin(x)/x: no bound knows that, but all around it does.
    if (resolved[k] || length < narrowest_piece) {
      if (has_defect(parts[k], field)) return parts[k];
      continue;
    }
    if (splits_ >= most_splits_of_a_step) return parts[k];
    if (const auto found = search(parts[k], field)) return found;
  }
  return std::nullopt;
}

bool lies_ahead(const Part& unseen) { return unseen.lower >= shortest_part; }

double part_to_try(const Part& unseen) {
  return lies_ahead(unseen) ? unseen.lower : std::clamp(unseen.upper, shortest_part, 0.5);
}

}  // namespace saltus
