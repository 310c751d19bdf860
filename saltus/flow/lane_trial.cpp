#include "saltus/flow/lane_trial.hpp"

namespace saltus {

std::optional<std::size_t> LaneTrial::undefined_gap() const {
  for (std::size_t i = 0; i < values_.layout().contacts; ++i)
    if (std::isnan(values_.end(i, l_)) && !lane_.point.mode.is_closed(i)) return i;
  return std::nullopt;
}

Beginning LaneTrial::beginning_of(const Guard& guard, const EndJet& begin, const EndJet& end) const {
  const double size = std::max(std::abs(begin.value), std::abs(end.value));
  if (guard.is_multiplier()) {
    const bool just_begun = lane_.steps_since_event == 0;
    return just_begun && std::abs(begin.value) <= 1e-10 * size ? Beginning::at_zero : Beginning::away;
  }
  const double tiny = 1e-13 * (values_.size(guard, l_) + std::abs(h() * begin.rate)) + 1e-12 * size;
  const bool handled = lane_.arrived && was_met(guard, *lane_.arrived);
  if (!handled && std::abs(begin.value) > tiny) return Beginning::away;
  // The last step ended just short of the zero: it is still to come.
  if (!handled && begin.value > 0.0 && begin.rate < 0.0) return Beginning::away;
  const double moved = std::abs(h() * begin.rate);
  const double bent = h() * h() * std::abs(begin.second) + size;
  return moved > 1e-10 * bent ? Beginning::at_zero : Beginning::at_rest;
}

bool LaneTrial::begins_open(const Guard& guard) const {
  const EndJet first = begin(guard);
  return beginning_of(guard, first, end(guard)) == Beginning::away ? first.value > 0.0 : first.rate > 0.0;
}

double LaneTrial::fall_of(const Guard& guard) const {
  EndJet first = begin(guard);
  const EndJet last = end(guard);
  if (guard.is_multiplier()) return first.value / (first.value - last.value);
  if (beginning_of(guard, first, last) != Beginning::away) first.value = 0.0;
  if (guard.kind != Guard::Kind::gap) return fall_of_cubic(first, last, h());
  if (const auto beyond = end_of_flight(guard)) return 1.0 + *beyond / h();
  return fall_of_quintic(first, last, h());
}

std::optional<double> LaneTrial::end_of_flight(const Guard& guard) const {
  if (guard.kind != Guard::Kind::gap) return std::nullopt;
  const EndJet last = end(guard);
  // Most are further away, whatever the root in `distance_to_zero`, which is less than three times the rate then.
  const double square = last.rate * last.rate;
  const bool bends_little = 2.0 * std::abs(last.value * last.second) < 7.0 * square;
  if (bends_little && std::abs(last.value) > 4.0 * landing_window * h() * std::abs(last.rate)) return std::nullopt;
  const auto beyond = distance_to_zero(last);
  return beyond && std::abs(*beyond) <= landing_window * h() ? beyond : std::nullopt;
}

bool LaneTrial::presses_again(const Guard& guard) const {
  constexpr double at_once = 1e-6;  // of the natural step
  return guard.kind == Guard::Kind::gap && lane_.steps_since_event == 0 && lane_.arrived &&
         h() <= at_once * lane_.point.natural_step && was_met(guard, *lane_.arrived) && begin(guard).value <= 0.0 &&
         begin(guard).rate < 0.0;
}

bool LaneTrial::closes_flatly(const Guard& guard) const {
  if (guard.kind != Guard::Kind::gap) return false;
  const EndJet last = end(guard);
  const double size = size_of(begin(guard), last);
  const double r = h();
  return r * std::abs(last.rate) < 1e-8 * size && r * r * std::abs(last.second) < 1e-4 * size;
}

std::optional<LaneTrial::Neighbour> LaneTrial::earlier_neighbour(const Guard& guard, double beyond) const {
  const double r = h();
  std::optional<Neighbour> first;
  for (std::size_t i = 0; i < values_.layout().contacts; ++i) {
    if (!lane_.is_gap_watched(i) || (guard.kind == Guard::Kind::gap && guard.index == i)) continue;
    const EndJet begin = values_.begin_gap(i, l_);
    const double noise = 1e-13 * (values_.size(i, l_) + std::abs(r * begin.rate));
    if (begin.value <= noise && begin.rate <= 0.0) continue;
    const auto distance = distance_to_zero(values_.end_gap(i, l_));
    if (!distance || std::abs(*distance) > landing_window * r || *distance >= (first ? first->beyond : beyond))
      continue;
    first = Neighbour{{Guard::Kind::gap, i}, *distance};
  }
  return first;
}

}  // namespace saltus
