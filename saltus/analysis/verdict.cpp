#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/analysis/lyapunov.hpp"

namespace saltus {
namespace {

/// How many exponents are what, as far as their errors tell.
struct Signs {
  std::size_t positive = 0;
  std::size_t zero = 0;
  std::optional<std::size_t> vague = {};  // the first that may be positive, zero or negative
};

/// An exponent differs from zero when it does so by four standard errors and by `least`; otherwise it is zero if four standard
/// errors are little: a perturbation grows or shrinks by less than 5 % from one return to the next.
Signs signs_of(const Evidence& evidence) {
  const double least = evidence.rate > 0.0 ? std::min(1e-3, 0.01 * evidence.rate) : 1e-3;
  Signs signs;
  for (std::size_t i = 0; i < evidence.exponents.values.size(); ++i) {
    const double value = evidence.exponents.values[i];
    const double doubt = std::max(4.0 * evidence.exponents.standard_errors[i], least);
    if (value > doubt) ++signs.positive;
    else if (value >= -doubt && evidence.rate > 0.0 && doubt > 0.05 * evidence.rate)
      signs.vague = signs.vague.value_or(i);
    else if (value >= -doubt) ++signs.zero;
  }
  signs.zero -= std::min(signs.zero, evidence.cyclic);
  return signs;
}

std::string are(std::size_t count, std::string_view what) {
  return fmt::format("{} exponent{} {}", count, count == 1 ? " is" : "s are", what);
}

bool drifts(const Drift& drift) {
  return std::any_of(drift.begin(), drift.end(),
                     [](const auto& gain) { return std::abs(gain.second) > drift_resolved; });
}

/// Of a motion that stays where it is, or on its orbit.
Verdict steady(const Evidence& evidence, const Signs& signs) {
  const bool rests = evidence.at_rest;
  const std::size_t k = rests ? 0 : *evidence.period;
  const std::string what = rests ? "the state does not move any more"
                                 : fmt::format("the section repeats after {} point{}{}", k, k == 1 ? "" : "s",
                                               drifts(evidence.drift) ? ", but for a drift" : "");
  const std::string stability = signs.positive > 0 ? ", but " + are(signs.positive, "positive") +
                                                         ": it is unstable, and a disturbance would leave it"
                                : rests ? ""
                                        : ", and no exponent is positive";
  return {rests ? MotionKind::equilibrium : MotionKind::periodic, k, 0, what + stability, evidence.drift};
}

Verdict chaotic(const Evidence& evidence, const Signs& signs) {
  const double error = evidence.exponents.standard_errors.front();
  const std::string by =
      error > 0.0 ? fmt::format(", the largest by {:.3g} standard errors", evidence.exponents.values.front() / error)
                  : "";
  return {signs.positive == 1 ? MotionKind::chaotic : MotionKind::hyperchaotic, 0, 0,
          are(signs.positive, "positive") + by};
}

Verdict undecided(std::string reason) { return {MotionKind::undecided, 0, 0, std::move(reason)}; }

/// Which exponent is not known well enough.
std::string too_short(const Evidence& evidence, std::size_t i) {
  const double distance = std::abs(evidence.exponents.values[i]) / evidence.exponents.standard_errors[i];
  return fmt::format(
      "exponent {} lies {:.2g} standard errors from zero, too few to give it a sign, and they are too large to call it "
      "zero: "
      "a longer run is needed",
      i + 1, distance);
}

}  // namespace

Verdict verdict_of(const Evidence& evidence) {
  const Signs signs = signs_of(evidence);
  const bool is_steady = evidence.at_rest || evidence.period;
  if (is_steady && (signs.positive == 0 || evidence.throughout)) return steady(evidence, signs);
  if (evidence.intervals < fewest_intervals)
    return undecided(fmt::format("standard errors need {} intervals, and the run has {}: a longer run is needed",
                                 fewest_intervals, evidence.intervals));
  if (signs.positive > 0) return chaotic(evidence, signs);
  const auto& values = evidence.exponents.values;
  if (!values.empty() && std::isinf(values.front()))
    return undecided(
        "contact annihilates every perturbation, so the motion repeats, but not within the points that are compared");
  if (evidence.returns == 0)
    return undecided("no exponent is positive, and no section was met in which the motion could be seen to repeat");
  if (signs.vague) return undecided(too_short(evidence, *signs.vague));
  if (signs.zero <= (evidence.forced ? 0U : 1U))
    return undecided(
        "the section does not repeat within the run, and no exponent is positive or zero: a longer transient is "
        "needed");
  if (evidence.settles)
    return undecided(
        "the section still converges, slowly, as near a change of stability: a longer transient is needed");
  if (evidence.returns < 2 * fewest_intervals)
    return undecided(fmt::format(
        "{} points of the section are too few to see whether it repeats: a longer run is needed", evidence.returns));
  return {MotionKind::quasi_periodic, 0, signs.zero + (evidence.forced ? 1 : 0),
          are(signs.zero, "zero within the error, none is positive, and the section does not repeat")};
}

}  // namespace saltus
