#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "saltus/analysis/attractors.hpp"
#include "saltus/driver/motion_request.hpp"
#include "saltus/result/json_text.hpp"

namespace saltus {

/// In which unit exponents are told: natural logarithms or bits per unit time.
enum class LogBase { natural, two };

/// `saltus lyapunov`: the spectrum of the motion from the initial state, or of those from several.
struct LyapunovRequest : MotionRequest {
  std::optional<double> error;  // stop earlier when all standard errors are below this, in the unit of `base`
  LogBase base = LogBase::natural;
  std::size_t starts = 1;       // the initial state and starts − 1 random ones around it
  std::uint64_t seed = 1;
  double spread = 1.0;          // of the random ones: random_states
};

struct LyapunovResult {
  PreparedModel prepared;
  LyapunovRequest request;
  FlowOptions options;
  std::string section;                    // in words; empty: none
  std::vector<Vector> states;             // starts
  std::vector<LyapunovSpectrum> spectra;  // one per start
  std::vector<Attractor> attractors;      // of several starts

  const std::vector<Diagnostic>& warnings() const { return prepared.warnings; }
};

/// Throws Error(usage) if there is no length, or what is asked for cannot be.
LyapunovResult run(const LyapunovRequest& request);

/// The first reason of a motion to end early with what to do about it; empty if all reached their end.
std::string stop_message(const LyapunovResult& result);
ExitCode exit_code(const LyapunovResult& result);

std::string to_text(const LyapunovResult& result);

/// exponents and standard_errors in the base asked for, exponents_natural, exponents_bits, trivial_zero, kaplan_yorke,
/// verdict, reason, period, frequencies, impacts_per_unit_time, sliding_fraction, sum_rule_residual; with several starts also
/// attractors [{starts, share, x, and the same}].
Json to_json(const LyapunovResult& result);

}  // namespace saltus
