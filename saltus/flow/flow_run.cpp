#include "saltus/flow/flow_run.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "saltus/flow/lane.hpp"

namespace saltus {
namespace {

using Index = Eigen::Index;
Index index(std::size_t i) { return static_cast<Index>(i); }

constexpr double safety = 0.8;
constexpr double largest_growth = 2.0;
constexpr double smallest_shrink = 0.2;
constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// end − now, exact in whole periods.
double until(const Time& end, const Time& now, double period) {
  return static_cast<double>(end.cycles - now.cycles) * period + (end.phase - now.phase);
}

/// The whole event-driven method for W lanes.
class LaneFlow {
 public:
  LaneFlow(const Kernels& kernels, const FlowOptions& options, unsigned width, LaneStepper::Carries carries,
           LaneWork& work)
      : kernels_(kernels),
        layout_(kernels.layout()),
        options_(options),
        stepper_(kernels, width, carries),
        carries_(carries),
        work_(work),
        lanes_(width),
        event_count_(layout_.contacts + layout_.switches + layout_.surfaces) {
    end_values_.resize((2 * event_count_ + layout_.contacts) * width);
    node_values_.assign(node_count, std::vector<double>(end_values_.size()));
    node_forces_.assign(node_count, std::vector<double>((layout_.N() + layout_.contacts + layout_.switches) * width));
  }

  LaneUse run() {
    for (std::size_t l = 0; l < lanes_.size(); ++l) refill(l);
    while (const long busy =
               std::count_if(lanes_.begin(), lanes_.end(), [](const Lane& lane) { return lane.active; })) {
      use_.slots += static_cast<long>(lanes_.size());
      use_.busy += busy;
      begin_steps();
      stepper_.attempt();
      measure();
      values_at(stepper_.t_new_array(), stepper_.y_new_array(), stepper_.rate_new_array(), end_values_);
      look_inside();
      for (std::size_t l = 0; l < lanes_.size(); ++l)
        if (lanes_[l].active) decide(l);
    }
    return use_;
  }

 private:
  // ---- lanes and their work -------------------------------------------------------------------------------------

  void refill(std::size_t l) {
    Lane& lane = lanes_[l];
    while (true) {
      lane = Lane();
      lane.active = work_.next(l, lane.run);
      if (!lane.active) {
        stepper_.h(l) = 0.0;
        stepper_.set_masked(l, false);
        return;
      }
      prepare(l);
      if (lane.active) return;
    }
  }

  /// Puts a run's start into the lane and settles it there.
  void prepare(std::size_t l) {
    Lane& lane = lanes_[l];
    lane.point = lane.run.start;
    lane.mechanism = std::make_unique<Mechanism>(kernels_, lane.run.parameters);
    Ledger& ledger = lane.result.ledger;
    const double infinity = std::numeric_limits<double>::infinity();
    ledger.closest_miss.assign(layout_.contacts, infinity);
    ledger.smallest_gamma.assign(layout_.contacts, infinity);
    ledger.sliding_time.assign(layout_.contacts, 0.0);
    for (std::size_t i = 0; i < layout_.parameter_inputs(); ++i) stepper_.parameter(i, l) = lane.run.parameters[i];
    const bool known = lane.point.natural_step > 0.0;  // the point comes from an earlier run: it is settled already
    if (!known) {
      lane.point.fastest.assign(layout_.contacts, 0.0);
      lane.point.natural_step = first_step(lane);
      if (!arrive(l, {Trigger::Kind::begin, 0, false})) return;
    } else {
      load(l);
    }
    lane.trial = lane.point.natural_step;
  }

  void end(std::size_t l, Outcome outcome) {
    Lane& lane = lanes_[l];
    unload(l);
    if (lane.run.measure_energy && outcome != Outcome::left_domain) {
      const auto kinetic = [&](const FlowPoint& at) { return lane.mechanism->energy(at.t.phase, at.x, at.mode).first; };
      lane.result.ledger.energy_change = kinetic(lane.point) - kinetic(lane.run.start);
    }
    lane.result.end = std::move(lane.point);
    lane.result.outcome = outcome;
    use_.steps += lane.result.ledger.steps;
    lane.active = false;
    work_.done(l, std::move(lane.result));
  }

