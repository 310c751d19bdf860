#include "saltus/flow/accumulation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace saltus {
namespace {

constexpr std::size_t rounds = 3;  // that must agree
constexpr double one_law = 1e-3;   // how far a component may be from it, in halves
constexpr std::size_t kept = 2 * rounds * SwitchHistory::longest_round;

/// The rest of a series whose last two terms are known: a q/(1 − q), q = a/b, and what moves it.
struct Rest {
  double q;
  double by_a;  // ∂/∂a
  double by_b;
  double value;
};
Rest rest_of(double a, double b) {
  const double q = a / b;
  const double g = 1.0 / (1.0 - q);
  return {q, q * g + q * g * g, -q * q * g * g, a * q * g};
}

/// The same of mirrored halves, of which each is like the one before the last: the next ones are b q, a q, b q², … with q = a/c.
struct RestOfHalves {
  double by_a;
  double by_b;
  double by_c;
  double value;
};
RestOfHalves rest_of_halves(double a, double b, double c) {
  const double part = 1.0 / (c - a);  // of (a + b) a/(c − a)
  const double value = (a + b) * a * part;
  return {((2.0 * a + b) + value) * part, a * part, -value * part, value};
}
/// Where a/c tells nothing, as of what stands still in every other half.
RestOfHalves rest_of_halves_with(double q, double a, double b) {
  const double g = q / (1.0 - q);
  return {g, g, 0.0, (a + b) * g};
}

}  // namespace

void SwitchHistory::forget() {
  met_.clear();
  rhythm_ = half_ = 0;
  left_to_rest_ = 0.0;
  reach_ = std::numeric_limits<double>::infinity();
}

void SwitchHistory::note(SwitchMet met) {
  if (!met_.empty() && met.t < met_.back().t) forget();  // another motion, or another clock
  if (met_.size() >= 2 * kept) met_.erase(met_.begin(), met_.end() - static_cast<std::ptrdiff_t>(kept));
  met_.push_back(std::move(met));
  const bool shrank = shrinks();
  rhythm_ = round(Image::same);
  half_ = round(Image::mirrored);
  if (shrinks() && !shrank) began_ = back(rounds * (half_ != 0 ? half_ : rhythm_)).t;
}

bool SwitchHistory::hurries() const {
  std::vector<double> times;
  for (std::size_t j = 0; j < met_.size() && j < 2 * longest_round && times.size() < 3; ++j)
    if (back(j).index == back(0).index) times.push_back(back(j).t);
  return times.size() == 3 && times[0] - times[1] < 0.5 * (times[1] - times[2]);
}

void SwitchHistory::note_speed(double speed) {
  reach_ = std::numeric_limits<double>::infinity();
  if (met_.size() >= 2 && (shrinks() || hurries())) reach_ = speed * (back(0).t - back(1).t);
}

/// The last three rounds of m switches are alike, or each is the mirror image of the one before.
bool SwitchHistory::repeats(std::size_t m, Image image) const {
  const SwitchMet* const last = &back(0);
  for (const SwitchMet* now = last; now != last - (rounds - 1) * m; --now) {
    const SwitchMet* const before = now - m;
    if (now->index != before->index) return false;
    if (now->what != (image == Image::same ? before->what : opposite(before->what))) return false;
  }
  return true;
}

bool SwitchHistory::shrinks_by(std::size_t m) const {
  const double last = back(0).t - back(m).t;
  const double before = back(m).t - back(2 * m).t;
  const double first = back(2 * m).t - back(3 * m).t;
  const double noise = unresolved * std::abs(back(0).t);
  return last < before + noise && before < first + noise && last < first;
}

/// The length of the shortest round that repeats itself and shrinks; 0: there is none. Nearly always another switch was met so long ago.
std::size_t SwitchHistory::round(Image image) const {
  if (met_.size() <= rounds) return 0;
  const std::size_t longest = std::min(longest_round, (met_.size() - 1) / rounds);
  const SwitchMet* const now = &back(0);
  for (std::size_t m = 1; m <= longest; ++m)
    if ((now - m)->index == now->index && repeats(m, image)) return shrinks_by(m) ? m : 0;
  return 0;
}

