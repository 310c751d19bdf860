#pragma once

#include <array>
#include <optional>
#include <span>

namespace saltus {

// What a crossing is, once for all event functions. An event function s is looked at along a step, θ ∈ (0, 1]:
//  · a crossing is a passage from positive to negative (contacts: the gap h; closed contacts: the force λ; switches: σ s;
//    sections: the surface with the sign of the wanted direction). Passages from negative to positive are not crossings.
//  · the start θ = 0 does not belong to the step, its end does. A function that is zero at the start because the step begins
//    at that very event (an impact just happened, a contact was just released) is divided by θ or θ² before its roots are
//    sought, so that its return to zero is seen however soon it comes, and its start is not.
//  · between crossings a minimum that comes near zero is reported too: dense output cannot tell on which side of zero it lies,
//    a true step to the minimum can.

inline constexpr int node_count = 9;  // Chebyshev–Lobatto nodes of a step, its ends included

/// θ of node j: (1 − cos(π j / 8)) / 2.
const std::array<double, node_count>& nodes();

/// How an event function begins: away from zero, at zero but moving, or at zero and at rest.
enum class Beginning { away = 0, at_zero = 1, at_rest = 2 };

struct Descent {
  enum class Kind {
    crossing,  // passes zero between `lower` and `upper`
    near_zero,  // has a minimum near `upper` that may or may not reach zero; positive and falling at `lower`
    immediate,  // negative from the very start: the function should not have been let go
  };
  Kind kind;
  double lower;
  double upper;
};

/// The first descent to zero of a function known at the nodes. `margin` ≥ 0: how far the samples can be trusted.
std::optional<Descent> first_descent(std::span<const double, node_count> samples, double margin, Beginning beginning);

/// Value, rate and second rate of an event function at one end of a step.
struct EndJet {
  double value;
  double rate;
  double second;
};

/// What the ends of a step of length h say about a smooth function between them: its quintic, believed as far as it and the
/// cubic differ, and `margin`.
struct Outlook {
  enum class Kind {
    clear,  // stays positive
    crossing,  // falls through zero once, near θ (slightly above 1: just behind the end)
    doubtful,  // look inside
  };
  Kind kind;
  double theta = 0.0;
};
Outlook outlook(const EndJet& start, const EndJet& end, double h, double margin, Beginning beginning);

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
