#include "saltus/flow/crossing.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace saltus {
namespace {

using Coefficients = std::array<double, node_count>;  // Bernstein coefficients of degree 8

double binomial(int n, int k) {
  double result = 1.0;
  for (int i = 0; i < k; ++i) result = result * (n - i) / (i + 1);
  return result;
}

/// The matrix that turns samples at the nodes into Bernstein coefficients: inverse of B_i(θ_j), by elimination.
std::array<Coefficients, node_count> bernstein_from_samples() {
  constexpr int n = node_count;
  std::array<std::array<long double, 2 * n>, n> a{};
  for (int j = 0; j < n; ++j) {
    const auto theta = static_cast<long double>(nodes()[static_cast<std::size_t>(j)]);
    for (int i = 0; i < n; ++i) a[j][i] = binomial(n - 1, i) * std::pow(theta, i) * std::pow(1.0L - theta, n - 1 - i);
    a[j][n + j] = 1.0L;
  }
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k; i < n; ++i)
      if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
    std::swap(a[k], a[pivot]);
    for (int i = 0; i < n; ++i) {
      if (i == k) continue;
      const long double factor = a[i][k] / a[k][k];
      for (int j = 0; j < 2 * n; ++j) a[i][j] -= factor * a[k][j];
    }
  }
  std::array<Coefficients, node_count> inverse{};
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      inverse[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = static_cast<double>(a[i][n + j] / a[i][i]);
  return inverse;
}

Coefficients coefficients_of(std::span<const double, node_count> samples) {
  static const std::array<Coefficients, node_count> matrix = bernstein_from_samples();
  Coefficients b{};
  for (std::size_t i = 0; i < b.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) b[i] += matrix[i][j] * samples[j];
  return b;
}

double value_at(std::span<const double> b, double theta) {
  std::array<double, node_count> c{};
  std::copy(b.begin(), b.end(), c.begin());
  for (std::size_t level = b.size() - 1; level > 0; --level)
    for (std::size_t i = 0; i < level; ++i) c[i] += theta * (c[i + 1] - c[i]);
  return c[0];
}

/// The two halves of a polynomial in Bernstein form.
struct Halves {
  std::vector<double> left, right;
};
Halves halves_of(std::vector<double> c) {
  const std::size_t n = c.size();
  Halves halves{std::vector<double>(n), std::vector<double>(n)};
  for (std::size_t level = 0; level < n; ++level) {
    halves.left[level] = c[0];
    halves.right[n - 1 - level] = c[n - 1 - level];
    for (std::size_t i = 0; i + level + 1 < n; ++i) c[i] = 0.5 * (c[i] + c[i + 1]);
  }
  return halves;
}

/// The first root beyond `from` at which Σ b_i B_i falls through zero, to about 1e-7: isolation, not location.
/// Every piece of the polynomial that can have such a root is split until it is plain or small.
std::optional<double> first_fall(std::span<const double> b, double from) {
  struct Piece {
    double lower, upper;
    std::vector<double> c;
  };
  std::vector<Piece> stack;
  stack.push_back({0.0, 1.0, std::vector<double>(b.begin(), b.end())});
  while (!stack.empty()) {
    Piece piece = std::move(stack.back());
    stack.pop_back();
    if (piece.upper <= from) continue;
    const bool some_positive = std::any_of(piece.c.begin(), piece.c.end(), [](double c) { return c > 0.0; });
    const bool some_negative = std::any_of(piece.c.begin(), piece.c.end(), [](double c) { return c < 0.0; });
    if (!some_positive || !some_negative) continue;
    const double middle = 0.5 * (piece.lower + piece.upper);
    if (piece.upper - piece.lower < 1e-7) {
      if (piece.c.front() > 0.0 && piece.c.back() <= 0.0 && middle > from) return middle;
      continue;
    }
    Halves halves = halves_of(std::move(piece.c));
    stack.push_back({middle, piece.upper, std::move(halves.right)});
    stack.push_back({piece.lower, middle, std::move(halves.left)});
  }
  return std::nullopt;
}

std::vector<double> shifted(const Coefficients& b, double amount) {
  std::vector<double> c(b.begin(), b.end());
  for (double& value : c) value += amount;
  return c;
}

/// −p': its first fall is the first minimum of p.
std::vector<double> negative_derivative(const Coefficients& b) {
  std::vector<double> c;
  for (std::size_t i = 0; i + 1 < b.size(); ++i) c.push_back(b[i] - b[i + 1]);
  return c;
}

