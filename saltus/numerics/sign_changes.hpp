#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace saltus {

/// Where positivity of s changes within [from, to], to neighbouring doubles.
template <class Function>
double change_between(const Function& positive, double from, double to) {
  const bool before = positive(from);
  while (true) {
    const double middle = 0.5 * (from + to);
    if (middle <= from || middle >= to) return to;
    (positive(middle) == before ? from : to) = middle;
  }
}

/// All changes of sign of s on (start, end). A pair of changes between two samples is found from the dip of |s| there.
template <class Function>
void add_sign_changes(const Function& s, double start, double end, std::vector<double>& instants) {
  constexpr int samples = 512;
  const auto at = [&](int i) { return i == samples ? end : start + (end - start) * i / samples; };
  const auto positive = [&](double t) { return s(t) > 0.0; };
  std::array<double, samples + 1> values{};
  for (int i = 0; i <= samples; ++i) values[static_cast<std::size_t>(i)] = s(at(i));
  const auto value = [&](int i) { return values[static_cast<std::size_t>(i)]; };
  for (int i = 0; i < samples; ++i) {
    if ((value(i) > 0.0) != (value(i + 1) > 0.0)) {
      instants.push_back(change_between(positive, at(i), at(i + 1)));
      continue;
    }
    if (i == 0 || (value(i - 1) > 0.0) != (value(i) > 0.0)) continue;
    if (!(std::abs(value(i)) < std::abs(value(i - 1)) && std::abs(value(i)) <= std::abs(value(i + 1)))) continue;
    const double sign = value(i) > 0.0 ? 1.0 : -1.0;
    double left = at(i - 1);
    double right = at(i + 1);
    constexpr double golden = 0.38196601125010515;
    for (int k = 0; k < 60 && right - left > 4.0 * std::numeric_limits<double>::epsilon() * std::abs(right); ++k) {
      const double a = left + golden * (right - left);
      const double b = right - golden * (right - left);
      (sign * s(a) < sign * s(b) ? right : left) = sign * s(a) < sign * s(b) ? b : a;
    }
    const double dip = 0.5 * (left + right);
    if (positive(dip) == positive(at(i))) continue;
    instants.push_back(change_between(positive, at(i - 1), dip));
    instants.push_back(change_between(positive, dip, at(i + 1)));
  }
}

}  // namespace saltus
