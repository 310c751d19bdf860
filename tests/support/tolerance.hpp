#pragma once
// Tolerances have a kind, and the kind is in the code:
//
//   EXPECT_CLOSE(events.size(), 3, exact);                         counts, order, names, text
//   EXPECT_CLOSE(S.determinant(), e * e, rounding(100));           algebra: 100 eps max(|a|, |b|)
//   EXPECT_CLOSE(x, x_closed, integration(rtol, growth));          flows: growth rtol max(|a|, |b|)
//   EXPECT_CLOSE(central_difference(f, x), df_dx, difference(h));  derivatives: error(h) / error(h/2) = 4 ± 0.5
//   EXPECT_CLOSE(mean, 0.4189, sampling(standard_error));          averages over chaos: 4 standard errors
//   EXPECT_CLOSE(exponent, 0.3062, printed("0.3062"));             literature: half a unit in the last digit
//
// Both sides may be numbers, complex numbers, ranges of them (std::vector, std::array) or Eigen matrices; a matrix is
// compared as a whole, by its largest entry. rounding and integration take a scale as a last argument where the natural
// size of the terms exceeds that of the result: rounding(10, 1.0). The names of the kinds are found inside EXPECT_CLOSE
// from every namespace; central_difference is saltus::test::central_difference.
//
// SALTUS_TOLERANCE_SCALE multiplies every tolerance; 0 makes every comparison fail and so prints every residual.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace saltus::test {

/// Accepts a and b when |a − b| ≤ factor · max(|a|, |b|, scale) + absolute.
struct Tolerance {
  std::string kind;  // as written in the test: "rounding(100)"
  double factor = 0.0;  // multiplies the size of what is compared
  double scale = 0.0;  // the least size
  double absolute = 0.0;  // does not depend on the size
};

struct Exact {};

/// A number of the literature together with the digits it was printed with.
struct Printed {
  std::string text;
  double value;
  double half_unit;
};

/// Accepts a second-order approximation D(h) of a derivative when its error falls by 4 ± 0.5 from h to h/2. Where the
/// difference is exact but for rounding (f is a parabola) errors up to `noise` are accepted without a ratio.
struct Difference {
  double h;
  double noise;
};

inline std::string in_words(double value) {
  std::ostringstream out;
  out.precision(6);
  out << value;
  return out.str();
}

inline std::string call_text(std::string_view name, double first) {
  return std::string(name) + "(" + in_words(first) + ")";
}

inline constexpr Exact exact{};

/// k eps max(|a|, |b|, scale); k within ten times the worst measured, the measurement in a comment.
inline Tolerance rounding(double k, double scale = 0.0) {
  return {call_text("rounding", k), k * std::numeric_limits<double>::epsilon(), scale, 0.0};
}

/// growth rtol max(|a|, |b|, scale); growth = ‖X‖, computed, not guessed.
inline Tolerance integration(double rtol, double growth, double scale = 0.0) {
  return {"integration(" + in_words(rtol) + ", " + in_words(growth) + ")", growth * rtol, scale, 0.0};
}

/// Four standard errors; the number of samples is stated in the test.
inline Tolerance sampling(double standard_error) {
  return {call_text("sampling", standard_error), 0.0, 0.0, 4.0 * standard_error};
}

inline Difference difference(double h, double noise = 0.0) { return {h, noise}; }

/// Half a unit of the last printed digit: printed("0.3062") accepts 0.30615 … 0.30625, printed("1.2e3") 1150 … 1250.
inline Printed printed(std::string_view text) {
  const auto exponent_at = std::min(text.find_first_of("eE"), text.size());
  const std::string_view digits = text.substr(0, exponent_at);
  const auto point = digits.find('.');
  const int decimals = point == std::string_view::npos ? 0 : static_cast<int>(digits.size() - point - 1);
  const int exponent = exponent_at < text.size() ? std::atoi(std::string(text.substr(exponent_at + 1)).c_str()) : 0;
  const std::string copy(text);
  return {copy, std::strtod(copy.c_str(), nullptr), 0.5 * std::pow(10.0, exponent - decimals)};
}

