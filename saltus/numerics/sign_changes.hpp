#pragma once

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace saltus {

/// lower ≤ values ≤ upper.
struct Bounds {
  double lower, upper;

  bool above_zero() const { return lower > 0.0; }
  bool below_zero() const { return upper < 0.0; }
};

/// Of a function over an interval. Rate and bend are the whole line where the function jumps; the bend, where it has a kink.
struct JetBounds {
  Bounds value, rate, bend;
};

/// Where positivity changes within [from, to], to neighbouring doubles.
template <class Function>
double change_between(const Function& positive, double from, double to) {
  const bool before = positive(from);
  while (true) {
    const double middle = 0.5 * (from + to);
    if (middle <= from || middle >= to) return to;
    (positive(middle) == before ? from : to) = middle;
  }
}

/// All changes of sign of s on (start, end), proved by bounds: an interval is put aside where s has one sign, searched where s is
/// monotonic, cut at its extreme where s is bent to one side, and halved otherwise. A pair of changes within a few roundings of t is
/// none. False: so many intervals that something of it may be missing.
///   s(t), rate(t) give numbers, bounds(from, to) a JetBounds.
template <class Function, class Rate, class BoundsOf>
bool add_sign_changes(const Function& s, const Rate& rate, const BoundsOf& bounds, double start, double end,
                      std::vector<double>& instants) {
  constexpr int most_intervals = 200'000;
  const double shortest = 4.0 * std::numeric_limits<double>::epsilon() * std::max(std::abs(start), std::abs(end));
  const auto positive = [&](double t) { return s(t) > 0.0; };
  const auto search = [&](double from, double to) {
    if (positive(from) != positive(to)) instants.push_back(change_between(positive, from, to));
  };
  std::vector<std::pair<double, double>> open = {{start, end}};
  for (int count = 0; !open.empty(); ++count) {
    if (count == most_intervals) return false;
    const auto [from, to] = open.back();
    open.pop_back();
    const JetBounds jet = bounds(from, to);
    if (jet.value.lower > 0.0 || jet.value.upper <= 0.0) continue;
    if (jet.rate.above_zero() || jet.rate.below_zero() || to - from <= shortest) {
      search(from, to);
    } else if (jet.bend.above_zero() || jet.bend.below_zero()) {
      const double extreme = change_between([&](double t) { return rate(t) > 0.0; }, from, to);
      search(from, extreme);
      search(extreme, to);
    } else {
      const double middle = 0.5 * (from + to);
      open.emplace_back(middle, to);
      open.emplace_back(from, middle);
    }
  }
  return true;
}

}  // namespace saltus
