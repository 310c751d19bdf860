#include "saltus/numerics/polynomial_roots.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstring>
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

/// Two numbers that are added and multiplied together, and two of these.
using Pair [[gnu::vector_size(16)]] = double;
struct Quad {
  Pair low, high;
};

/// Σ c_k θ^k with two derivatives, by groups of four: sums run side by side instead of one that waits for itself.
class Polynomial {
 public:
  explicit Polynomial(std::span<const double> c) : quads_(std::max<std::size_t>((c.size() + 3) / 4, 2)) {
    Pair low = {0.0, 1.0};
    Pair high = {2.0, 3.0};
    for (std::size_t q = 0; q < quads_; ++q, low += 4.0, high += 4.0) {
      Quad& terms = c_[q];
      if (4 * q + 4 <= c.size()) {
        std::memcpy(&terms, c.data() + 4 * q, sizeof terms);
      } else {
        std::array<double, 4> last{};
        if (4 * q < c.size()) std::copy(c.begin() + static_cast<std::ptrdiff_t>(4 * q), c.end(), last.begin());
        std::memcpy(&terms, last.data(), sizeof terms);
      }
      slopes_[q] = {low * terms.low, high * terms.high};
      bends_[q] = {(low - 1.0) * slopes_[q].low, (high - 1.0) * slopes_[q].high};
    }
  }

  double first() const { return c_[0].low[0]; }
  double first_slope() const { return c_[0].low[1]; }

  /// p, θ p′ and θ² p″ at θ.
  struct Jet {
    double value, slope, bend;
  };
  Jet at(double theta) const {
    const double two = theta * theta;
    const double four = two * two;
    Quad value = c_[quads_ - 1];
    Quad slope = slopes_[quads_ - 1];
    Quad bend = bends_[quads_ - 1];
    for (std::size_t q = quads_ - 1; q-- > 0;) {
      value = {value.low * four + c_[q].low, value.high * four + c_[q].high};
      slope = {slope.low * four + slopes_[q].low, slope.high * four + slopes_[q].high};
      bend = {bend.low * four + bends_[q].low, bend.high * four + bends_[q].high};
    }
    const Pair v = value.low + two * value.high;
    const Pair s = slope.low + two * slope.high;
    const Pair b = bend.low + two * bend.high;
    return {v[0] + theta * v[1], s[0] + theta * s[1], b[0] + theta * b[1]};
  }

  /// What it does on [0, 1] at first sight: its first eight terms in Bernstein form, which bounds them and their slope, and
  /// the sum of the others' sizes.
  enum class Sight { no_fall, one_way_down, doubtful };
  Sight first_sight() const;

 private:
  std::size_t quads_;
  std::array<Quad, most_coefficients / 4> c_, slopes_, bends_;
};

constexpr std::size_t few = 8;
/// Term i gives C(j, i) / C(7, i) to Bernstein coefficient j: column i.
alignas(16) constexpr std::array<std::array<double, few>, few> bernstein_columns = [] {
  std::array<std::array<double, few>, few> pascal{};
  for (std::size_t j = 0; j < few; ++j) {
    pascal[j][0] = 1.0;
    for (std::size_t i = 1; i <= j; ++i) pascal[j][i] = pascal[j - 1][i - 1] + pascal[j - 1][i];
  }
  std::array<std::array<double, few>, few> columns{};
  for (std::size_t i = 0; i < few; ++i)
    for (std::size_t j = i; j < few; ++j) columns[i][j] = pascal[j][i] / pascal[few - 1][i];
  return columns;
}();

Polynomial::Sight Polynomial::first_sight() const {
  const Quad& c0 = c_[0];
  const Quad& c4 = c_[1];
  const std::array<double, few> c = {c0.low[0], c0.low[1], c0.high[0], c0.high[1],
                                     c4.low[0], c4.low[1], c4.high[0], c4.high[1]};
  Pair s0{}, s1{}, s2{}, s3{};
#pragma GCC unroll 8
  for (std::size_t i = 0; i < few; ++i) {
    std::array<Pair, 4> column;
    std::memcpy(column.data(), bernstein_columns[i].data(), sizeof column);
    s0 += c[i] * column[0];
    s1 += c[i] * column[1];
    s2 += c[i] * column[2];
    s3 += c[i] * column[3];
  }
  double rest = 0.0;
  double slope_rest = 0.0;
  for (std::size_t q = few / 4; q < quads_; ++q) {
    const Quad& a = c_[q];
    const Quad& b = slopes_[q];
    rest += (std::abs(a.low[0]) + std::abs(a.low[1])) + (std::abs(a.high[0]) + std::abs(a.high[1]));
    slope_rest += (std::abs(b.low[0]) + std::abs(b.low[1])) + (std::abs(b.high[0]) + std::abs(b.high[1]));
  }
  const std::array<double, few> b = {s0[0], s0[1], s1[0], s1[1], s2[0], s2[1], s3[0], s3[1]};
  double lowest = b[0];
  double highest = b[0];
  double steepest_up = b[1] - b[0];
  double steepest_down = steepest_up;
#pragma GCC unroll 8
  for (std::size_t j = 1; j < few; ++j) {
    lowest = std::min(lowest, b[j]);
    highest = std::max(highest, b[j]);
    steepest_up = std::max(steepest_up, b[j] - b[j - 1]);
    steepest_down = std::min(steepest_down, b[j] - b[j - 1]);
  }
  if (lowest > rest || highest < -rest) return Sight::no_fall;
  if ((few - 1) * steepest_down > slope_rest) return Sight::no_fall;
  return (few - 1) * steepest_up < -slope_rest ? Sight::one_way_down : Sight::doubtful;
}