/// The samples divided by θ or θ²; the value at θ = 0 by extrapolation of the others (degree 7).
Coefficients divided(std::span<const double, node_count> samples, int order) {
  Coefficients q{};
  for (std::size_t j = 1; j < q.size(); ++j) q[j] = (samples[j] - samples[0]) / std::pow(nodes()[j], order);
  for (std::size_t j = 1; j < q.size(); ++j) {
    double weight = 1.0;
    for (std::size_t i = 1; i < q.size(); ++i)
      if (i != j) weight *= nodes()[i] / (nodes()[i] - nodes()[j]);
    q[0] += weight * q[j];
  }
  return q;
}

}  // namespace

const std::array<double, node_count>& nodes() {
  static const auto values = [] {
    std::array<double, node_count> theta{};
    for (std::size_t j = 0; j < theta.size(); ++j)
      theta[j] = 0.5 * (1.0 - std::cos(std::numbers::pi * static_cast<double>(j) / (node_count - 1)));
    return theta;
  }();
  return values;
}

std::optional<Descent> first_descent(std::span<const double, node_count> samples, double margin, Beginning beginning) {
  const int order = static_cast<int>(beginning);
  Coefficients q{};
  std::copy(samples.begin(), samples.end(), q.begin());
  if (order > 0) q = divided(samples, order);
  const double start = q[0];
  // A function that begins (or is) below zero must rise before it can fall; the margin must not hide its start.
  const double highest = *std::max_element(q.begin(), q.end());
  if (highest <= 0.0) {
    const bool begins_at_event = beginning != Beginning::away;
    if (begins_at_event && samples.back() < -margin) return Descent{Descent::Kind::immediate, 0.0, 0.0};
    return std::nullopt;
  }
  const double level = std::min(margin, 0.5 * (start > 0.0 ? start : highest));
  const Coefficients b = coefficients_of(std::span<const double, node_count>(q));
  const auto fall = first_fall(shifted(b, -level), 0.0);
  if (!fall) return std::nullopt;
  const double lowest = first_fall(negative_derivative(b), *fall).value_or(1.0);
  const double at_lowest = value_at(b, lowest);
  if (at_lowest < -margin || (lowest == 1.0 && samples.back() <= 0.0))
    return Descent{Descent::Kind::crossing, *fall, lowest};
  if (lowest < 1.0) return Descent{Descent::Kind::near_zero, *fall, lowest};
  return std::nullopt;  // still falling at the end of the step, and positive there
}

bool surely_positive(const EndJet& start, const EndJet& end, double h, double margin, Beginning beginning) {
  const double s0 = beginning == Beginning::away ? start.value : 0.0;
  const std::array<double, 6> b = {s0,
                                   s0 + h * start.rate / 5.0,
                                   s0 + 2.0 * h * start.rate / 5.0 + h * h * start.second / 20.0,
                                   end.value - 2.0 * h * end.rate / 5.0 + h * h * end.second / 20.0,
                                   end.value - h * end.rate / 5.0,
                                   end.value};
  const double quintic = (b[0] + 5.0 * b[1] + 10.0 * b[2] + 10.0 * b[3] + 5.0 * b[4] + b[5]) / 32.0;
  const double cubic = 0.5 * (s0 + end.value) + h * (start.rate - end.rate) / 8.0;
  const double doubt = 4.0 * std::abs(quintic - cubic) + margin;
  if (beginning == Beginning::at_rest) return false;
  if (beginning == Beginning::away) return *std::min_element(b.begin(), b.end()) > doubt;
  for (std::size_t i = 1; i < b.size(); ++i)
    if (b[i] * 5.0 / static_cast<double>(i) <= doubt) return false;  // coefficients of the function divided by θ
  return true;
}

bool StepRoot::improve(double value, double derivative, double tolerance) {
  const double place = next_;
  if (value > 0.0) lower_ = place;
  else upper_ = place;
  ++count_;
  double slope = derivative;
  if (slope == 0.0 && last_place_ >= 0.0 && place != last_place_) slope = (value - last_value_) / (place - last_place_);
  last_place_ = place;
  last_value_ = value;
  const double correction = slope != 0.0 ? -value / slope : 0.0;
  if (value == 0.0 || (slope < 0.0 && std::abs(correction) <= tolerance)) return true;
  double guess = place + correction;
  const bool inside = slope < 0.0 && guess > lower_ && guess < upper_;
  // Newton that does not settle is mixed with bisection: every third step from the eighth on.
  if (!inside || (count_ > 8 && count_ % 3 == 0)) guess = 0.5 * (lower_ + upper_);
  if (upper_ - lower_ <= tolerance || count_ > 100) return true;
  next_ = guess;
  return false;
}

}  // namespace saltus