  double first_step(const Lane& lane) const {
    const FieldValue field = lane.mechanism->field(lane.point.t.phase, lane.point.x, lane.point.mode);
    const double speed = field.rate.cwiseAbs().maxCoeff();
    const double size = lane.point.x.cwiseAbs().maxCoeff();
    const double step = speed > 0.0 ? 0.01 * std::max(size, 1e-3) / speed : 1e-3;
    return std::isfinite(step) ? std::min(step, options_.largest_step) : 1e-3;
  }

  /// Point → stepper.
  void load(std::size_t l) {
    Lane& lane = lanes_[l];
    const FlowPoint& point = lane.point;
    stepper_.t(l) = point.t.phase;
    for (std::size_t i = 0; i < layout_.N(); ++i) stepper_.y(i, l) = point.x[index(i)];
    if (carries_ == LaneStepper::Carries::state_and_tangent)
      for (std::size_t c = 0; c < layout_.columns(); ++c)
        for (std::size_t i = 0; i < layout_.N(); ++i)
          stepper_.y(layout_.N() * (c + 1) + i, l) = point.tangent(index(i), index(c));
    const std::vector<double> mode = mode_inputs(point.mode);
    for (std::size_t i = 0; i < mode.size(); ++i) stepper_.mode(i, l) = mode[i];
    stepper_.set_masked(l, point.mode.is_masked());
    lane.fresh = true;
  }

  /// Stepper → point.
  void unload(std::size_t l) {
    FlowPoint& point = lanes_[l].point;
    for (std::size_t i = 0; i < layout_.N(); ++i) point.x[index(i)] = stepper_.y(i, l);
    if (carries_ == LaneStepper::Carries::state_and_tangent)
      for (std::size_t c = 0; c < layout_.columns(); ++c)
        for (std::size_t i = 0; i < layout_.N(); ++i)
          point.tangent(index(i), index(c)) = stepper_.y(layout_.N() * (c + 1) + i, l);
  }

  // ---- one trial ------------------------------------------------------------------------------------------------

  void begin_steps() {
    const bool some_fresh =
        std::any_of(lanes_.begin(), lanes_.end(), [](const Lane& lane) { return lane.active && lane.fresh; });
    if (some_fresh) start_values();
    for (std::size_t l = 0; l < lanes_.size(); ++l) {
      Lane& lane = lanes_[l];
      if (!lane.active) continue;
      if (lane.landing) {
        stepper_.h(l) = lane.landing->root.next();
        continue;
      }
      const double left = until(lane.run.end, lane.point.t, lane.run.period);
      lane.ends = lane.trial >= left * (1.0 - 1e-12);
      stepper_.h(l) = lane.ends ? left : std::min(lane.trial, options_.largest_step);
    }
  }

  /// The field and the event functions where the lanes stand. What is not fresh is computed again with the same result.
  void start_values() {
    for (std::size_t l = 0; l < lanes_.size(); ++l) stepper_.h(l) = 0.0;
    stepper_.start();
    std::vector<double> values(end_values_.size());
    values_at(stepper_.t_array(), stepper_.y_array(), stepper_.rate_array(), values);
    for (std::size_t l = 0; l < lanes_.size(); ++l) {
      if (!lanes_[l].active || !lanes_[l].fresh) continue;
      keep_values(l, values);
      lanes_[l].fresh = false;
    }
  }

  void values_at(const double* t, const double* x, const double* rate, std::vector<double>& out) {
    if (event_count_ > 0)
      stepper_.functions().events(t, x, stepper_.p_array(), stepper_.mode_array(), rate, out.data());
  }

  void keep_values(std::size_t l, const std::vector<double>& values) {
    Lane& lane = lanes_[l];
    const auto part = [&](std::size_t first, std::size_t count, std::vector<double>& into) {
      into.resize(count);
      for (std::size_t i = 0; i < count; ++i) into[i] = values[(first + i) * lanes_.size() + l];
    };
    part(0, event_count_, lane.begin_values);
    part(event_count_, event_count_, lane.begin_rates);
    part(2 * event_count_, layout_.contacts, lane.begin_seconds);
  }