/// h ↦ (f(x + h) − f(x − h)) / 2h, for a function f of one number with any value that can be subtracted and divided.
template <class Function>
auto central_difference(Function f, double x) {
  using Value = std::decay_t<decltype(f(x))>;
  return [f = std::move(f), x](double h) -> Value {
    const Value ahead = f(x + h);
    const Value behind = f(x - h);
    return (ahead - behind) / (2.0 * h);
  };
}

inline double tolerance_scale() {
  const char* text = std::getenv("SALTUS_TOLERANCE_SCALE");
  return text == nullptr ? 1.0 : std::strtod(text, nullptr);
}

// ---- the sizes of numbers, ranges and matrices -------------------------------------------------------------------

template <class T>
concept Number = std::is_arithmetic_v<T>;

template <class T>
concept MatrixLike = requires(const T& m) {
  m.rows();
  m.cols();
  m(m.rows(), m.cols());
};

struct Comparison {
  double residual = 0.0;  // max |aᵢ − bᵢ|; not a number where the shapes or the kinds of numbers differ
  double size = 0.0;  // max(|aᵢ|, |bᵢ|)
  bool same_shape = true;

  void add(const Comparison& other) {
    // max drops a NaN on one side; here it must stay.
    residual = std::isnan(residual) || std::isnan(other.residual) ? std::numeric_limits<double>::quiet_NaN()
                                                                  : std::max(residual, other.residual);
    size = std::max(size, other.size);
    same_shape = same_shape && other.same_shape;
  }
};

template <Number A, Number B>
Comparison comparison(A a, B b) {
  const auto wide_a = static_cast<long double>(a);
  const auto wide_b = static_cast<long double>(b);
  const long double residual = wide_a == wide_b ? 0.0L : std::abs(wide_a - wide_b);  // equal infinities are equal
  return {static_cast<double>(residual), static_cast<double>(std::max(std::abs(wide_a), std::abs(wide_b)))};
}

inline Comparison comparison(const std::complex<double>& a, const std::complex<double>& b) {
  return {a == b ? 0.0 : std::abs(a - b), std::max(std::abs(a), std::abs(b))};
}

template <MatrixLike A, MatrixLike B>
Comparison comparison(const A& a, const B& b) {
  Comparison result;
  if (a.rows() != b.rows() || a.cols() != b.cols()) return {.same_shape = false};
  for (auto i = 0 * a.rows(); i < a.rows(); ++i)
    for (auto j = 0 * a.cols(); j < a.cols(); ++j) result.add(comparison(a(i, j), b(i, j)));
  return result;
}

template <class A, class B>
  requires(!MatrixLike<A> && !MatrixLike<B> &&
           requires(const A& a, const B& b) {
             a.begin() == a.end();
             b.begin() == b.end();
           })
Comparison comparison(const A& a, const B& b) {
  Comparison result;
  auto next = b.begin();
  for (const auto& value : a) {
    if (next == b.end()) return {.same_shape = false};
    result.add(comparison(value, *next));
    ++next;
  }
  if (next != b.end()) return {.same_shape = false};
  return result;
}

// ---- the verdicts ------------------------------------------------------------------------------------------------

inline testing::AssertionResult verdict(const Comparison& c, double allowed, const std::string& kind,
                                        const std::string& what) {
  const double scale = tolerance_scale();
  if (scale > 0.0 && c.same_shape && c.residual <= scale * allowed) return testing::AssertionSuccess();
  testing::AssertionResult failure = testing::AssertionFailure();
  failure << what << "\n";
  if (!c.same_shape) return failure << "  the two sides differ in shape";
  return failure << "  residual " << in_words(c.residual) << "   tolerance " << in_words(scale * allowed) << " = "
                 << kind << (scale == 1.0 ? "" : " x " + in_words(scale)) << "   size " << in_words(c.size);
}

