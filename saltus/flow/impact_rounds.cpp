#include "saltus/flow/impact_rounds.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/numerics/vectors.hpp"

namespace saltus {

std::optional<double> left_of_rounds(const FlowPoint& point, const std::vector<char>& touching, const Trigger& trigger,
                                     double now) {
  constexpr double shorter = 0.95;
  constexpr double longest = 1e-2;  // of the pace
  if (trigger.kind != Trigger::Kind::gap || point.last_strike.empty()) return std::nullopt;
  const FlowPoint::Strike& met = point.last_strike[trigger.index];
  if (!std::isfinite(met.before)) return std::nullopt;
  const double round = now - met.t;
  const double ratio = round / (met.t - met.before);
  if (!(ratio < shorter) || !(round < longest * point.natural_step)) return std::nullopt;
  bool others = false;
  for (std::size_t i = 0; i < touching.size(); ++i) {
    if (!touching[i] || i == trigger.index) continue;
    const FlowPoint::Strike& last = point.last_strike[i];
    const bool in_turn = met.before < last.before && last.before < met.t && met.t <= last.t;
    if (point.mode.is_closed(i) || !in_turn) return std::nullopt;
    others = true;
  }
  return others ? std::optional(round * ratio / (1.0 - ratio)) : std::nullopt;
}

bool moves(const ContactValue& at, std::size_t i, std::size_t j) {
  const double size = std::sqrt(at.delassus(index(i), index(i)) * at.delassus(index(j), index(j)));
  return std::abs(at.delassus(index(i), index(j))) > 1e-12 * size;
}

std::vector<char> joined_to(const ContactValue& at, const std::vector<char>& touching,
                            std::vector<std::size_t> struck) {
  std::vector<char> joined(touching.size(), 0);
  while (!struck.empty()) {
    const std::size_t i = struck.back();
    struck.pop_back();
    if (i >= joined.size() || joined[i]) continue;
    joined[i] = touching[i];
    for (std::size_t j = 0; j < joined.size(); ++j)
      if (touching[j] && !joined[j] && moves(at, i, j)) struck.push_back(j);
  }
  return joined;
}

Jump stopped(const Jump& jump, const Mechanism& mechanism, double t, const Vector& x_minus, const Mode& mode,
             const std::vector<char>& touching) {
  const ContactValue now = mechanism.contact(t, jump.x, mode);
  std::vector<char> resting(touching.size(), 0);
  for (std::size_t i = 0; i < resting.size(); ++i)
    if (touching[i] && std::abs(now.gamma[index(i)]) <= 100.0 * rest_speed(now, x_minus, jump.x, i)) resting[i] = 1;
  if (std::find(resting.begin(), resting.end(), 1) == resting.end()) return jump;
  return followed_by(jump, mechanism, t, resting, std::vector<char>(resting.size(), 0));
}

}  // namespace saltus
