#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "saltus/analysis/motions/spectrum.hpp"
#include "saltus/analysis/motions/state_sizes.hpp"
#include "saltus/analysis/motions/translations.hpp"
#include "saltus/flow/flow_run.hpp"

namespace saltus {

/// How long, how exactly, and where the motion is looked at.
struct LyapunovOptions {
  double transient = 0.0;          // thrown away; in forcing periods, or in time for an autonomous system
  double length = 1000.0;          // at most this long, in the same unit
  std::optional<double> error;     // stop earlier when every finite exponent's standard error is below this
  double interval = 0.0;           // between two QR, in the same unit, at most one period; 0: what suits the motion
  std::optional<Watch> section;    // of an autonomous system, for the verdict
  std::size_t longest_period = 64; // of the recurrence that makes a motion periodic
  FlowOptions flow;
};

/// Not periodic: no exponents were measured that would tell which of the others it is.
enum class MotionKind { equilibrium, periodic, quasi_periodic, chaotic, hyperchaotic, undecided, not_periodic };
std::string_view name_of(MotionKind kind);

/// What kind of motion it is, and the one sentence that says why.
struct Verdict {
  MotionKind kind = MotionKind::undecided;
  std::size_t period = 0;       // in forcing periods, or returns to the section; 0 if not periodic
  std::size_t frequencies = 0;  // of a quasi-periodic motion; 0: their number is not known
  std::string reason;
  Drift drift = {};  // of a periodic motion, per period
  std::size_t most_frequencies = 0;  // of a quasi-periodic motion: it has no more
};

/// The whole spectrum of one motion. Natural logarithms per unit time.
struct LyapunovSpectrum : Stop {
  Exponents exponents;
  bool trivial_zero = false;             // forced: the exponent 0 of time itself is not in the list
  double kaplan_yorke = 0.0;
  Verdict verdict;
  double time = 0.0;                     // over which it was taken
  double impacts_per_unit_time = 0.0;
  double sliding_fraction = 0.0;         // of the time, with at least one contact closed or one switch slid along
  std::optional<double> sum_rule_residual;  // Σℓ − (∫tr F_x + 2Σ ln e)/t, where both are finite
  std::vector<SpectrumAccumulator::Entry> history;
  std::vector<Vector> section_points;    // the last ones
  StateSizes sizes;                      // of the components, on this motion
  FlowPoint end;
};

/// A motion's start for `lyapunov_spectra`.
struct LyapunovStart {
  Vector x;
  std::vector<double> parameters;
  double period = 0.0;
};

/// The spectra of several motions at once, in lanes and threads; each is what it would be alone, bit for bit.
/// The kernels must have N state columns, no parameter columns, width 1 and `width`. `interrupted` is asked and `progress`
/// told (0 … 1) between intervals, from any of the threads, but never at the same time.
std::vector<LyapunovSpectrum> lyapunov_spectra(const Kernels& kernels, const std::vector<LyapunovStart>& starts,
                                               const LyapunovOptions& options, unsigned width = 1, unsigned threads = 1,
                                               const std::function<bool()>& interrupted = {},
                                               const std::function<void(double)>& progress = {});

/// What a verdict is taken from.
struct Evidence {
  Exponents exponents;
  std::size_t intervals = 0;  // that they are sums over: standard errors need fewest_intervals
  std::size_t returns = 0;  // points of the section: those of the strobe, or crossings of the surface
  double rate = 0.0;  // of returns per unit time: what is slow compared with it is called zero
  double pace = 0.0;  // per unit time, of what happens: returns, or where there are none, a part of the steps
  std::optional<std::size_t> period;  // after which the last points of the section repeat
  bool forced = false;
  bool at_rest = false;
  bool settles = false;  // the section converges, but has not got there
  bool throughout = false;  // at rest, or repeating, from the first point to the last
  std::size_t cyclic = 0;  // exponents that are zero because nothing depends on a coordinate: they are no frequencies
  std::optional<std::string> nearly_repeats = {};  // the section does not repeat, but what is seen of it may: why
  std::optional<std::string> by_rounding = {};  // whether it repeats, and after how many points, rounding decides: why
  Drift drift = {};  // of a motion that repeats, per period
  bool adds_up = true;  // the exponents obey the sum rule within the error of their sum
  bool keeps_volume = false;  // neither flight nor impacts change it: a mechanism's exponents come in pairs ±ℓ
  std::size_t most_frequencies = 0;  // that a torus in this state space can have, the forcing's included; 0: any number
  bool loses_volume = false;  // everywhere, by proof: not all exponents are zero
  double outgrown =
      0.0;  // ln of the factor by which the motion's own ranges grew in the second half of the run, or longer
  // Of a torus:
  bool excluded = false;  // there is none, by proof: see contracts_areas
  std::vector<bool> shrink = {};  // of each exponent: does it go to zero like 1/t? Empty: all do
  bool averages_converge = true;  // those of the section's points
  std::optional<std::size_t> bands = {};  // they fall into so many, as after doublings of the period: see doubled_bands
  std::vector<LocalGrowth> local_growth = {};  // of volumes of 1, 2, … dimensions
};

/// What is said of the sign of an exponent.
enum class Sign { positive, zero, negative, vague };
/// Positive or negative: it differs from zero by four standard errors; positive only if perturbations do not grow ever more slowly. Zero:
/// it differs by less than two, and they are little. Else vague.
Sign sign_of(const Evidence& evidence, std::size_t i);

/// Do perturbations grow as fast in the second half of the run as in the first, and by so much that no power of t would do it? Shear
/// makes them grow like t: by a factor of 2 in the second half, however long the run. What the motion itself grows by does not count, nor
/// growth that is over in the last eighth of the run.
bool keeps_growing(const Evidence& evidence, std::size_t i);

/// Standard errors of fewer intervals than this are taken from too few blocks; fewer returns than twice as many do not show
/// that a section does not repeat.
constexpr std::size_t fewest_intervals = 20;

/// The verdict that follows from exponents and recurrence; `undecided` where their errors do not carry one.
Verdict verdict_of(const Evidence& evidence);

}  // namespace saltus
