#pragma once

#include <string>
#include <vector>

#include "saltus/analysis/motions/attractors.hpp"
#include "saltus/analysis/motions/tangent_check.hpp"
#include "saltus/driver/motion_request.hpp"
#include "saltus/driver/starts.hpp"

namespace saltus {

/// In which unit exponents are told: natural logarithms or bits per unit time.
enum class LogBase { natural, two };
/// What one unit of an exponent is in natural logarithms.
inline double unit_of(LogBase base) { return base == LogBase::two ? std::numbers::ln2 : 1.0; }

/// `saltus lyapunov`: the spectrum of the motion from the initial state, or of those from several.
struct LyapunovRequest : Request, WhichSolver, HowLong, WhichSection, WhileRunning {
  std::optional<double> error;  // stop earlier when all standard errors are below this, in the unit of `base`
  LogBase base = LogBase::natural;
  Starts starts;
  bool tangent_check = false;   // compare the tangent with differences of the flow
};

struct LyapunovResult {
  PreparedModel prepared;
  LyapunovRequest request;
  FlowOptions options;
  std::string section;                    // in words; empty: none
  std::vector<Vector> states;             // starts
  std::vector<LyapunovSpectrum> spectra;  // one per start
  std::vector<Attractor> attractors;      // of several starts
  std::optional<TangentAgreement> tangent_agreement;  // along the first motion, if asked for

  const std::vector<Diagnostic>& warnings() const { return prepared.warnings; }
};

/// Throws Error(usage) if there is no length, or what is asked for cannot be.
LyapunovResult run(const LyapunovRequest& request);

/// The first reason of a motion to end early with what to do about it; empty if all reached their end.
std::string stop_message(const LyapunovResult& result);
ExitCode exit_code(const LyapunovResult& result);

}  // namespace saltus
