#include "saltus/flow/polynomial_roots.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <vector>

namespace saltus {
namespace {

constexpr std::size_t most_coefficients = 64;
constexpr double shortest_piece = 1e-12;
using Coefficients = std::array<double, most_coefficients>;

/// A polynomial in Bernstein form on a part of [0, 1].
struct Piece {
  double lower, upper;
  Coefficients c;
};

int sign_changes(const Coefficients& c, std::size_t size) {
  int changes = 0;
  double previous = 0.0;
  for (std::size_t i = 0; i < size; ++i) {
    if (c[i] == 0.0) continue;
    if (previous * c[i] < 0.0) ++changes;
    previous = c[i];
  }
  return changes;
}

bool begins_positive(const Coefficients& c, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i)
    if (c[i] != 0.0) return c[i] > 0.0;
  return false;
}

/// b_j = Σ_{i ≤ j} C(j, i) / C(n, i) c_i, by differences: turn c_i / C(n, i) into b by repeated sums.
void to_bernstein(std::span<const double> c, Coefficients& b) {
  const std::size_t size = c.size();
  double binomial = 1.0;
  for (std::size_t i = 0; i < size; ++i) {
    b[i] = c[i] / binomial;
    binomial = binomial * static_cast<double>(size - 1 - i) / static_cast<double>(i + 1);
  }
  for (std::size_t level = 1; level < size; ++level)
    for (std::size_t i = size - 1; i >= level; --i) b[i] += b[i - 1];
}

/// The right half stays in `piece`, the left is returned.
Piece split(Piece& piece, std::size_t size) {
  const double middle = 0.5 * (piece.lower + piece.upper);
  Piece left{piece.lower, middle, {}};
  for (std::size_t level = 0; level < size; ++level) {
    left.c[level] = piece.c[0];
    for (std::size_t i = 0; i + level + 1 < size; ++i) piece.c[i] = 0.5 * (piece.c[i] + piece.c[i + 1]);
  }
  // The triangle's other side stands in place already: c[i] holds the value of level size − 1 − i.
  piece.lower = middle;
  return left;
}

struct Jet {
  double value, slope;
};

Jet jet(std::span<const double> c, double theta) {
  double value = c.back();
  double slope = 0.0;
  for (std::size_t k = c.size() - 1; k-- > 0;) {
    slope = slope * theta + value;
    value = value * theta + c[k];
  }
  return {value, slope};
}

/// Newton inside a bracket that begins positive and ends negative.
double only_fall(std::span<const double> c, double lower, double upper, double guess) {
  double theta = guess > lower && guess < upper ? guess : 0.5 * (lower + upper);
  // A few cheap steps on the first terms, which are nearly all of it; whatever they lead to, the bracket decides below.
  constexpr std::size_t few = 7;
  if (c.size() > few)
    for (int count = 0; count < 3; ++count) {
      const Jet at = jet(c.first(few), theta);
      const double next = at.slope < 0.0 ? theta - at.value / at.slope : theta;
      if (!(next > lower && next < upper)) break;
      theta = next;
    }
  double last = upper - lower;
  for (int count = 0; count < 100; ++count) {
    const Jet at = jet(c, theta);
    if (at.value == 0.0) return theta;
    (at.value > 0.0 ? lower : upper) = theta;
    const double correction = at.slope < 0.0 ? -at.value / at.slope : 0.0;
    // The correction after this one would be its square: below rounding.
    if (at.slope < 0.0 && std::abs(correction) <= 1e-9 * theta && last <= 1e-4 * theta) return theta + correction;
    double next = theta + correction;
    if (!(next > lower && next < upper) || std::abs(correction) > 0.5 * last) next = 0.5 * (lower + upper);
    last = std::abs(next - theta);
    theta = next;
    if (last <= 1e-16 * theta || upper - lower <= 2e-16 * upper) break;
  }
  return theta;
}

/// The smallest and largest Bernstein coefficient of degree 5 of the first six terms, widened by the sum of the others: bounds
/// of the polynomial on [0, 1].
struct Bounds {
  double lowest, highest;
};
Bounds bounds_of(const double* c, std::size_t size) {
  std::array<double, 6> b{};
  constexpr std::array<double, 6> binomial = {1.0, 0.2, 0.1, 0.1, 0.2, 1.0};  // 1 / C(5, i)
  for (std::size_t i = 0; i < std::min<std::size_t>(size, 6); ++i) b[i] = c[i] * binomial[i];
  for (std::size_t level = 1; level < 6; ++level)
    for (std::size_t i = 5; i >= level; --i) b[i] += b[i - 1];
  double rest = 0.0;
  for (std::size_t i = 6; i < size; ++i) rest += std::abs(c[i]);
  return {*std::min_element(b.begin(), b.end()) - rest, *std::max_element(b.begin(), b.end()) + rest};
}

std::span<const double> trimmed(std::span<const double> c) {
  double largest = 0.0;
  for (const double value : c) largest = std::max(largest, std::abs(value));
  std::size_t size = c.size();
  while (size > 2 && std::abs(c[size - 1]) <= 1e-19 * largest) --size;
  return c.first(size);
}

}  // namespace

double polynomial_value(std::span<const double> coefficients, double theta) { return jet(coefficients, theta).value; }

std::optional<double> first_fall(std::span<const double> coefficients) {
  const std::span<const double> c = trimmed(coefficients);
  const std::size_t size = c.size();
  assert(size <= most_coefficients);
  const Bounds bounds = bounds_of(c.data(), size);
  if (bounds.lowest > 0.0 || bounds.highest < 0.0) return std::nullopt;
  Coefficients derivative;
  for (std::size_t k = 1; k < size; ++k) derivative[k - 1] = static_cast<double>(k) * c[k];
  const Bounds slope = bounds_of(derivative.data(), size - 1);
  if (slope.lowest > 0.0) return std::nullopt;
  if (slope.highest < 0.0) {
    const double last = polynomial_value(c, 1.0);
    if (c[0] <= 0.0 || last > 0.0) return std::nullopt;
    return last == 0.0 ? 1.0 : only_fall(c, 0.0, 1.0, c[0] / (c[0] - last));
  }
  // Halving needs at most one entry per level: pieces of 1e-12 are 40 levels down.
  std::array<Piece, 64> stack;
  std::size_t height = 1;
  stack[0].lower = 0.0;
  stack[0].upper = 1.0;
  to_bernstein(c, stack[0].c);
  while (height > 0) {
    Piece& piece = stack[height - 1];
    const int changes = sign_changes(piece.c, size);
    const bool falls = begins_positive(piece.c, size) && piece.c[size - 1] <= 0.0;
    if (changes == 0) {
      // Positive all over and zero at its very end.
      if (falls) return piece.upper;
      --height;
      continue;
    }
    if (changes == 1 && falls) return only_fall(c, piece.lower, piece.upper, 0.0);
    if (changes == 1 || piece.upper - piece.lower < shortest_piece) {
      if (falls) return 0.5 * (piece.lower + piece.upper);
      --height;
      continue;
    }
    stack[height] = split(piece, size);
    ++height;
  }
  return std::nullopt;
}

std::optional<double> first_minimum(std::span<const double> coefficients) {
  std::vector<double> negative(coefficients.size() > 1 ? coefficients.size() - 1 : 0);
  for (std::size_t k = 0; k < negative.size(); ++k) negative[k] = -static_cast<double>(k + 1) * coefficients[k + 1];
  if (negative.empty()) return std::nullopt;
  const auto found = first_fall(negative);
  // −p' falling through zero is p' rising through it.
  return found;
}

}  // namespace saltus
