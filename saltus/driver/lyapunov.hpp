#pragma once

#include <string>
#include <vector>

#include "saltus/analysis/motions/attractors.hpp"
#include "saltus/analysis/motions/tangent_check.hpp"
#include "saltus/driver/motion_request.hpp"
#include "saltus/driver/starts.hpp"
#include "saltus/result/figure.hpp"
#include "saltus/result/json_text.hpp"
#include "saltus/result/result_file.hpp"

namespace saltus {

/// In which unit exponents are told: natural logarithms or bits per unit time.
enum class LogBase { natural, two };
/// What one unit of an exponent is in natural logarithms.
inline double unit_of(LogBase base) { return base == LogBase::two ? std::numbers::ln2 : 1.0; }

/// `saltus lyapunov`: the spectrum of the motion from the initial state, or of those from several.
struct LyapunovRequest : MotionRequest {
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

std::string to_text(const LyapunovResult& result);

/// exponents and standard_errors in the base asked for, exponents_natural, exponents_bits, trivial_zero, kaplan_yorke,
/// verdict, reason, period, frequencies, impacts_per_unit_time, sliding_fraction, sum_rule_residual; with several starts also
/// attractors [{starts, share, x, and the same}]; tangent_check {agreement, order, windows, left_out} if asked for.
Json to_json(const LyapunovResult& result);

/// One start: the exponents on the way over t, then the final ones over `exponent`. Several: state, exponents, verdict and
/// attractor over `start`. In the base asked for.
ResultFile result_file(const LyapunovResult& result);

/// Are there exponents, and was there time for them to converge?
bool is_drawable(const LyapunovResult& result);
/// The exponents on the way over t with a band of two standard errors, below them those that are small beside the others;
/// of several starts that of the first attractor.
Figure figure(const LyapunovResult& result);

}  // namespace saltus