  void measure() {
    std::array<double, 8> state{};
    std::array<double, 8> tangent{};
    stepper_.measure(0, layout_.N(), options_.rtol, options_.atol, state);
    if (stepper_.components() > layout_.N())
      stepper_.measure(layout_.N(), stepper_.components() - layout_.N(), options_.tangent_rtol, options_.tangent_rtol,
                       tangent);
    for (std::size_t l = 0; l < lanes_.size(); ++l) errors_[l] = std::max(state[l], tangent[l]);
    for (std::size_t l = 0; l < lanes_.size(); ++l)
      if (std::isnan(state[l]) || std::isnan(tangent[l])) errors_[l] = std::numeric_limits<double>::infinity();
  }

  // ---- event functions ------------------------------------------------------------------------------------------

  std::vector<Guard> guards_of(const Lane& lane) const {
    std::vector<Guard> guards;
    const Mode& mode = lane.point.mode;
    for (std::size_t i = 0; i < layout_.contacts; ++i)
      guards.push_back({mode.closed[i] ? Guard::Kind::force : Guard::Kind::gap, i});
    for (std::size_t k = 0; k < layout_.switches; ++k) {
      if (!mode.filippov[k]) {
        guards.push_back({Guard::Kind::switched, k, mode.sign[k]});
        continue;
      }
      guards.push_back({Guard::Kind::weight, k, 1.0, 0.0});
      guards.push_back({Guard::Kind::weight, k, -1.0, 1.0});
    }
    for (std::size_t w = 0; w < lane.run.watches.size(); ++w) add_watch(lane, w, guards);
    return guards;
  }

