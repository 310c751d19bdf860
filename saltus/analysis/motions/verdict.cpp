#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/analysis/motions/lyapunov.hpp"

namespace saltus {
namespace {

constexpr double sign_errors = 4.0;    // standard errors from zero that give an exponent a sign
constexpr double zero_errors = 2.0;    // standard errors within which it is called zero
constexpr double least_change =
    2e-3;  // of a perturbation from one return to the next: less is none, whatever the errors
constexpr double most_change = 0.05;   // of a perturbation that is said not to change: errors must be smaller
constexpr double least_growth = 4.0;  // ln of that in the second half of a run: t⁵ would give 5 ln 2 = 3.5
constexpr double least_share = 0.5;  // of the growth in the first half: exp(√t) would give √2 − 1

/// How many exponents are what, as far as their errors tell.
struct Signs {
  std::size_t positive = 0;
  std::size_t zero = 0;
  std::optional<std::size_t> vague = {};  // the first that may be positive, zero or negative
  std::optional<std::size_t> slowing = {};  // the first that looks positive, but not by growth that goes on
};

/// Positive by its standard errors.
bool looks_positive(const Evidence& evidence, std::size_t i) {
  const double pace = std::max(evidence.pace, evidence.rate);
  return evidence.exponents.values[i] > std::max(sign_errors * evidence.exponents.error(i), least_change * pace);
}

Signs signs_of(const Evidence& evidence) {
  Signs signs;
  for (std::size_t i = 0; i < evidence.exponents.values.size(); ++i) {
    const Sign sign = sign_of(evidence, i);
    if (sign == Sign::positive) ++signs.positive;
    if (sign == Sign::zero) ++signs.zero;
    if (sign == Sign::vague) signs.vague = signs.vague.value_or(i);
    if (sign == Sign::vague && looks_positive(evidence, i)) signs.slowing = signs.slowing.value_or(i);
  }
  // Of what keeps volume the momentum of a cyclic coordinate does not change, either.
  signs.zero -= std::min(signs.zero, evidence.cyclic * (evidence.keeps_volume ? 2 : 1));
  return signs;
}

/// Perturbations that grew, but do so no more at the end of the run: it settles, or rests.
bool has_stopped(const Halves& growth) {
  return growth.last_eighth && *growth.last_eighth <= 0.0 && growth.first + growth.second >= 8.0 * least_growth;
}

/// The second half of the run in words, of an exponent that looks positive: why it may be none.
std::string slowing_growth(const Evidence& evidence, std::size_t i) {
  const Halves& growth = evidence.exponents.halves[i];
  if (growth.second - evidence.outgrown < least_growth && growth.second >= least_growth)
    return fmt::format(
        "the motion itself grows by e^{:.2g} where perturbations grow by e^{:.2g}, which instability does without "
        "chaos",
        evidence.outgrown, growth.second);
  if (has_stopped(growth))
    return fmt::format(
        "perturbations grow by e^{:.2g} in the run, but no more in its last eighth, as where chaos is transient",
        growth.first + growth.second);
  return fmt::format(
      "perturbations grow by e^{:.2g} in the first half of the run and by e^{:.2g} in the second, which shear may do",
      growth.first, growth.second);
}

/// How many frequencies a torus can have, the forcing's included: as many as exponents are zero, and in a mechanism that keeps volume half
/// as many, for a zero of each pair is that of a frequency, the other that of its amplitude.
std::size_t most_frequencies(const Evidence& evidence, const Signs& signs) {
  const std::size_t most = (evidence.keeps_volume ? signs.zero / 2 : signs.zero) + (evidence.forced ? 1 : 0);
  return evidence.most_frequencies > 0 ? std::min(most, evidence.most_frequencies) : most;
}

std::string are(std::size_t count, std::string_view what) {
  return fmt::format("{} exponent{} {}", count, count == 1 ? " is" : "s are", what);
}

bool drifts(const Drift& drift) {
  return std::any_of(drift.begin(), drift.end(),
                     [](const auto& gain) { return std::abs(gain.second) > drift_resolved; });
}

/// Of a motion that has come to rest where perturbations grow: by how much they do there.
std::optional<double> passing(const Evidence& evidence) {
  if (!evidence.at_rest || evidence.throughout) return std::nullopt;
  for (const Halves& growth : evidence.exponents.halves)
    if (growth.last_eighth.value_or(0.0) >= least_growth) return growth.last_eighth;
  return std::nullopt;
}

/// Of a motion that stays where it is, or on its orbit.
Verdict steady(const Evidence& evidence, const Signs& signs) {
  const bool rests = evidence.at_rest;
  const std::size_t k = rests ? 0 : *evidence.period;
  const std::string what = rests ? "the state does not move any more"
                                 : fmt::format("the section repeats after {} point{}{}", k, k == 1 ? "" : "s",
                                               drifts(evidence.drift) ? ", but for a drift" : "");
  const std::string stability =
      signs.positive > 0
          ? ", but " + are(signs.positive, "positive") + ": it is unstable, and a disturbance would leave it"
      : signs.slowing ? ", and no exponent is seen to be positive: " + slowing_growth(evidence, *signs.slowing)
      : rests         ? ""
                      : ", and no exponent is positive";
  return {.kind = rests ? MotionKind::equilibrium : MotionKind::periodic,
          .period = k,
          .reason = what + stability,
          .drift = evidence.drift};
}

Verdict chaotic(const Evidence& evidence, const Signs& signs) {
  const double error = evidence.exponents.error(0);
  const std::string by =
      error > 0.0 ? fmt::format(", the largest by {:.3g} standard errors", evidence.exponents.values.front() / error)
                  : "";
  return {.kind = signs.positive == 1 ? MotionKind::chaotic : MotionKind::hyperchaotic,
          .reason = are(signs.positive, "positive") + by};
}

Verdict undecided(std::string reason) { return {.reason = std::move(reason)}; }

/// Which exponent is not known well enough.
std::string too_short(const Evidence& evidence, std::size_t i) {
  const Exponents& exponents = evidence.exponents;
  const double distance = std::abs(exponents.values[i]) / exponents.error(i);
  if (looks_positive(evidence, i))
    return fmt::format("exponent {} lies {:.2g} standard errors above zero, but {}: a longer run is needed", i + 1,
                       distance, slowing_growth(evidence, i));
  const double times = exponents.error(i) / exponents.standard_errors[i];
  const std::string larger =
      times > 1.0 ? fmt::format(" ({:.2g} times those printed, for neighbouring parts of the run are alike)", times)
                  : "";
  return fmt::format(
      "exponent {} lies {:.2g} standard errors from zero{}, too few to give it a sign, and they are too large to call "
      "it zero: a longer run is needed",
      i + 1, distance, larger);
}

/// A torus that attracts is as smooth as its neighbours say: where volumes of one dimension more than it has grow for a while by more and
/// more, or by more than the points of the section can show, what looks like a torus may be wrinkled without end (a strange nonchaotic
/// attractor). By how much they grow.
std::optional<double> wrinkles(const Evidence& evidence, std::size_t zeros) {
  constexpr double most_news = 0.25;  // in the second half of the run
  constexpr double points_per_wrinkle = 10.0;
  if (evidence.keeps_volume || evidence.cyclic > 0) return std::nullopt;  // shear goes on, however smooth
  if (zeros >= evidence.local_growth.size()) return std::nullopt;
  const LocalGrowth& growth = evidence.local_growth[zeros];
  const bool is_smooth = growth.whole - growth.half <= most_news &&
                         points_per_wrinkle * std::exp(growth.whole) <= static_cast<double>(evidence.returns);
  return is_smooth ? std::nullopt : std::optional(growth.whole);
}

/// What speaks against a torus although the exponents would allow one.
std::optional<std::string> no_torus(const Evidence& evidence) {
  if (evidence.excluded)
    return "the section does not repeat, but it is no torus: a map of the plane that makes every area smaller has no "
           "invariant circle; a longer run tells a long period from weak chaos";
  std::size_t zeros = 0;
  for (std::size_t i = 0; i < evidence.exponents.values.size(); ++i) zeros += sign_of(evidence, i) == Sign::zero;
  if (evidence.loses_volume && zeros == evidence.exponents.values.size())
    return "all exponents are zero within their errors, though damping makes their sum negative: a longer run is "
           "needed";
  if (evidence.nearly_repeats) return *evidence.nearly_repeats + ": a longer run is needed";
  if (!evidence.averages_converge)
    return "the section does not repeat, and its averages over parts of the run differ by more "
           "than those of a torus would: a longer run is needed";
  if (evidence.bands)
    return fmt::format(
        "the section does not repeat, but falls into {} bands that are visited in turn, as after doublings of the "
        "period, and not as on a torus: a longer run tells a long period from weak chaos",
        *evidence.bands);
  if (const auto growth = wrinkles(evidence, zeros))
    return fmt::format(
        "the section does not repeat, but neighbours run apart by e^{:.2g} for a while, though no exponent is "
        "positive: it "
        "may have no smooth shape, as that of a strange nonchaotic attractor; a longer run is needed",
        *growth);
  for (std::size_t i = 0; i < evidence.shrink.size(); ++i)
    if (!evidence.shrink[i] && sign_of(evidence, i) == Sign::zero)
      return fmt::format(
          "exponent {} is zero within its error, but does not go to zero like 1/t as that of a torus would: a longer "
          "run "
          "is needed",
          i + 1);
  return std::nullopt;
}

}  // namespace

bool keeps_growing(const Evidence& evidence, std::size_t i) {
  const Exponents& exponents = evidence.exponents;
  if (exponents.halves.empty()) return true;
  const Halves& growth = exponents.halves[i];
  if (growth.second - evidence.outgrown < least_growth || has_stopped(growth)) return false;
  // Halves that are independent differ by as much as their sum is uncertain.
  const double uncertain = exponents.error(i) / exponents.values[i] * (growth.first + growth.second);
  return growth.second >= least_share * growth.first || growth.first - growth.second <= sign_errors * uncertain;
}

Sign sign_of(const Evidence& evidence, std::size_t i) {
  const Exponents& exponents = evidence.exponents;
  const double value = exponents.values[i];
  const double pace = std::max(evidence.pace, evidence.rate);
  const double error = exponents.error(i);
  const double least = least_change * pace;
  if (looks_positive(evidence, i)) return keeps_growing(evidence, i) ? Sign::positive : Sign::vague;
  if (-value > std::max(sign_errors * error, least)) return Sign::negative;
  const bool is_small = pace <= 0.0 || sign_errors * error <= most_change * pace;
  return std::abs(value) <= std::max(zero_errors * error, least) && is_small ? Sign::zero : Sign::vague;
}

Verdict verdict_of(const Evidence& evidence) {
  if (!evidence.adds_up)
    return undecided(
        "the exponents do not add up to the loss of phase volume that was measured beside them: the spectrum is not to "
        "be trusted");
  const Signs signs = signs_of(evidence);
  if (const auto growth = passing(evidence))
    return undecided(
        fmt::format("the state hardly moves, but perturbations of it grow by e^{:.2g} in the last eighth of the run: "
                    "it may be passing an equilibrium that is unstable",
                    *growth));
  const bool is_steady = evidence.at_rest || evidence.period;
  if (is_steady && (signs.positive == 0 || evidence.throughout)) return steady(evidence, signs);
  if (evidence.intervals < fewest_intervals)
    return undecided(fmt::format("standard errors need {} intervals, and the run has {}: a longer run is needed",
                                 fewest_intervals, evidence.intervals));
  if (signs.positive > 0) return chaotic(evidence, signs);
  if (evidence.by_rounding) return undecided(*evidence.by_rounding);
  if (signs.slowing) return undecided(too_short(evidence, *signs.slowing));
  const auto& values = evidence.exponents.values;
  if (!values.empty() && std::isinf(values.front()))
    return undecided(
        "contact annihilates every perturbation, so the motion repeats, but not within the points that are compared");
  if (evidence.returns == 0)
    return undecided("no exponent is positive, and no section was met in which the motion could be seen to repeat");
  if (signs.vague) return undecided(too_short(evidence, *signs.vague));
  if (evidence.settles)
    return undecided(
        "the section still converges, slowly, as near a change of stability: a longer transient is needed");
  const std::size_t most = most_frequencies(evidence, signs);
  if (signs.zero > (evidence.forced ? 0U : 1U) && most < 2)
    return undecided(
        "the section does not repeat within the run, though a motion here has no more than one frequency: a longer run "
        "is needed");
  if (most < 2)
    return undecided(
        "the section does not repeat within the run, and no exponent is positive or zero: a longer transient is "
        "needed");
  if (evidence.returns < 2 * fewest_intervals)
    return undecided(fmt::format(
        "{} points of the section are too few to see whether it repeats: a longer run is needed", evidence.returns));
  if (const auto reason = no_torus(evidence)) return undecided(*reason);
  // Frequencies of more may be absent, their amplitudes zero; or a part of the model keeps its own volume: more than two are no number.
  return {.kind = MotionKind::quasi_periodic,
          .frequencies = most == 2 ? most : 0,
          .reason = are(signs.zero, "zero within the error, none is positive, and the section does not repeat"),
          .most_frequencies = most};
}

}  // namespace saltus
