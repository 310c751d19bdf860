#pragma once

#include <algorithm>
#include <cmath>

#include "saltus/flow/lane.hpp"
#include "saltus/flow/lane_values.hpp"

namespace saltus {

/// The trial of one lane: what the event functions at its ends say of a guard.
class LaneTrial {
 public:
  LaneTrial(const LaneValues& values, const Lane& lane, std::size_t l) : values_(values), lane_(lane), l_(l) {}

  const Lane& lane() const { return lane_; }
  std::size_t l() const { return l_; }
  double h() const { return values_.stepper().h(l_); }
  EndJet begin(const Guard& guard) const { return values_.begin_jet(guard, l_); }
  EndJet end(const Guard& guard) const { return values_.end_jet(guard, l_); }
  /// max |g| and h |ġ| at both ends: what errors are relative to.
  double size_of(const EndJet& begin, const EndJet& end) const {
    return std::max(std::max(std::abs(begin.value), std::abs(end.value)),
                    h() * std::max(std::abs(begin.rate), std::abs(end.rate)));
  }
  /// An open contact whose gap is not a number at the end.
  std::optional<std::size_t> undefined_gap() const;

  /// Does it begin on the guard's zero, moving or at rest?
  Beginning beginning_of(const Guard& guard, const EndJet& begin, const EndJet& end) const;
  /// A gap that is positive behind the start.
  bool begins_open(const Guard& guard) const;
  /// Where a guard that falls through zero once does so, in parts of the trial; slightly above 1: just behind its end.
  double fall_of(const Guard& guard) const;
  /// A gap that falls, and is zero so near the end that a short step beside it leads there: how far from it.
  std::optional<double> end_of_flight(const Guard& guard) const;

  // What else there is where the trial ends on a guard.

  /// A gap that falls from the very instant in which it was dealt with: its contact was left at rest but for rounding. What is zero
  /// again a while later has been open in the meantime.
  bool presses_again(const Guard& guard) const;
  /// A gap whose rate and second rate vanish where it closes, beside what they were on the way, like x³: it has no normal there.
  bool closes_flatly(const Guard& guard) const;
  struct Neighbour {
    Guard gap;
    double beyond;
  };
  /// Another gap that closes between the end of the trial and the zero of the guard, or just before both.
  std::optional<Neighbour> earlier_neighbour(const Guard& guard, double beyond) const;

 private:
  const LaneValues& values_;
  const Lane& lane_;
  std::size_t l_;
};

}  // namespace saltus