  /// The multiples of the modulus next above and below the start of the step.
  void add_watch(const Lane& lane, std::size_t w, std::vector<Guard>& guards) const {
    const Watch& watch = lane.run.watches[w];
    const double value = lane.begin_values[layout_.contacts + layout_.switches + watch.surface];
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
      guards.push_back({Guard::Kind::surface, watch.surface, sign, offset, w});
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

  std::size_t row_of(const Guard& guard) const {
    switch (guard.kind) {
      case Guard::Kind::gap: return guard.index;
      case Guard::Kind::switched: return layout_.contacts + guard.index;
      case Guard::Kind::surface: return layout_.contacts + layout_.switches + guard.index;
      case Guard::Kind::force: return guard.index;
      case Guard::Kind::weight: return layout_.contacts + guard.index;
    }
    return 0;
  }
  static bool is_multiplier(const Guard& guard) {
    return guard.kind == Guard::Kind::force || guard.kind == Guard::Kind::weight;
  }

  EndJet begin_jet(std::size_t l, const Guard& guard) const {
    const Lane& lane = lanes_[l];
    const std::size_t row = row_of(guard);
    if (is_multiplier(guard))
      return {guard.sign * (stepper_.rate(stepper_.components() + row, l) - guard.offset), 0.0, 0.0};
    return {guard.sign * (lane.begin_values[row] - guard.offset), guard.sign * lane.begin_rates[row],
            guard.kind == Guard::Kind::gap ? lane.begin_seconds[row] : 0.0};
  }

  EndJet end_jet(std::size_t l, const Guard& guard) const {
    const std::size_t width = lanes_.size();
    const std::size_t row = row_of(guard);
    if (is_multiplier(guard))
      return {guard.sign * (stepper_.rate_new(stepper_.components() + row, l) - guard.offset), 0.0, 0.0};
    return {guard.sign * (end_values_[row * width + l] - guard.offset),
            guard.sign * end_values_[(event_count_ + row) * width + l],
            guard.kind == Guard::Kind::gap ? end_values_[(2 * event_count_ + row) * width + l] : 0.0};
  }

  double node_value(std::size_t l, std::size_t node, const Guard& guard) const {
    const std::size_t width = lanes_.size();
    if (node == 0) return begin_jet(l, guard).value;
    if (node == node_count - 1) return end_jet(l, guard).value;
    const std::size_t row = row_of(guard);
    const double value = is_multiplier(guard) ? node_forces_[node][(layout_.N() + row) * width + l]
                                              : node_values_[node][row * width + l];
    return guard.sign * (value - guard.offset);
  }

  /// Does the step begin on the guard's zero, moving or at rest?
  Beginning beginning_of(std::size_t l, const Guard& guard, const EndJet& begin, const EndJet& end) const {
    const double size = std::max(std::abs(begin.value), std::abs(end.value));
    const double h = stepper_h(l);
    if (is_multiplier(guard)) {
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

  double stepper_h(std::size_t l) const { return const_cast<LaneStepper&>(stepper_).h(l); }

  double margin_of(std::size_t l, const Guard& guard, double size) const {
    if (is_multiplier(guard)) return 0.0;
    return 100.0 * (options_.rtol * size + options_.atol) * (lanes_[l].landing ? 0.0 : 1.0);
  }

  bool is_suspicious(std::size_t l, const Guard& guard) const {
    const EndJet begin = begin_jet(l, guard);
    const EndJet end = end_jet(l, guard);
    const Beginning beginning = beginning_of(l, guard, begin, end);
    const double size = std::max(std::abs(begin.value), std::abs(end.value));
    if (is_multiplier(guard)) return true;
    if (guard.kind == Guard::Kind::gap)
      return !surely_positive(begin, end, stepper_h(l), margin_of(l, guard, size), beginning);
    // Without second rates: both ends on one side, far from zero compared with what the ends' slopes could do between.
    const double h = stepper_h(l);
    const double reach = h * std::max(std::abs(begin.rate), std::abs(end.rate));
    const bool far_positive = begin.value > reach && end.value > reach;
    const bool far_negative = begin.value < -reach && end.value < -reach;
    return !far_positive && !far_negative;
  }

  /// Dense output and samples at the nodes, when some lane may have an event inside its step.
  void look_inside() {
    bool wanted = false;
    for (std::size_t l = 0; l < lanes_.size(); ++l) {
      suspicious_[l] = false;
      if (!lanes_[l].active || lanes_[l].landing || errors_[l] > 1.0) continue;
      guards_[l] = guards_of(lanes_[l]);
      for (const Guard& guard : guards_[l]) suspicious_[l] = suspicious_[l] || is_suspicious(l, guard);
      wanted = wanted || suspicious_[l];
    }
    if (!wanted) return;
    stepper_.prepare_dense();
    for (std::size_t node = 1; node + 1 < node_count; ++node) {
      std::array<double, 8> theta{};
      theta.fill(nodes()[node]);
      stepper_.sample(theta);
      values_at(stepper_.t_sample_array(), stepper_.sample_array(), stepper_.rate_array(), node_values_[node]);
      const bool forces = std::any_of(lanes_.begin(), lanes_.end(),
                                      [](const Lane& lane) { return lane.active && lane.point.mode.is_masked(); });
      if (forces)
        stepper_.functions().sliding(stepper_.t_sample_array(), stepper_.sample_array(), stepper_.p_array(),
                                     stepper_.mode_array(), nullptr, node_forces_[node].data());
    }
  }

  // ---- decisions ------------------------------------------------------------------------------------------------

  void decide(std::size_t l) {
    Lane& lane = lanes_[l];
    if (lane.landing) return land(l);
    if (errors_[l] > 1.0) return reject(l);
    const double h = stepper_.h(l);
    if (suspicious_[l]) {
      if (auto landing = first_landing(l)) {
        lane.landing = landing;
        return;
      }
    }
    grow(l, h);
    accept(l);
    if (lane.active && lane.ends) end(l, Outcome::reached_end);
    if (!lane.active) refill(l);
  }

  void reject(std::size_t l) {
    Lane& lane = lanes_[l];
    ++lane.result.ledger.rejected;
    const double h = stepper_.h(l);
    const double factor =
        std::isfinite(errors_[l]) ? std::max(smallest_shrink, safety * std::pow(errors_[l], -1.0 / 8.0)) : 0.1;
    lane.trial = h * factor;
    lane.rejected = true;
    if (lane.trial > 16.0 * epsilon * std::max(std::abs(stepper_.t(l)), 1e-290)) return;
    lane.landing.reset();
    end(l, std::isfinite(errors_[l]) ? Outcome::step_too_small : Outcome::left_domain);
    refill(l);
  }

  /// The controller. A step cut short by the end of the run or by an event says nothing about the natural step.
  void grow(std::size_t l, double h) {
    Lane& lane = lanes_[l];
    const double error = std::max(errors_[l], 1e-12);
    double factor = std::clamp(safety * std::pow(error, -1.0 / 8.0), smallest_shrink, largest_growth);
    if (lane.rejected) factor = std::min(factor, 1.0);
    lane.rejected = false;
    const double next = h * factor;
    const bool cut = lane.ends && next < lane.point.natural_step;
    const double longest = std::min(options_.largest_step, lane.run.period > 0.0 ? lane.run.period : 1e9);
    if (!cut) lane.point.natural_step = std::min(next, longest);
    lane.trial = lane.point.natural_step;
  }

  /// The earliest thing that needs a true look.
  std::optional<Landing> first_landing(std::size_t l) {
    const double h = stepper_.h(l);
    std::optional<Landing> best;
    double earliest = 2.0;
    for (const Guard& guard : guards_[l]) {
      std::array<double, node_count> samples{};
      for (std::size_t node = 0; node < node_count; ++node) samples[node] = node_value(l, node, guard);
      double size = 0.0;
      for (const double s : samples) size = std::max(size, std::abs(s));
      const Beginning beginning = beginning_of(l, guard, begin_jet(l, guard), end_jet(l, guard));
      auto descent = first_descent(samples, margin_of(l, guard, size), beginning);
      if (!descent && beginning == Beginning::away)
        descent = turning_point(l, guard, samples, margin_of(l, guard, size));
      if (!descent) continue;
      const bool immediate = descent->kind == Descent::Kind::immediate;
      const bool minimum = descent->kind == Descent::Kind::near_zero;
      const double place = minimum ? descent->upper : descent->lower;
      if (place >= earliest || ((immediate || minimum) && guard.kind != Guard::Kind::gap)) continue;
      if (minimum && lanes_[l].after_minimum && place < 1e-3) continue;  // the one that was just looked at
      earliest = place;
      if (immediate) {
        best = Landing{guard, false, StepRoot(0.0, 0.0, 0.0)};
        continue;
      }
      const double lower = descent->lower * h;
      // A little beyond: the root may lie on the end of the step itself.
      const double upper = minimum ? std::min(1.0, descent->upper + 0.25) * h : descent->upper * h * (1.0 + 1e-9);
      const double guess = minimum ? descent->upper * h : lower;
      best = Landing{guard, minimum, StepRoot(minimum ? lower : 0.0, upper, guess)};
    }
    if (best && best->root.upper() == 0.0) return immediate_touch(l, best->guard);
    return best;
  }

  /// The true rates at the ends of the step tell of a minimum between them that dense output may have put just outside.
  std::optional<Descent> turning_point(std::size_t l, const Guard& guard, const std::array<double, node_count>& samples,
                                       double margin) const {
    if (guard.kind != Guard::Kind::gap) return std::nullopt;
    const double before = begin_jet(l, guard).rate;
    const double after = end_jet(l, guard).rate;
    if (before >= 0.0 || after < 0.0 || *std::min_element(samples.begin(), samples.end()) > margin) return std::nullopt;
    return Descent{Descent::Kind::near_zero, 0.0, std::clamp(before / (before - after), 1e-3, 1.0)};
  }

  /// A released contact that presses again at once: settle it where it is.
  std::optional<Landing> immediate_touch(std::size_t l, const Guard& guard) {
    Lane& lane = lanes_[l];
    if (lane.steps_since_event == 0) {
      // It was let go in this very instant: it stays closed.
      lane.point.mode.closed[guard.index] = 1;
      load(l);
      return Landing{guard, false, StepRoot(0.0, 0.0, 0.0)};
    }
    return std::nullopt;
  }

  /// A true step towards a guard has been made: go on, or stand on it.
  void land(std::size_t l) {
    Lane& lane = lanes_[l];
    Landing& landing = *lane.landing;
    const double r = stepper_.h(l);
    if (landing.root.upper() == 0.0) {  // nothing to land on: the mode was changed at the start of the step
      lane.landing.reset();
      return;
    }
    if (!std::isfinite(errors_[l])) {
      lane.landing.reset();
      return reject(l);
    }
    const EndJet now = end_jet(l, landing.guard);
    const double tolerance = 0.5 * epsilon * r;  // a bias of the instants would add up over a chatter
    if (landing.on_minimum) return land_on_minimum(l, now, tolerance);
    if (!landing.root.improve(now.value, now.rate, tolerance)) return;
    const Guard guard = landing.guard;
    lane.landing.reset();
    if (auto earlier = passed_on_the_way(l, guard)) {
      lane.landing = earlier;
      return;
    }
    cross(l, guard);
  }

  /// A gap that was open at the start of the step and is closed where a true step has led: it was a near miss on dense output.
  std::optional<Landing> passed_on_the_way(std::size_t l, const Guard& landed) {
    const double r = stepper_.h(l);
    for (std::size_t i = 0; i < layout_.contacts; ++i) {
      const Guard gap{Guard::Kind::gap, i};
      if (lanes_[l].point.mode.closed[i] || (landed.kind == Guard::Kind::gap && landed.index == i)) continue;
      const EndJet begin = begin_jet(l, gap);
      const EndJet now = end_jet(l, gap);
      const double noise = 1e-13 * (1.0 + std::abs(r * now.rate));
      if (begin.value <= noise || now.value >= -noise) continue;
      return Landing{gap, false, StepRoot(0.0, r, r * begin.value / (begin.value - now.value))};
    }
    return std::nullopt;
  }

  void land_on_minimum(std::size_t l, const EndJet& now, double tolerance) {
    Lane& lane = lanes_[l];
    Landing& landing = *lane.landing;
    const double r = stepper_.h(l);
    // Below zero already: the crossing lies before this point.
    const double depth_noise = 8.0 * epsilon * (1.0 + std::abs(landing.guard.offset) + std::abs(now.second) * r * r);
    if (now.value < -depth_noise) {
      const double back = now.second > 0.0 ? std::sqrt(2.0 * -now.value / now.second) : 0.5 * r;
      landing = Landing{landing.guard, false, StepRoot(0.0, r, std::max(r - back, 0.5 * r))};
      return;
    }
    // The rate is negative before the minimum, positive after it: its negative falls through zero there.
    if (!landing.root.improve(-now.rate, -now.second, std::max(tolerance, 1e-9 * r))) return;
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
    lane.ends = false;
    lane.arrived.reset();
    accept(l);
    lane.after_minimum = true;
    lane.trial = lane.point.natural_step;
    if (!lane.active) refill(l);
  }

  Vector end_state(std::size_t l) const {
    Vector x(index(layout_.N()));
    for (std::size_t i = 0; i < layout_.N(); ++i) x[index(i)] = stepper_.y_new(i, l);
    return x;
  }

  /// Takes the trial as it stands: samples inside it, time, ledger, projection.
  void accept(std::size_t l) {
    Lane& lane = lanes_[l];
    take_samples(l);
    if (lane.run.measure_divergence) add_divergence(l);
    if (lane.run.measure_energy) add_work(l);
    const double h = stepper_.h(l);
    for (std::size_t i = 0; i < layout_.contacts; ++i)
      if (lane.point.mode.closed[i]) lane.result.ledger.sliding_time[i] += h;
    stepper_.take(l);
    keep_values(l, end_values_);
    const long cycles = lane.point.t.cycles;
    lane.point.t.phase += h;
    if (lane.ends) lane.point.t = lane.run.end;
    if (lane.run.period > 0.0 && !lane.ends && lane.point.t.phase >= lane.run.period) {
      lane.point.t.phase -= lane.run.period;
      ++lane.point.t.cycles;
    }
    stepper_.t(l) = lane.point.t.phase;
    if (lane.point.t.cycles != cycles) turn_columns(l, lane.point.t.cycles - cycles);
    ++lane.result.ledger.steps;
    ++lane.steps_since_event;
    lane.after_minimum = false;
    lane.arrived.reset();
    for (std::size_t i = 0; i < layout_.contacts; ++i)
      if (!lane.point.mode.closed[i])
        lane.result.ledger.worst_penetration = std::max(lane.result.ledger.worst_penetration, -lane.begin_values[i]);
    if (lane.point.mode.is_masked()) {
      unload(l);
      Settler(*lane.mechanism, options_, lane.run.period).project(lane.point);
      load(l);
    }
    if (lane.result.ledger.steps % 64 != 0) return;
    if (lane.run.progress) lane.run.progress(lane.point.t);
    if (lane.run.interrupted && lane.run.interrupted()) end(l, Outcome::stopped);
  }

  /// A parameter may change the period: at a fixed number of cycles and a fixed phase its column gains ẋ ∂period/∂p per turn.
  void turn_columns(std::size_t l, long turns) {
    Lane& lane = lanes_[l];
    if (carries_ == LaneStepper::Carries::state || lane.run.period_rates.empty()) return;
    for (std::size_t c = 0; c < layout_.varied.size(); ++c)
      for (std::size_t i = 0; i < layout_.N(); ++i)
        stepper_.y(layout_.N() * (layout_.state_columns + c + 1) + i, l) +=
            static_cast<double>(turns) * lane.run.period_rates[c] * stepper_.rate(i, l);
    lane.fresh = true;
  }

  // Lobatto's rule with five points, exact to order 8 like the step.
  static constexpr std::array<double, 5> places = {0.0, 0.17267316464601143, 0.5, 0.82732683535398857, 1.0};
  static constexpr std::array<double, 5> weights = {0.05, 49.0 / 180.0, 16.0 / 45.0, 49.0 / 180.0, 0.05};

  /// ∫ of all power on the kinetic energy over the trial.
  void add_work(std::size_t l) {
    Lane& lane = lanes_[l];
    stepper_.prepare_dense();
    for (std::size_t j = 0; j < places.size(); ++j) {
      std::array<double, 8> theta{};
      theta.fill(places[j]);
      stepper_.sample(theta);
      Vector x(index(layout_.N()));
      for (std::size_t i = 0; i < layout_.N(); ++i) x[index(i)] = stepper_.sampled(i, l);
      const double t = stepper_.t_sample_array()[l];
      const double power = lane.mechanism->energy(t, x, lane.point.mode).second;
      lane.result.ledger.energy_work += weights[j] * power * stepper_.h(l);
    }
  }

  /// ∫ tr F_x over the trial.
  void add_divergence(std::size_t l) {
    stepper_.prepare_dense();
    std::array<double, 8> trace{};
    for (std::size_t j = 0; j < places.size(); ++j) {
      std::array<double, 8> theta{};
      theta.fill(places[j]);
      stepper_.sample(theta);
      stepper_.functions().divergence(stepper_.t_sample_array(), stepper_.sample_array(), stepper_.p_array(),
                                      stepper_.mode_array(), nullptr, trace.data());
      lanes_[l].result.divergence += weights[j] * trace[l] * stepper_.h(l);
    }
  }

  void take_samples(std::size_t l) {
    Lane& lane = lanes_[l];
    const double h = stepper_.h(l);
    bool prepared = false;
    while (lane.next_sample < lane.run.samples.size()) {
      const Time& wanted = lane.run.samples[lane.next_sample];
      const double ahead = until(wanted, lane.point.t, lane.run.period);
      if (ahead > h) return;
      if (!prepared) stepper_.prepare_dense();
      prepared = true;
      std::array<double, 8> theta{};
      theta[l] = h > 0.0 ? std::clamp(ahead / h, 0.0, 1.0) : 0.0;
      stepper_.sample(theta);
      Sample sample{wanted.absolute(lane.run.period), Vector(index(layout_.N())), lane.point.mode, {}};
      for (std::size_t i = 0; i < layout_.N(); ++i) sample.x[index(i)] = stepper_.sampled(i, l);
      sample.force = lane.mechanism->field(wanted.phase, sample.x, sample.mode).force;
      lane.result.samples.push_back(std::move(sample));
      ++lane.next_sample;
    }
  }

  /// The point stands on a guard's zero: take the step to it and let the instant do its work.
  void cross(std::size_t l, const Guard& guard) {
    Lane& lane = lanes_[l];
    lane.ends = false;
    accept(l);
    lane.trial = lane.point.natural_step;
    if (!lane.active) return refill(l);
    lane.arrived = guard;
    if (guard.kind == Guard::Kind::surface) {
      meet_section(l, guard);
    } else {
      unload(l);
      arrive(l, trigger_of(guard));
    }
    if (!lane.active) refill(l);
  }

  static Trigger trigger_of(const Guard& guard) {
    switch (guard.kind) {
      case Guard::Kind::gap: return {Trigger::Kind::gap, guard.index, false};
      case Guard::Kind::force: return {Trigger::Kind::force, guard.index, false};
      case Guard::Kind::switched: return {Trigger::Kind::switched, guard.index, false};
      default: return {Trigger::Kind::weight, guard.index, guard.sign < 0.0};
    }
  }

  void meet_section(std::size_t l, const Guard& guard) {
    Lane& lane = lanes_[l];
    unload(l);
    lane.result.events.push_back({EventKind::section, lane.point.t.absolute(lane.run.period), guard.watch, -guard.sign,
                                  0.0, 0.0, lane.point.x, lane.point.x});
    ++lane.crossings;
    if (lane.run.stop_after > 0 && lane.crossings >= lane.run.stop_after) end(l, Outcome::stopped);
  }

  /// An instant: settles the point and puts it back into the stepper. False: the run ended.
  bool arrive(std::size_t l, const Trigger& trigger) {
    Lane& lane = lanes_[l];
    const std::size_t before = lane.result.events.size();
    const Settled settled = Settler(*lane.mechanism, options_, lane.run.period)
                                .settle(lane.point, trigger, lane.result.events, lane.result.ledger);
    lane.steps_since_event = 0;
    load(l);
    const long total = lane.result.ledger.impacts + lane.result.ledger.switches + lane.result.ledger.slides;
    if (!lane.run.keep_events) lane.result.events.resize(before);
    if (settled.stop || total > options_.most_events) {
      lane.result.message = settled.message;
      lane.result.contacts = settled.contacts;
      end(l, settled.stop.value_or(Outcome::too_many_events));
      return false;
    }
    return true;
  }

  const Kernels& kernels_;
  const Layout& layout_;
  FlowOptions options_;
  LaneStepper stepper_;
  LaneStepper::Carries carries_;
  LaneWork& work_;
  std::vector<Lane> lanes_;
  std::size_t event_count_;
  LaneUse use_;
  std::array<double, 8> errors_{};
  std::array<bool, 8> suspicious_{};
  std::array<std::vector<Guard>, 8> guards_;
  std::vector<double> end_values_;
  std::vector<std::vector<double>> node_values_, node_forces_;
};

}  // namespace

LaneUse flow_lanes(const Kernels& kernels, const FlowOptions& options, unsigned width, LaneStepper::Carries carries,
                   LaneWork& work) {
  return LaneFlow(kernels, options, width, carries, work).run();
}

FlowResult flow(const Kernels& kernels, const FlowOptions& options, const FlowRun& run) {
  class One final : public LaneWork {
   public:
    explicit One(const FlowRun& only) : only_(only) {}
    bool next(std::size_t, FlowRun& to) override {
      if (given_) return false;
      given_ = true;
      to = only_;
      return true;
    }
    void done(std::size_t, FlowResult&& finished) override { result = std::move(finished); }
    FlowResult result;

   private:
    const FlowRun& only_;
    bool given_ = false;
  };
  One work(run);
  const bool tangent = run.start.tangent.cols() > 0;
  flow_lanes(kernels, options, 1, tangent ? LaneStepper::Carries::state_and_tangent : LaneStepper::Carries::state,
             work);
  return std::move(work.result);
}

FlowPoint start_point(const Kernels& kernels, Time t, const Vector& x, LaneStepper::Carries carries) {
  const Layout& layout = kernels.layout();
  FlowPoint point{t, x, Mode(layout), Matrix(index(layout.N()), 0), 0.0, {}};
  if (carries == LaneStepper::Carries::state_and_tangent) {
    point.tangent = Matrix::Zero(index(layout.N()), index(layout.columns()));
    point.tangent.leftCols(index(layout.state_columns)).setIdentity();
  }
  return point;
}

}  // namespace saltus
