#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/flow/index.hpp"
#include "saltus/flow/lane_flow.hpp"

namespace saltus {
namespace {}  // namespace

// ---- event functions ----------------------------------------------------------------------------------------------

void LaneFlow::list_guards(std::size_t l) {
  Lane& lane = lanes_[l];
  const Mode& mode = lane.point.mode;
  lane.guards.clear();
  for (std::size_t i = 0; i < layout_.contacts; ++i)
    lane.guards.push_back({mode.closed[i] ? Guard::Kind::force : Guard::Kind::gap, i});
  for (std::size_t k = 0; k < layout_.switches; ++k) {
    if (!mode.filippov[k]) {
      lane.guards.push_back({Guard::Kind::switched, k, mode.sign[k]});
      continue;
    }
    lane.guards.push_back({Guard::Kind::weight, k, 1.0, 0.0});
    lane.guards.push_back({Guard::Kind::weight, k, -1.0, 1.0});
  }
  for (std::size_t w = 0; w < lane.run.watches.size(); ++w) add_watch(l, w);
}

/// The multiples of the modulus next above and below the start of the step.
void LaneFlow::add_watch(std::size_t l, std::size_t w) {
  Lane& lane = lanes_[l];
  const Watch& watch = lane.run.watches[w];
  const double value = begin_values_[(layout_.contacts + layout_.switches + watch.surface) * lanes_.size() + l];
  double above = 0.0;
  double below = 0.0;
  if (watch.modulo > 0.0) {
    // On a multiple to rounding (the last crossing left us there) its neighbours come next, and itself from the other side.
    const double turns = value / watch.modulo;
    const bool here = std::abs(turns - std::round(turns)) < 1e-9;
    below = watch.modulo * (here ? std::round(turns) : std::floor(turns));
    above = here ? below : below + watch.modulo;
  }
  const auto add = [&](double sign, double offset) {
    lane.guards.push_back({Guard::Kind::surface, watch.surface, sign, offset, w});
  };
  if (watch.direction != Crossing::down) {
    add(-1.0, above);
    if (watch.modulo > 0.0 && above == below) add(-1.0, above + watch.modulo);
  }
  if (watch.direction != Crossing::up) {
    add(1.0, below);
    if (watch.modulo > 0.0 && above == below) add(1.0, below - watch.modulo);
  }
}

std::size_t LaneFlow::row_of(const Guard& guard) const {
  switch (guard.kind) {
    case Guard::Kind::switched: return layout_.contacts + guard.index;
    case Guard::Kind::surface: return layout_.contacts + layout_.switches + guard.index;
    case Guard::Kind::weight: return layout_.contacts + guard.index;
    default: return guard.index;
  }
}

EndJet LaneFlow::jet_of(std::size_t l, const Guard& guard, const LaneArray& values, double multiplier) const {
  if (guard.is_multiplier()) return {guard.sign * (multiplier - guard.offset), 0.0, 0.0};
  const std::size_t width = lanes_.size();
  const std::size_t row = row_of(guard);
  return {guard.sign * (values[row * width + l] - guard.offset), guard.sign * values[(event_count_ + row) * width + l],
          guard.kind == Guard::Kind::gap ? values[(2 * event_count_ + row) * width + l] : 0.0};
}

EndJet LaneFlow::begin_jet(std::size_t l, const Guard& guard) const {
  return jet_of(l, guard, begin_values_,
                guard.is_multiplier() ? stepper_.rate(stepper_.rates() + row_of(guard), l) : 0.0);
}

EndJet LaneFlow::end_jet(std::size_t l, const Guard& guard) const {
  return jet_of(l, guard, end_values_,
                guard.is_multiplier() ? stepper_.rate_new(stepper_.rates() + row_of(guard), l) : 0.0);
}

double LaneFlow::node_value(std::size_t l, std::size_t node, const Guard& guard) const {
  if (node == 0) return begin_jet(l, guard).value;
  if (node == node_count - 1) return end_jet(l, guard).value;
  const std::size_t row = row_of(guard);
  const double value = guard.is_multiplier() ? node_forces_[node][(layout_.N() + row) * lanes_.size() + l]
                                             : node_values_[node][row * lanes_.size() + l];
  return guard.sign * (value - guard.offset);
}

/// Does the step begin on the guard's zero, moving or at rest?
Beginning LaneFlow::beginning_of(std::size_t l, const Guard& guard, const EndJet& begin, const EndJet& end) const {
  const double size = std::max(std::abs(begin.value), std::abs(end.value));
  const double h = stepper_.h(l);
  if (guard.is_multiplier()) {
    const bool just_begun = lanes_[l].steps_since_event == 0;
    return just_begun && std::abs(begin.value) <= 1e-10 * size ? Beginning::at_zero : Beginning::away;
  }
  const double tiny = 1e-13 * (1.0 + std::abs(h * begin.rate)) + 1e-12 * size;
  const auto& arrived = lanes_[l].arrived;
  const bool handled =
      arrived && guard.index == arrived->index &&
      (guard.kind == arrived->kind || (guard.kind == Guard::Kind::gap && arrived->kind == Guard::Kind::force) ||
       (guard.kind == Guard::Kind::switched && arrived->kind == Guard::Kind::weight));
  if (!handled && std::abs(begin.value) > tiny) return Beginning::away;
  // The last step ended just short of the zero: it is still to come.
  if (!handled && begin.value > 0.0 && begin.rate < 0.0) return Beginning::away;
  if (handled && guard.kind == Guard::Kind::surface && std::abs(begin.value) > 1e-9 * (1.0 + std::abs(guard.offset)))
    return Beginning::away;  // the same surface at another multiple
  const double moved = std::abs(h * begin.rate);
  const double bent = h * h * std::abs(begin.second) + size;
  return moved > 1e-10 * bent ? Beginning::at_zero : Beginning::at_rest;
}

double LaneFlow::margin_of(std::size_t l, const Guard& guard, double size) const {
  if (guard.is_multiplier() || lanes_[l].landing) return 0.0;
  return 100.0 * (options_.rtol * size + options_.atol);
}

Outlook LaneFlow::outlook_of(std::size_t l, const Guard& guard) const {
  if (guard.is_multiplier()) {
    // Seen at every stage of the step: far from zero compared with how much it varies there?
    const auto [least, largest] = stepper_.multiplier(row_of(guard), l);
    const double above = guard.sign > 0.0 ? least - guard.offset : guard.offset - largest;
    return {above > largest - least ? Outlook::Kind::clear : Outlook::Kind::doubtful};
  }
  const EndJet begin = begin_jet(l, guard);
  const EndJet end = end_jet(l, guard);
  const double h = stepper_.h(l);
  if (guard.kind == Guard::Kind::gap) {
    const double size = std::max(std::abs(begin.value), std::abs(end.value));
    return outlook(begin, end, h, margin_of(l, guard, size), beginning_of(l, guard, begin, end));
  }
  // Without second rates: both ends on one side, far from zero compared with what the ends' slopes could do between.
  const double reach = h * std::max(std::abs(begin.rate), std::abs(end.rate));
  const bool far_positive = begin.value > reach && end.value > reach;
  const bool far_negative = begin.value < -reach && end.value < -reach;
  return {far_positive || far_negative ? Outlook::Kind::clear : Outlook::Kind::doubtful};
}

/// Event functions at the ends of the trials, and which gaps surely stay open on the way.
void LaneFlow::look_at_ends() {
  if (!has_events_) return;
  stepper_.functions().events(stepper_.t_new_array(), stepper_.y_new_array(), stepper_.p_array(), stepper_.mode_array(),
                              stepper_.rate_new_array(), end_values_.data());
  const std::size_t rows = event_count_ * lanes_.size();
  const double* const begin = begin_values_.data();
  const double* const end = end_values_.data();
  if (layout_.contacts > 0)
    stepper_.clearances({begin, begin + rows, begin + 2 * rows, end, end + rows, end + 2 * rows}, clearances_.data(),
                        layout_.contacts);
}

/// A gap that stays open, and that the step does not begin on.
bool LaneFlow::is_clear(std::size_t l, const Guard& guard) const {
  const Lane& lane = lanes_[l];
  return guard.kind == Guard::Kind::gap && !(lane.arrived && lane.arrived->index == guard.index) &&
         clearances_[guard.index * lanes_.size() + l] > 0.0;
}

/// Dense output and samples at the nodes, when some lane may have an event inside its step.
void LaneFlow::sample_nodes() {
  make_dense();
  const bool forces =
      std::any_of(lanes_.begin(), lanes_.end(), [](const Lane& lane) { return lane.active && lane.masked; });
  for (std::size_t node = 1; node + 1 < node_count; ++node) {
    std::array<double, 8> theta{};
    theta.fill(nodes()[node]);
    stepper_.sample(theta);
    stepper_.functions().events(stepper_.t_sample_array(), stepper_.sample_array(), stepper_.p_array(),
                                stepper_.mode_array(), stepper_.rate_array(), node_values_[node].data());
    if (forces)
      stepper_.functions().sliding(stepper_.t_sample_array(), stepper_.sample_array(), stepper_.p_array(),
                                   stepper_.mode_array(), nullptr, node_forces_[node].data());
  }
}

// ---- decisions ----------------------------------------------------------------------------------------------------

/// What becomes of a trial, as far as its ends tell; where they do not, the lane is marked doubtful.
LaneFlow::Verdict LaneFlow::judge(std::size_t l) {
  Lane& lane = lanes_[l];
  lane.beyond = 0.0;
  errors_[l] = stepper_.error(l);
  const bool finite = std::isfinite(errors_[l]);
  if (!finite) return reject(l, Outcome::left_domain);
  if (layout_.mass_varies && !(end_values_[(layout_.event_outputs() - 1) * lanes_.size() + l] > 0.0))
    return reject(l, Outcome::singular_mass);
  if (lane.landing) return land(l);
  if (errors_[l] > 1.0) return reject(l, Outcome::step_too_small);
  const Guard* first = nullptr;
  double earliest = 2.0;
  for (const Guard& guard : lane.guards) {
    if (is_clear(l, guard)) continue;
    const Outlook ahead = outlook_of(l, guard);
    if (ahead.kind == Outlook::Kind::clear) continue;
    if (ahead.kind == Outlook::Kind::doubtful) {
      doubtful_[l] = true;
      return Verdict::retry;
    }
    if (ahead.theta >= earliest) continue;
    earliest = ahead.theta;
    first = &guard;
  }
  if (first) return head_for(l, *first, earliest);
  return go_on(l);
}

/// The same for a doubtful lane, with a look inside the step.
LaneFlow::Verdict LaneFlow::judge_inside(std::size_t l) {
  if (auto landing = first_landing(l)) {
    lanes_[l].landing = landing;
    lanes_[l].ends = false;
    return Verdict::retry;
  }
  return go_on(l);
}

/// Nothing happens inside the trial: it is taken, unless a little more would end the flight that it aimed at.
LaneFlow::Verdict LaneFlow::go_on(std::size_t l) {
  Lane& lane = lanes_[l];
  const double h = stepper_.h(l);
  if (lane.aimed && lane.retarget == 0.0) {
    const auto more = distance_to_zero(end_jet(l, {Guard::Kind::gap, lane.aim}));
    if (more && *more > 0.0 && *more < 0.25 * h) {
      lane.retarget = h + *more;
      return Verdict::retry;
    }
  }
  lane.retarget = 0.0;
  grow(l);
  follow_inside(l);
  return Verdict::accept;
}

/// A single crossing at θ: stand on it if the trial ends there, else go there by a true step.
LaneFlow::Verdict LaneFlow::head_for(std::size_t l, const Guard& guard, double theta) {
  Lane& lane = lanes_[l];
  const double h = stepper_.h(l);
  if (std::abs(theta - 1.0) > landing_window) {
    lane.landing = Landing{guard, false, StepRoot(0.0, h, theta * h)};
    lane.ends = false;
    return Verdict::retry;
  }
  if (lane.ends && theta > 1.0) return go_on(l);  // behind the end of the run
  return stand_on(l, guard, (theta - 1.0) * h);
}

/// The earliest thing that needs a true look, on dense output.
std::optional<Landing> LaneFlow::first_landing(std::size_t l) {
  const double h = stepper_.h(l);
  std::optional<Landing> best;
  double earliest = 2.0;
  for (const Guard& guard : lanes_[l].guards) {
    std::array<double, node_count> samples{};
    for (std::size_t node = 0; node < node_count; ++node) samples[node] = node_value(l, node, guard);
    double size = 0.0;
    for (const double s : samples) size = std::max(size, std::abs(s));
    const Beginning beginning = beginning_of(l, guard, begin_jet(l, guard), end_jet(l, guard));
    auto descent = first_descent(samples, margin_of(l, guard, size), beginning);
    if (!descent && beginning == Beginning::away) descent = turning_point(l, guard, samples, margin_of(l, guard, size));
    if (!descent || is_noise(l, guard, size)) continue;
    const bool immediate = descent->kind == Descent::Kind::immediate;
    const bool minimum = descent->kind == Descent::Kind::near_zero;
    const double place = minimum ? descent->upper : descent->lower;
    if (place >= earliest || ((immediate || minimum) && guard.kind != Guard::Kind::gap)) continue;
    if (minimum && lanes_[l].after_minimum && place < 1e-3) continue;  // the one that was just looked at
    if (guard.kind == Guard::Kind::surface && beginning != Beginning::away && place == 0.0) continue;
    earliest = place;
    if (immediate) {
      best = Landing{guard, false, StepRoot(0.0, 0.0, 0.0)};
      continue;
    }
    const double lower = descent->lower * h;
    // A little beyond: the root may lie on the end of the step itself.
    const double upper = minimum ? std::min(1.0, descent->upper + 0.25) * h : descent->upper * h * (1.0 + 1e-9);
    const double guess = minimum ? descent->upper * h : lower;
    // A surface that the step begins on has a zero at its start, which is not looked for: near rest all values are rounding, and
    // the motion would stand there for ever.
    const bool begins_on = guard.kind == Guard::Kind::surface && beginning != Beginning::away;
    best = Landing{guard, minimum, StepRoot(minimum || begins_on ? lower : 0.0, upper, guess)};
  }
  if (best && best->root.upper() == 0.0) return immediate_touch(l, best->guard);
  return best;
}

/// The true rates at the ends of the step tell of a minimum between them that dense output may have put just outside.
std::optional<Descent> LaneFlow::turning_point(std::size_t l, const Guard& guard,
                                               const std::array<double, node_count>& samples, double margin) const {
  if (guard.kind != Guard::Kind::gap) return std::nullopt;
  const double before = begin_jet(l, guard).rate;
  const double after = end_jet(l, guard).rate;
  if (before >= 0.0 || after < 0.0 || *std::min_element(samples.begin(), samples.end()) > margin) return std::nullopt;
  return Descent{Descent::Kind::near_zero, 0.0, std::clamp(before / (before - after), 1e-3, 1.0)};
}

/// Over the whole step the gap is no larger than its own rounding, as it is just behind a release: its zeros and minima
/// there mean nothing.
bool LaneFlow::is_noise(std::size_t l, const Guard& guard, double size) const {
  if (guard.kind != Guard::Kind::gap || size > 1e-10) return false;
  const Lane& lane = lanes_[l];
  Vector x(index(layout_.N()));
  for (std::size_t i = 0; i < layout_.N(); ++i) x[index(i)] = stepper_.y(i, l);
  const ContactValue at = lane.mechanism->contact(lane.point.t.phase, x, lane.point.mode);
  const Vector q = x.head(index(layout_.n)).cwiseAbs();
  return size <= 32.0 * epsilon * at.normal.row(index(guard.index)).cwiseAbs().dot(q);
}

/// A released contact that presses again at once: settle it where it is.
std::optional<Landing> LaneFlow::immediate_touch(std::size_t l, const Guard& guard) {
  Lane& lane = lanes_[l];
  if (lane.steps_since_event == 0) {
    // It was let go in this very instant: it stays closed.
    lane.point.mode.closed[guard.index] = 1;
    unload(l);
    load(l);
    return Landing{guard, false, StepRoot(0.0, 0.0, 0.0)};
  }
  return std::nullopt;
}

// ---- landing ------------------------------------------------------------------------------------------------------

/// A true step towards a guard has been made: go on, or stand on it.
LaneFlow::Verdict LaneFlow::land(std::size_t l) {
  Lane& lane = lanes_[l];
  Landing& landing = *lane.landing;
  const double r = stepper_.h(l);
  if (landing.root.upper() == 0.0) {  // nothing to land on: the mode was changed at the start of the step
    lane.landing.reset();
    return Verdict::retry;
  }
  const EndJet now = end_jet(l, landing.guard);
  if (landing.on_minimum) return land_on_minimum(l, now);
  const Guard guard = landing.guard;
  if (!guard.is_multiplier()) {
    // Without a second rate the parabola is a line, and good from nearer only.
    const double window = (guard.kind == Guard::Kind::gap ? landing_window : 1e-8) * r;
    if (const auto beyond = distance_to_zero(now); beyond && std::abs(*beyond) <= window)
      return stand_on(l, guard, *beyond);
  }
  if (!landing.root.improve(now.value, now.rate, 0.5 * epsilon * r)) return Verdict::retry;
  return stand_on(l, guard, 0.0);
}

/// A gap that was open at the start of the step, or left zero there, and is closed where a true step has led: its zero was
/// thought to lie behind.
std::optional<Landing> LaneFlow::passed_on_the_way(std::size_t l, const Guard& landed) const {
  const double r = stepper_.h(l);
  for (std::size_t i = 0; i < layout_.contacts; ++i) {
    const Guard gap{Guard::Kind::gap, i};
    if (lanes_[l].point.mode.closed[i] || (landed.kind == Guard::Kind::gap && landed.index == i)) continue;
    const EndJet begin = begin_jet(l, gap);
    const EndJet now = end_jet(l, gap);
    const double noise = 1e-13 * (1.0 + std::abs(r * now.rate));
    if (now.value >= -noise || (begin.value <= noise && begin.rate <= 0.0)) continue;
    const auto distance = distance_to_zero(now);
    if (distance && std::abs(*distance) <= landing_window * r) continue;  // not before the guard: no earlier neighbour
    const double guess = begin.value > noise ? r * begin.value / (begin.value - now.value)
                                             : std::min(next_fall(begin).value_or(0.5 * r), 0.999 * r);
    return Landing{gap, false, StepRoot(0.0, r, guess)};
  }
  return std::nullopt;
}

/// Another gap that closes between the end of the trial and the zero of the guard, or just before both.
std::optional<LaneFlow::Neighbour> LaneFlow::earlier_neighbour(std::size_t l, const Guard& guard, double beyond) const {
  const double r = stepper_.h(l);
  std::optional<Neighbour> first;
  for (std::size_t i = 0; i < layout_.contacts; ++i) {
    const Guard gap{Guard::Kind::gap, i};
    if (lanes_[l].point.mode.closed[i] || (guard.kind == Guard::Kind::gap && guard.index == i)) continue;
    const EndJet begin = begin_jet(l, gap);
    const double noise = 1e-13 * (1.0 + std::abs(r * begin.rate));
    if (begin.value <= noise && begin.rate <= 0.0) continue;
    const auto distance = distance_to_zero(end_jet(l, gap));
    if (!distance || std::abs(*distance) > landing_window * r || *distance >= (first ? first->beyond : beyond))
      continue;
    first = Neighbour{gap, *distance};
  }
  return first;
}

LaneFlow::Verdict LaneFlow::land_on_minimum(std::size_t l, const EndJet& now) {
  Lane& lane = lanes_[l];
  Landing& landing = *lane.landing;
  const double r = stepper_.h(l);
  // Below zero already: the crossing lies before this point.
  const double depth_noise = 8.0 * epsilon * (1.0 + std::abs(landing.guard.offset) + std::abs(now.second) * r * r);
  if (now.value < -depth_noise) {
    const double back = now.second > 0.0 ? std::sqrt(2.0 * -now.value / now.second) : 0.5 * r;
    landing = Landing{landing.guard, false, StepRoot(0.0, r, std::max(r - back, 0.5 * r))};
    return Verdict::retry;
  }
  // The rate is negative before the minimum, positive after it: its negative falls through zero there.
  if (!landing.root.improve(-now.rate, -now.second, 1e-9 * r)) return Verdict::retry;
  const Guard guard = landing.guard;
  lane.landing.reset();
  Ledger& ledger = lane.result.ledger;
  ledger.closest_miss[guard.index] = std::min(ledger.closest_miss[guard.index], now.value);
  const double near = 10.0 * (options_.rtol * (1.0 + std::abs(now.second) * r * r) + options_.atol);
  if (now.value <= near) {
    ++ledger.grazings;
    const double t = lane.point.t.absolute(lane.run.period) + r;
    lane.result.events.push_back(
        {EventKind::grazing, t, guard.index, now.rate, now.rate, 0.0, end_state(l), end_state(l)});
  }
  lane.at_minimum = true;
  follow_inside(l);
  return Verdict::accept;
}

Vector LaneFlow::end_state(std::size_t l) const {
  Vector x(index(layout_.N()));
  for (std::size_t i = 0; i < layout_.N(); ++i) x[index(i)] = stepper_.y_new(i, l);
  return x;
}

/// The trial ends on the guard's zero, or so near that a short step beside it leads there.
LaneFlow::Verdict LaneFlow::stand_on(std::size_t l, const Guard& guard, double beyond) {
  Lane& lane = lanes_[l];
  if (const auto neighbour = earlier_neighbour(l, guard, beyond)) return stand_on(l, neighbour->gap, neighbour->beyond);
  // Corrections below rounding would only add noise: the gap that is left is carried on.
  lane.beyond = std::abs(beyond) > 4.0 * epsilon * stepper_.h(l) ? beyond : 0.0;
  lane.landing.reset();
  lane.retarget = 0.0;
  if (auto earlier = passed_on_the_way(l, guard)) {
    lane.landing = earlier;
    lane.ends = false;
    return Verdict::retry;
  }
  lane.landed = guard;
  lane.ends = false;
  grow(l);
  follow_inside(l);
  if (lane.beyond != 0.0) step_beside(l, lane.beyond);
  return Verdict::accept;
}

/// y_new ← y(t + h + δ) for |δ| ≤ landing_window h by the midpoint rule; its error, of third order in δ, is below rounding.
void LaneFlow::step_beside(std::size_t l, double delta) {
  const std::size_t n = layout_.n;
  const std::size_t N = layout_.N();
  const std::size_t C = stepper_.carries_tangent() ? layout_.columns() : 0;
  for (std::size_t i = 0; i < one_mode_.size(); ++i) one_mode_[i] = stepper_.mode(i, l);
  for (std::size_t i = 0; i < one_y_.size(); ++i) one_y_[i] = stepper_.y_new(i, l);
  for (std::size_t i = 0; i < one_rate_.size(); ++i) one_rate_[i] = stepper_.rate_new(i, l);
  // y + dt · (rates), where δq̇ = δv is read from `velocities`.
  const auto moved = [&](const std::vector<double>& velocities, double dt, std::vector<double>& to) {
    for (std::size_t i = 0; i < N; ++i) to[i] = one_y_[i] + dt * one_rate_[i];
    for (std::size_t i = 0; i < n * C; ++i) to[N + i] = one_y_[N + i] + dt * velocities[N + n * C + i];
    for (std::size_t i = 0; i < layout_.tangent_rates() && C > 0; ++i)
      to[N + n * C + i] = one_y_[N + n * C + i] + dt * one_rate_[N + i];
  };
  moved(one_y_, 0.5 * delta, one_middle_);
  field_of_one(l, stepper_.t(l) + stepper_.h(l) + 0.5 * delta, one_middle_.data(), one_rate_.data());
  std::swap(one_middle_, one_end_);
  moved(one_end_, delta, one_middle_);
  for (std::size_t i = 0; i < one_middle_.size(); ++i) stepper_.y_new(i, l) = one_middle_[i];
  // The state's rate there; what comes next computes all others anew.
  const double t = stepper_.t(l) + stepper_.h(l) + delta;
  const KernelSet& one = kernels_.at(1);
  (lanes_[l].masked ? one.sliding : one.field)(&t, one_middle_.data(), lanes_[l].run.parameters.data(),
                                               one_mode_.data(), nullptr, one_rate_.data());
  for (std::size_t i = 0; i < N; ++i) stepper_.rate_new(i, l) = one_rate_[i];
}

}  // namespace saltus