std::vector<std::size_t> SwitchHistory::last_switches(std::size_t count) const {
  std::vector<std::size_t> result;
  for (std::size_t j = 0; j < count && j < met_.size(); ++j) result.push_back(back(j).index);
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

std::optional<Accumulation> SwitchHistory::limit() const {
  if (rhythm_ != 0)
    if (auto found = limit_of(rhythm_, Image::same)) return found;
  if (half_ == 0) return std::nullopt;
  auto found = limit_of(half_, Image::mirrored);
  if (found) found->ratio *= found->ratio;  // two halves are a round
  return found;
}

std::optional<Accumulation> SwitchHistory::limit_of(std::size_t m, Image image) const {
  const double last = back(0).t - back(m).t;
  const double before = back(m).t - back(2 * m).t;
  const double first = back(2 * m).t - back(3 * m).t;
  const double clock = unresolved * std::abs(back(0).t);
  if (!(before > 0.0) || !(first > 0.0) || !(last < before) || !(before < first)) return std::nullopt;
  const Rest left = rest_of(last, before);
  const double lasted = back(0).t - began_;
  // The round before would have said that the same is left behind this one.
  const double doubt = std::abs(rest_of(before, first).value - last - left.value);
  const bool resolved = last > 10.0 * clock;
  const double noise = 10.0 * clock / (1.0 - left.q);
  const bool early = left.value <= short_enough * lasted && doubt <= agreed * lasted + noise;
  const bool late = (left.value <= shorter * lasted || !resolved) && doubt <= 1e-3 * (left.value + last) + noise;
  if (!early && !late) return std::nullopt;
  Accumulation limit{back(0).t + left.value, left.value, left.q, lasted, last_switches(m)};
  extrapolate(m, image, limit);
  return limit;
}

/// State and derivatives, component by component: x* = x + a q/(1 − q) with a = x − x₋ₘ, b the same one round earlier. What does not
/// shrink by a law of its own moves on with the time. In mirrored halves q is negative for what is mirrored; what is neither mirrored nor the
/// same in both, as the integral of a sign and of a constant, goes on by whole rounds.
void SwitchHistory::extrapolate(std::size_t m, Image image, Accumulation& limit) const {
  const SwitchMet& now = back(0);
  const SwitchMet& once = back(m);
  const SwitchMet& twice = back(2 * m);
  const SwitchMet& thrice = back(3 * m);
  if (now.x.size() == 0 || once.x.size() != now.x.size() || twice.x.size() != now.x.size()) return;
  const bool pairs = image == Image::mirrored && thrice.x.size() == now.x.size();
  const double T = now.t - once.t;
  const Rest of_time = rest_of(T, once.t - twice.t);
  const bool carries = now.delay.size() > 0 && once.delay.size() > 0 && twice.delay.size() > 0;
  if (carries)
    limit.delay = now.delay + of_time.by_a * (now.delay - once.delay) + of_time.by_b * (once.delay - twice.delay);
  limit.x = now.x;
  if (carries) limit.variation = now.variation;
  for (Eigen::Index i = 0; i < now.x.size(); ++i) {
    const double a = now.x[i] - once.x[i];
    const double b = once.x[i] - twice.x[i];
    const double c = pairs ? twice.x[i] - thrice.x[i] : 0.0;
    const auto row = [&](const SwitchMet& later, const SwitchMet& earlier) -> Eigen::RowVectorXd {
      return later.variation.row(i) - earlier.variation.row(i);
    };
    if (pairs && std::abs(a * c - b * b) > one_law * b * b) {
      const bool own = std::abs(c) > 1e-9 * std::abs(thrice.x[i]) && a / c > 0.0 && a / c < 1.0;
      const RestOfHalves rest = own ? rest_of_halves(a, b, c) : rest_of_halves_with(of_time.q * of_time.q, a, b);
      limit.x[i] += rest.value;
      if (carries && thrice.variation.rows() == now.variation.rows())
        limit.variation.row(i) +=
            rest.by_a * row(now, once) + rest.by_b * row(once, twice) + rest.by_c * row(twice, thrice);
      continue;
    }
    const bool by_itself = std::abs(b) > 1e-9 * std::abs(twice.x[i]) && std::abs(a / b) < 1.0;
    const Rest rest = by_itself ? rest_of(a, b) : Rest{of_time.q, 0.0, 0.0, a * of_time.q / (1.0 - of_time.q)};
    limit.x[i] += rest.value;
    if (!carries) continue;
    limit.variation.row(i) += by_itself ? Eigen::RowVectorXd(rest.by_a * row(now, once) + rest.by_b * row(once, twice))
                                        : Eigen::RowVectorXd(of_time.q / (1.0 - of_time.q) * row(now, once));
  }
}

std::optional<Accumulation> SwitchHistory::stuck() const {
  if (met_.size() < most_at_an_instant) return std::nullopt;
  if (back(0).t - back(most_at_an_instant - 1).t > unresolved * std::abs(back(0).t)) return std::nullopt;
  return Accumulation{back(0).t, 0.0, 0.0, 0.0, last_switches(most_at_an_instant)};
}

}  // namespace saltus
