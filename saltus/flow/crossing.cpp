#include "saltus/flow/crossing.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace saltus {
namespace {

using Bernstein = std::array<double, node_count>;  // Bernstein coefficients of degree 8

double binomial(int n, int k) {
  double result = 1.0;
  for (int i = 0; i < k; ++i) result = result * (n - i) / (i + 1);
  return result;
}

/// The matrix that turns samples at the nodes into Bernstein coefficients: inverse of B_i(θ_j), by elimination.
std::array<Bernstein, node_count> bernstein_from_samples() {
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
  std::array<Bernstein, node_count> inverse{};
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      inverse[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = static_cast<double>(a[i][n + j] / a[i][i]);
  return inverse;
}

Bernstein coefficients_of(std::span<const double, node_count> samples) {
  static const std::array<Bernstein, node_count> matrix = bernstein_from_samples();
  Bernstein b{};
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

/// A polynomial in Bernstein form on part of the step.
struct Stretch {
  double lower, upper;
  std::size_t size;
  Bernstein c;

  double first() const { return c[0]; }
  double last() const { return c[size - 1]; }
  int sign_changes() const {
    int changes = 0;
    double previous = 0.0;
    for (std::size_t i = 0; i < size; ++i) {
      if (c[i] == 0.0) continue;
      if (previous * c[i] < 0.0) ++changes;
      previous = c[i];
    }
    return changes;
  }
};

/// The two halves of a piece: what de Casteljau's triangle leaves on its two sides.
std::pair<Stretch, Stretch> halves_of(const Stretch& piece) {
  const double middle = 0.5 * (piece.lower + piece.upper);
  Stretch left{piece.lower, middle, piece.size, {}};
  Stretch right{middle, piece.upper, piece.size, {}};
  Bernstein c = piece.c;
  for (std::size_t level = 0; level < piece.size; ++level) {
    left.c[level] = c[0];
    right.c[piece.size - 1 - level] = c[piece.size - 1 - level];
    for (std::size_t i = 0; i + level + 1 < piece.size; ++i) c[i] = 0.5 * (c[i] + c[i + 1]);
  }
  return {left, right};
}

/// Value and slope: what de Casteljau's triangle ends with.
std::pair<double, double> value_and_slope_at(std::span<const double> b, double theta) {
  std::array<double, node_count> c{};
  std::copy(b.begin(), b.end(), c.begin());
  for (std::size_t level = b.size() - 1; level > 1; --level)
    for (std::size_t i = 0; i < level; ++i) c[i] += theta * (c[i + 1] - c[i]);
  return {c[0] + theta * (c[1] - c[0]), static_cast<double>(b.size() - 1) * (c[1] - c[0])};
}

/// The only root in a piece that begins positive and ends negative: Newton inside the bracket.
double single_fall(std::span<const double> b, double lower, double upper, double accuracy) {
  const double fall = b.front() - b.back();
  double theta = lower + (upper - lower) * (fall > 0.0 ? std::clamp(b.front() / fall, 0.1, 0.9) : 0.5);
  for (int count = 0; count < 60 && upper - lower > accuracy; ++count) {
    const auto [value, slope] = value_and_slope_at(b, theta);
    if (value == 0.0) return theta;
    (value > 0.0 ? lower : upper) = theta;
    const double newton = theta - value / slope;
    if (std::abs(newton - theta) <= 0.5 * accuracy) return newton;
    const bool inside = newton > lower && newton < upper;
    theta = inside ? newton : 0.5 * (lower + upper);
  }
  return theta;
}

/// The first root beyond `from` at which Σ b_i B_i falls through zero, to about 1e-7: isolation, not location.
/// By Descartes' rule a piece without a change of sign has no root and one with a single change has one; all others are
/// split, so that no root is lost.
std::optional<double> earliest_fall(std::span<const double> b, double from) {
  std::array<Stretch, 64> stack;
  std::size_t height = 0;
  stack[height++] = Stretch{0.0, 1.0, b.size(), {}};
  std::copy(b.begin(), b.end(), stack[0].c.begin());
  while (height > 0) {
    const Stretch piece = stack[--height];
    if (piece.upper <= from) continue;
    const int changes = piece.sign_changes();
    if (changes == 0) continue;
    const bool falls = piece.first() > 0.0 && piece.last() <= 0.0;
    if (changes == 1 && piece.lower >= from) {
      if (falls) return single_fall(b, piece.lower, piece.upper, 1e-7);
      continue;
    }
    if (piece.upper - piece.lower < 1e-7) {
      if (falls) return 0.5 * (piece.lower + piece.upper);
      continue;
    }
    const auto [left, right] = halves_of(piece);
    stack[height++] = right;
    stack[height++] = left;
  }
  return std::nullopt;
}

Bernstein shifted(Bernstein b, double amount) {
  for (double& value : b) value += amount;
  return b;
}

/// −p': its first fall is the first minimum of p.
std::array<double, node_count - 1> negative_derivative(const Bernstein& b) {
  std::array<double, node_count - 1> c{};
  for (std::size_t i = 0; i < c.size(); ++i) c[i] = b[i] - b[i + 1];
  return c;
}

/// Lagrange's weights of all nodes but the first for the value at θ = 0.
Bernstein weights_at_start() {
  Bernstein weights{};
  for (std::size_t j = 1; j < weights.size(); ++j) {
    weights[j] = 1.0;
    for (std::size_t i = 1; i < weights.size(); ++i)
      if (i != j) weights[j] *= nodes()[i] / (nodes()[i] - nodes()[j]);
  }
  return weights;
}

/// The samples divided by θ or θ²; the value at θ = 0 by extrapolation of the others (degree 7).
Bernstein divided(std::span<const double, node_count> samples, int order) {
  static const Bernstein weights = weights_at_start();
  Bernstein q{};
  for (std::size_t j = 1; j < q.size(); ++j) {
    const double theta = nodes()[j];
    q[j] = (samples[j] - samples[0]) / (order == 1 ? theta : theta * theta);
    q[0] += weights[j] * q[j];
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
  Bernstein q{};
  std::copy(samples.begin(), samples.end(), q.begin());
  if (order > 0) q = divided(samples, order);
  const double start = q[0];
  // A function that begins (or is) below zero must rise before it can fall; the margin must not hide its start.
  const Bernstein b = coefficients_of(std::span<const double, node_count>(q));
  const double highest = std::max(0.0, *std::max_element(q.begin(), q.end()));
  if (beginning == Beginning::away ? *std::max_element(b.begin(), b.end()) <= 0.0 : highest <= 0.0) {
    const bool begins_at_event = beginning != Beginning::away;
    if (begins_at_event && samples.back() < -margin) return Descent{Descent::Kind::immediate, 0.0, 0.0};
    return std::nullopt;
  }
  const double level = std::min(margin, 0.5 * (start > 0.0 ? start : highest));
  const auto fall = earliest_fall(shifted(b, -level), 0.0);
  if (!fall) return std::nullopt;
  const double lowest = earliest_fall(negative_derivative(b), *fall).value_or(1.0);
  const double at_lowest = value_at(b, lowest);
  if (at_lowest < -margin || (lowest == 1.0 && samples.back() <= 0.0))
    return Descent{Descent::Kind::crossing, *fall, lowest};
  if (lowest < 1.0) return Descent{Descent::Kind::near_zero, *fall, lowest};
  return std::nullopt;  // still falling at the end of the step, and positive there
}

namespace {

/// The only zero of Σ cᵢ θⁱ in (0, 1), positive before and negative behind it: Newton inside a bracket.
double only_zero(std::span<const double> c) {
  double lower = 0.0;
  double upper = 1.0;
  double theta = 0.5;
  for (int count = 0; count < 60; ++count) {
    double value = 0.0;
    double slope = 0.0;
    for (std::size_t i = c.size(); i-- > 0;) {
      slope = slope * theta + value;
      value = value * theta + c[i];
    }
    (value > 0.0 ? lower : upper) = theta;
    const double newton = theta - value / slope;
    if (std::abs(newton - theta) <= 1e-9) return newton;
    const bool inside = newton > lower && newton < upper;
    if (upper - lower <= 1e-12) break;
    theta = inside ? newton : 0.5 * (lower + upper);
  }
  return theta;
}

/// The quintic with these values, rates and second rates at θ = 0 and 1, by powers of θ.
std::array<double, 6> quintic_through(const EndJet& start, const EndJet& end) {
  const double half = 0.5 * start.second;
  const double value = end.value - (start.value + start.rate + half);
  const double rate = end.rate - (start.rate + start.second);
  const double second = end.second - start.second;
  return {start.value,
          start.rate,
          half,
          10.0 * value - 4.0 * rate + 0.5 * second,
          7.0 * rate - 15.0 * value - second,
          6.0 * value - 3.0 * rate + 0.5 * second};
}

}  // namespace

Outlook outlook(const EndJet& start, const EndJet& end, double h, double margin, Beginning beginning) {
  if (beginning == Beginning::at_rest) return {Outlook::Kind::doubtful};
  const double s0 = beginning == Beginning::away ? start.value : 0.0;
  std::array<double, 6> b = {s0,
                             s0 + h * start.rate / 5.0,
                             s0 + 2.0 * h * start.rate / 5.0 + h * h * start.second / 20.0,
                             end.value - 2.0 * h * end.rate / 5.0 + h * h * end.second / 20.0,
                             end.value - h * end.rate / 5.0,
                             end.value};
  const double quintic = (b[0] + 5.0 * b[1] + 10.0 * b[2] + 10.0 * b[3] + 5.0 * b[4] + b[5]) / 32.0;
  const double cubic = 0.5 * (s0 + end.value) + h * (start.rate - end.rate) / 8.0;
  const double doubt = 4.0 * std::abs(quintic - cubic) + margin;
  std::size_t first = 0;
  if (beginning == Beginning::at_zero) {  // coefficients of the function divided by θ
    first = 1;
    for (std::size_t i = 1; i < b.size(); ++i) b[i] *= 5.0 / static_cast<double>(i);
  }
  const auto beyond = distance_to_zero(end);
  const bool ends_there = beyond && std::abs(*beyond) <= landing_window * h;
  std::size_t low = first;
  while (low < b.size() && b[low] > doubt) ++low;
  if (low == b.size() && !ends_there) return {Outlook::Kind::clear};
  if (low == first) return {Outlook::Kind::doubtful};
  for (std::size_t i = low; i < b.size(); ++i)
    if (!(b[i] < b[i - 1])) return {Outlook::Kind::doubtful};
  if (ends_there) return {Outlook::Kind::crossing, 1.0 + *beyond / h};
  if (end.value >= -doubt) {
    // It falls all the way, and only at its end, which is known, it is near zero: the doubt is of the interior.
    if (low + 1 < b.size() || !(end.rate < 0.0)) return {Outlook::Kind::doubtful};
    if (end.value >= 0.0) return {Outlook::Kind::clear};
  }
  const std::array<double, 6> c =
      quintic_through({s0, h * start.rate, h * h * start.second}, {end.value, h * end.rate, h * h * end.second});
  return {Outlook::Kind::crossing, only_zero(std::span<const double>(c).subspan(first))};
}

std::optional<double> distance_to_zero(const EndJet& at) {
  if (!(at.rate < 0.0)) return std::nullopt;
  const double discriminant = at.rate * at.rate - 2.0 * at.value * at.second;
  if (!(discriminant > 0.8 * at.rate * at.rate)) return std::nullopt;
  return 2.0 * at.value / (std::sqrt(discriminant) - at.rate);
}

std::optional<double> next_fall(const EndJet& at) {
  const double discriminant = at.rate * at.rate - 2.0 * at.value * at.second;
  if (!(discriminant > 0.0)) return std::nullopt;
  if (at.rate > 0.0)
    return at.second < 0.0 ? std::optional((at.rate + std::sqrt(discriminant)) / -at.second) : std::nullopt;
  if (at.value <= 0.0) return std::nullopt;
  return 2.0 * at.value / (std::sqrt(discriminant) - at.rate);
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
  // Corrections that are small and do not become smaller are noise.
  const bool small = slope < 0.0 && std::abs(correction) <= 1e-7 * place;
  if (small && last_correction_ > 0.0 && std::abs(correction) >= 0.25 * last_correction_) return true;
  double guess = place + correction;
  const bool inside = slope < 0.0 && guess > lower_ && guess < upper_;
  last_correction_ = small && inside ? std::abs(correction) : 0.0;
  // Newton that does not settle is mixed with bisection: every third step from the eighth on.
  if (!inside || (!small && count_ > 8 && count_ % 3 == 0)) guess = 0.5 * (lower_ + upper_);
  if (upper_ - lower_ <= tolerance || count_ > 100) return true;
  next_ = guess;
  return false;
}

}  // namespace saltus
