#pragma once

#include <Eigen/Core>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

namespace saltus {

enum class EventKind {
  impact,
  chatter,      // a completed accumulation of impacts, at its accumulation time
  slide_start,
  slide_end,
  switched,
  filippov_start,
  filippov_end,
  accumulation, // of switches: completed, the motion is held where their surfaces meet
  grazing,
  section,
};
std::string_view name_of(EventKind kind);

/// A time as whole forcing periods and the phase within one: cos(ωt) keeps its digits however long the run.
/// Autonomous systems have period 0 and all of the time in the phase.
struct Time {
  long cycles = 0;
  double phase = 0.0;
  double rest = 0.0;  // what rounding took from the phase: millions of steps add up without losing it

  double absolute(double period) const { return static_cast<double>(cycles) * period + (phase + rest); }
  /// The phase moved on by dt.
  void advance(double dt) {
    const double sum = phase + dt;
    const double moved = sum - phase;
    rest += (phase - (sum - moved)) + (dt - moved);
    phase = sum + rest;
    rest -= phase - sum;
  }
};

/// end − now, exact in whole periods.
inline double until(const Time& end, const Time& now, double period) {
  return static_cast<double>(end.cycles - now.cycles) * period + ((end.phase - now.phase) + (end.rest - now.rest));
}

/// Something that happened at an instant.
struct Event {
  EventKind kind;
  double t;                  // absolute
  std::size_t index;         // of the contact, switch or surface
  double gamma_minus = 0.0;  // approach and departure speed of the contact
  double gamma_plus = 0.0;
  double impulse = 0.0;
  Eigen::VectorXd x_minus, x_plus;
  double ratio = 0.0;  // of an accumulation: of the length of a round to that of the round before ...
  std::vector<std::size_t> switches = {};  // ... and the switches in it
};

/// What a run keeps about itself: figures of trust.
struct Ledger {
  long steps = 0, rejected = 0;
  long impacts = 0, chatters = 0, slides = 0, grazings = 0;
  long switches = 0;  // passed, or slid along: beginning and end
  long sticks = 0;  // slides along a switch that began
  double worst_penetration = 0.0;  // largest −h of an open contact at the end of a step
  double penetration_bound =
      0.0;  // −h of an open contact is nowhere larger on the computed motion between events; if bound_gaps
  std::vector<double> closest_miss;  // per contact: smallest gap at a turning point that was not an impact
  std::vector<double>
      closest_miss_bound;  // per contact: no minimum of its gap between events lies lower; if bound_gaps
  std::vector<double> smallest_gamma;  // per contact: smallest |γ⁻| at an impact
  std::vector<double> sliding_time;  // per contact
  double held_time = 0.0;  // with a contact closed or a switch slid along, however many
  double energy_impacts = 0.0;  // sum of the kinetic energy's jumps
  double energy_work = 0.0;  // ∫ power of all forces on the kinetic energy between them, if measured
  double energy_change = 0.0;  // of the kinetic energy over the run, if measured: the sum of the two above
  double energy_residual = 0.0;  // worst |ΔT + ½(1−e²)γ²/G + Λ h_t| of an impact, relative to T
  double log_contraction =
      0.0;  // of phase volume: Σ ln e + ln |∂γ⁺/∂γ⁻| over impacts; with a complete frame, also at switches

  /// Something began that destroys directions of the tangent: a slide, or an impact without rebound.
  bool annihilates() const { return slides > 0 || sticks > 0 || std::isinf(log_contraction); }
};

}  // namespace saltus
