#include "saltus/numerics/chebyshev.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace saltus {
namespace {

constexpr std::size_t count = ChebyshevSeries::count;

/// cos(k (j + ½) π / count) at the places s_j, increasing in j.
const std::array<std::array<double, count>, count>& cosines() {
  static const auto table = [] {
    std::array<std::array<double, count>, count> all{};
    for (std::size_t j = 0; j < count; ++j)
      for (std::size_t k = 0; k < count; ++k) {
        const double angle = std::numbers::pi * (static_cast<double>(count - 1 - j) + 0.5) / static_cast<double>(count);
        all[j][k] = std::cos(static_cast<double>(k) * angle);
      }
    return all;
  }();
  return table;
}

/// Clenshaw's sum.
double value_of(std::span<const double> c, double s) {
  double b1 = 0.0;
  double b2 = 0.0;
  for (std::size_t k = c.size(); k-- > 1;) {
    const double b = 2.0 * s * b1 - b2 + c[k];
    b2 = b1;
    b1 = b;
  }
  return c.empty() ? 0.0 : s * b1 - b2 + c[0];
}

std::vector<double> derivative_of(std::span<const double> c) {
  if (c.size() < 2) return {};
  std::vector<double> d(c.size() + 1, 0.0);
  for (std::size_t k = c.size() - 1; k-- > 0;) d[k] = d[k + 2] + 2.0 * static_cast<double>(k + 1) * c[k + 1];
  d[0] *= 0.5;
  d.resize(c.size() - 1);
  return d;
}

/// A zero between two places of opposite signs, by bisection and secants in turn.
double zero_between(std::span<const double> c, double a, double wa, double b, double wb) {
  for (int i = 0; i < 120 && b - a > 2e-16; ++i) {
    const double secant = a - wa * (b - a) / (wb - wa);
    const bool usable = i % 3 != 2 && secant > a && secant < b;
    const double s = usable ? secant : 0.5 * (a + b);
    if (!(s > a && s < b)) break;
    const double w = value_of(c, s);
    if (w == 0.0) return s;
    if ((w < 0.0) == (wa < 0.0)) {
      a = s;
      wa = w;
    } else {
      b = s;
      wb = w;
    }
  }
  return std::abs(wa) < std::abs(wb) ? a : b;
}

/// Zeros in (−1, 1) with a change of sign: between neighbouring zeros of its derivative a function has one at most.
std::vector<double> zeros_of(std::span<const double> c) {
  double others = 0.0;
  for (std::size_t k = 1; k < c.size(); ++k) others += std::abs(c[k]);
  if (c.size() < 2 || std::abs(c[0]) > others) return {};
  std::vector<double> ends = zeros_of(derivative_of(c));
  ends.insert(ends.begin(), -1.0);
  ends.push_back(1.0);
  std::vector<double> zeros;
  double before = value_of(c, ends.front());
  for (std::size_t i = 1; i < ends.size(); ++i) {
    const double now = value_of(c, ends[i]);
    if (before != 0.0 && now != 0.0 && (before < 0.0) != (now < 0.0))
      zeros.push_back(zero_between(c, ends[i - 1], before, ends[i], now));
    else if (now == 0.0 && i + 1 < ends.size()) zeros.push_back(ends[i]);
    before = now;
  }
  return zeros;
}

/// Without what is rounding of the largest coefficient.
std::span<const double> significant(std::span<const double> c, double size) {
  std::size_t n = c.size();
  while (n > 1 && std::abs(c[n - 1]) <= 1e-15 * size) --n;
  return c.first(n);
}

/// ∫ T_k over −1 … 1.
double integral_of(std::size_t k) {
  const auto n = static_cast<double>(k);
  return k % 2 == 1 ? 0.0 : 2.0 / (1.0 - n * n);
}

}  // namespace

const ChebyshevSeries::Values& ChebyshevSeries::places() {
  static const Values all = [] {
    Values s{};
    for (std::size_t j = 0; j < count; ++j) s[j] = cosines()[j][1];
    return s;
  }();
  return all;
}

ChebyshevSeries::ChebyshevSeries(const Values& values) {
  for (std::size_t k = 0; k < count; ++k) {
    double sum = 0.0;
    for (std::size_t j = 0; j < count; ++j) sum += values[j] * cosines()[j][k];
    c_[k] = sum * (k == 0 ? 1.0 : 2.0) / static_cast<double>(count);
  }
}

double ChebyshevSeries::operator()(double s) const { return value_of(c_, s); }

double ChebyshevSeries::size() const {
  double largest = 0.0;
  for (const double c : c_) largest = std::max(largest, std::abs(c));
  return largest;
}

ChebyshevSeries ChebyshevSeries::without_line(double middle, double slope) const {
  ChebyshevSeries rest = *this;
  rest.c_[0] -= middle;
  rest.c_[1] -= slope;
  return rest;
}

double ChebyshevSeries::tail() const {
  return std::max({std::abs(c_[count - 1]), std::abs(c_[count - 2]), std::abs(c_[count - 3])});
}

double ChebyshevSeries::spread() const {
  double sum = 0.0;
  for (std::size_t k = 1; k < count; ++k) sum += std::abs(c_[k]);
  return sum;
}

std::vector<double> ChebyshevSeries::zeros() const { return zeros_of(significant(c_, size())); }

std::vector<double> ChebyshevSeries::turning_places() const { return zeros_of(derivative_of(significant(c_, size()))); }

double ChebyshevSeries::integral(double reference) const {
  double sum = -2.0 * reference;
  for (std::size_t k = 0; k < count; k += 2) sum += c_[k] * integral_of(k);
  return sum;
}

double ChebyshevSeries::square_integral(double reference) const {
  // T_j T_k = ½ (T_{j+k} + T_{|j−k|}).
  std::array<double, count> c = c_;
  c[0] -= reference;
  double sum = 0.0;
  for (std::size_t j = 0; j < count; ++j)
    for (std::size_t k = j % 2; k < count; k += 2)
      sum += 0.5 * c[j] * c[k] * (integral_of(j + k) + integral_of(j > k ? j - k : k - j));
  return sum;
}

}  // namespace saltus
