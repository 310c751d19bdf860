#pragma once

#include <string>

#include "saltus/driver/request.hpp"

namespace saltus {

/// `name=from:to:count`: equally spaced values of a parameter or an initial value, both ends included. `name=from:to` is the
/// interval of a continuation.
struct VariedRange {
  enum class Of { parameter, initial_value };
  std::string name;
  Of of = Of::parameter;
  std::size_t index = 0;  // of the parameter, or of the component of x
  double from = 0.0;
  double to = 0.0;
  std::size_t count = 0;  // 0: an interval

  /// from + (to − from) i / (count − 1); exactly `from` and `to` at the ends.
  double at(std::size_t i) const;
  std::vector<double> values() const;
};

/// A range as requests hold it; without a count the interval of a continuation.
std::string vary(const std::string& name, double from, double to, std::size_t count = 0);

/// What may be varied, and whether a number of values belongs to it.
enum class Varied { parameter, initial_value, either };
enum class RangeForm { values, interval };

/// Reads what stood behind --vary. Numbers may be expressions of parameters ("pi/2", "2*omega"). Throws Error(usage) with what to
/// write instead: an unknown name, a part that is missing or no number, an interval without length, no values.
VariedRange read_range(const std::string& text, const PreparedModel& prepared, Varied what, RangeForm form);

/// The interval that a range of values spans, upwards. Throws Error(usage) if it has no length.
VariedRange interval_of(VariedRange range);

/// A number behind an option (--at), which may be an expression of parameters. `whole`: what stood there. Throws Error(usage).
double number_in(const std::string& option, const std::string& whole, const std::string& text,
                 const PreparedModel& prepared);

/// The value as a setting: behind those of a request it puts the model there, dependent parameters included.
Assignment assigned(const VariedRange& range, double value);

}  // namespace saltus