/// Halley's method inside a bracket that begins positive and ends negative.
double only_fall(const Polynomial& p, double lower, double upper, double guess) {
  double theta = guess > lower && guess < upper ? guess : 0.5 * (lower + upper);
  double last = upper - lower;
  for (int count = 0; count < 100; ++count) {
    const Polynomial::Jet at = p.at(theta);
    if (at.value == 0.0) return theta;
    (at.value > 0.0 ? lower : upper) = theta;
    const double square = at.slope * at.slope;
    const double divisor = square - 0.5 * at.value * at.bend;
    const double relative = at.slope < 0.0 && divisor > 0.0 ? -at.value * at.slope / divisor : 0.0;
    const double correction = relative * theta;
    // The error after this correction goes with its third power and the square of the bend: below rounding.
    const double size = std::abs(relative);
    if (relative != 0.0 && size * size * size * (square + at.bend * at.bend) <= 1e-18 * square)
      return theta + correction;
    double next = theta + correction;
    if (!(next > lower && next < upper) || std::abs(correction) > 0.5 * last) next = 0.5 * (lower + upper);
    last = std::abs(next - theta);
    theta = next;
    if (last <= 1e-16 * theta || upper - lower <= 2e-16 * upper) break;
  }
  return theta;
}

/// Where a polynomial that goes down from `first` > 0 to `end` ≤ 0 at θ₁ = `upper` is zero, about: on the cubic that gives θ by
/// value, with slopes that keep it going one way.
double guessed_fall(const Polynomial& p, double upper, const Polynomial::Jet& end) {
  const double drop = end.value - p.first();
  const double share = -p.first() / drop;
  const auto slope_at = [&](double slope) { return slope < 0.0 ? std::min(drop / slope, 3.0 * upper) : 3.0 * upper; };
  const double begins = slope_at(p.first_slope());
  const double ends = slope_at(end.slope / upper);
  const double rest = 1.0 - share;
  return share * (rest * (rest * begins - share * ends) + upper * share * (3.0 - 2.0 * share));
}

std::span<const double> trimmed(std::span<const double> c) {
  double largest = 0.0;
  for (const double value : c) largest = std::max(largest, std::abs(value));
  std::size_t size = c.size();
  while (size > 2 && std::abs(c[size - 1]) <= 1e-19 * largest) --size;
  return c.first(size);
}

/// By Descartes' rule on halves of halves.
std::optional<double> first_fall_by_halves(const Polynomial& p, std::span<const double> c) {
  const std::size_t size = c.size();
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
    if (changes == 1 && falls) return only_fall(p, piece.lower, piece.upper, 0.0);
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

}  // namespace

double polynomial_value(std::span<const double> coefficients, double theta) {
  double value = 0.0;
  for (std::size_t k = coefficients.size(); k-- > 0;) value = value * theta + coefficients[k];
  return value;
}

std::optional<double> first_fall(std::span<const double> coefficients, double before) {
  assert(!coefficients.empty() && coefficients.size() <= most_coefficients);
  const Polynomial p(coefficients);
  const Polynomial::Sight sight = p.first_sight();
  if (sight == Polynomial::Sight::no_fall) return std::nullopt;
  if (sight == Polynomial::Sight::doubtful) {
    const auto theta = first_fall_by_halves(p, trimmed(coefficients));
    return theta && *theta <= before ? theta : std::nullopt;
  }
  const Polynomial::Jet end = p.at(before);
  if (p.first() <= 0.0 || end.value > 0.0) return std::nullopt;
  return end.value == 0.0 ? before : only_fall(p, 0.0, before, guessed_fall(p, before, end));
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
