#pragma once

#include <optional>

namespace saltus {

// What a crossing is, once for all event functions. An event function s is looked at along a step, θ ∈ (0, 1]:
//  · a crossing is a passage from positive to negative (contacts: the gap h; closed contacts: the force λ; switches: σ s;
//    sections: the surface with the sign of the wanted direction). Passages from negative to positive are not crossings.
//  · the start θ = 0 does not belong to the step, its end does. A function that is zero at the start because the step begins
//    at that very event (an impact just happened, a contact was just released) is followed from there, so that its return to
//    zero is seen however soon it comes, and its start is not.
//  · between crossings a minimum of a gap that comes near zero is looked at too: the polynomial of a step cannot tell on which side
//    of zero it lies, a true step to the minimum can.

/// How an event function begins: away from zero, at zero but moving, or at zero and at rest.
enum class Beginning { away = 0, at_zero = 1, at_rest = 2 };

/// Value, rate and second rate of an event function at one end of a step.
struct EndJet {
  double value;
  double rate;
  double second;
};

/// Where a function that falls through zero once within a step of length h does so, about, in parts of h: on the cubic through
/// values and rates at its ends, or on the quintic through second rates too.
double fall_of_cubic(const EndJet& start, const EndJet& end, double h);
double fall_of_quintic(const EndJet& start, const EndJet& end, double h);

/// From this near, measured in the length of the step, a short step beside it reaches the zero to rounding.
inline constexpr double landing_window = 1e-5;

/// δ with s + ṡ δ + ½ s̈ δ² = 0, the root next to 0; nothing if s does not fall there or bends too much for a parabola.
std::optional<double> distance_to_zero(const EndJet& at);

/// The time at which the parabola of a jet falls to zero next; nothing if it does not.
std::optional<double> next_fall(const EndJet& at);

/// A safeguarded root search on the length of a step: Newton inside a bracket. The caller makes a true step of length `next`,
/// reports what it found and is told to go on or to stop.
class StepRoot {
 public:
  /// The function is positive at `lower`, negative at `upper`; first guess between them.
  StepRoot(double lower, double upper, double guess) : lower_(lower), upper_(upper), next_(guess) {}

  double next() const { return next_; }
  double lower() const { return lower_; }
  double upper() const { return upper_; }
  /// Takes the function and its derivative (0 if not known) at `next`. True: `next` is the root to within `tolerance`, or as near
  /// to it as the noise of the function allows.
  bool improve(double value, double derivative, double tolerance);

 private:
  double lower_;
  double upper_;
  double next_;
  double last_value_ = 0.0;
  double last_place_ = -1.0;
  double last_correction_ = 0.0;
  int count_ = 0;
};

}  // namespace saltus