template <class A, class B>
std::string two_sides(const char* a_text, const char* b_text, const A& a, const B& b) {
  return std::string(a_text) + " = " + testing::PrintToString(a) + "\n" + b_text + " = " + testing::PrintToString(b);
}

template <class A, class B>
testing::AssertionResult close(const char* a_text, const char* b_text, const char*, const A& a, const B& b,
                               const Tolerance& tolerance) {
  const Comparison c = comparison(a, b);
  const double allowed = tolerance.factor * std::max(c.size, tolerance.scale) + tolerance.absolute;
  return verdict(c, allowed, tolerance.kind, two_sides(a_text, b_text, a, b));
}

template <class A, class B>
bool equal(const A& a, const B& b) {
  if constexpr (std::integral<A> && std::integral<B> && !std::same_as<A, bool> && !std::same_as<B, bool>) {
    return std::cmp_equal(a, b);
  } else {
    return a == b;
  }
}

template <class A, class B>
testing::AssertionResult close(const char* a_text, const char* b_text, const char*, const A& a, const B& b, Exact) {
  if (tolerance_scale() > 0.0 && equal(a, b)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << two_sides(a_text, b_text, a, b) << "\n  must be equal: exact";
}

template <class A>
testing::AssertionResult close(const char* a_text, const char* b_text, const char*, const A& a, double b,
                               const Printed& number) {
  const std::string what = two_sides(a_text, b_text, a, b);
  if (b != number.value) return testing::AssertionFailure() << what << "\n  is not the printed number " << number.text;
  // A few eps more: neither the printed number nor its half unit is a binary fraction.
  const Comparison c = comparison(a, b);
  const double allowed = number.half_unit + 4.0 * std::numeric_limits<double>::epsilon() * std::abs(b);
  return verdict(c, allowed, "printed(\"" + number.text + "\")", what);
}

template <class Approximation, class B>
testing::AssertionResult close(const char* a_text, const char* b_text, const char*, const Approximation& approximation,
                               const B& derivative, const Difference& test) {
  const Comparison full = comparison(approximation(test.h), derivative);
  const Comparison half = comparison(approximation(test.h / 2.0), derivative);
  const double scale = tolerance_scale();
  const double ratio = full.residual / half.residual;
  const bool converges = std::abs(ratio - 4.0) <= 0.5 * scale;
  const bool nothing_but_noise = full.residual <= test.noise * scale && half.residual <= test.noise * scale;
  const bool same_shape = full.same_shape && half.same_shape;
  if (scale > 0.0 && same_shape && (converges || nothing_but_noise)) return testing::AssertionSuccess();
  testing::AssertionResult failure = testing::AssertionFailure();
  failure << a_text << "\n" << b_text << " = " << testing::PrintToString(derivative) << "\n";
  if (!same_shape) return failure << "  the two sides differ in shape";
  return failure << "  errors " << in_words(full.residual) << " at h = " << in_words(test.h) << " and "
                 << in_words(half.residual) << " at h/2: ratio " << in_words(ratio) << "   tolerance 4 ± "
                 << in_words(0.5 * scale) << ", or both ≤ " << in_words(test.noise * scale) << " = difference("
                 << in_words(test.h) << ")";
}

}  // namespace saltus::test

// The lambda brings the names of the kinds into view for the tolerance and nothing else.
#define SALTUS_TOLERANCE_OF(...)    \
  ([&] {                            \
    using namespace ::saltus::test; \
    return __VA_ARGS__;             \
  }())
#define EXPECT_CLOSE(actual, expected, ...) \
  EXPECT_PRED_FORMAT3(::saltus::test::close, actual, expected, SALTUS_TOLERANCE_OF(__VA_ARGS__))
#define ASSERT_CLOSE(actual, expected, ...) \
  ASSERT_PRED_FORMAT3(::saltus::test::close, actual, expected, SALTUS_TOLERANCE_OF(__VA_ARGS__))
