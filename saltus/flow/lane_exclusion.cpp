#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/flow/lane_flow.hpp"

// What is proven of the event functions of a step: over the whole of it by its ends, in pieces by its dense output.

namespace saltus {
namespace {

/// The polynomials of a step that its ends give: of q the quintic through q, v, v̇ at both ends, of v its derivative.
struct Quintic {
  std::array<double, 4> bend;  // Bernstein coefficients of q̈
  double h;

  Quintic(double q0, double q1, double v0, double v1, double a0, double a1, double length) : h(length) {
    const double w = 20.0 * (q1 - q0) / (h * h);
    const double u = 4.0 / h;
    bend = {a0, w - u * (3.0 * v0 + 2.0 * v1) + a1 - 2.0 * a0, u * (2.0 * v0 + 3.0 * v1) - w + a0 - 2.0 * a1, a1};
  }
};

struct Box {
  double c, r;
};
Box hull_of(double a, double b) { return {0.5 * (a + b), 0.5 * std::abs(a - b)}; }
double largest(const Box& box) { return std::abs(box.c) + box.r; }

}  // namespace

/// Bounds of all second rates over the trials: boxes of q, q̇, q̈ (and v, v̇, v̈) along the quintics, in all lanes at once.
void LaneFlow::bound_bends() {
  if (event_count_ == 0) return;
  const std::size_t width = lanes_.size();
  const std::size_t n = layout_.n;
  const std::size_t N = layout_.N();
  const auto put = [&](LaneArray& boxes, std::size_t i, std::size_t l, const Box& box) {
    boxes[2 * i * width + l] = box.c;
    boxes[(2 * i + 1) * width + l] = box.r;
  };
  for (std::size_t l = 0; l < width; ++l) {
    const double h = stepper_.h(l);
    put(box_t_, 0, l, {stepper_.t(l) + 0.5 * h, 0.5 * h});
    for (std::size_t i = 0; i < n; ++i) {
      const double q0 = stepper_.y(i, l);
      const double q1 = stepper_.y_new(i, l);
      const double v0 = stepper_.y(n + i, l);
      const double v1 = stepper_.y_new(n + i, l);
      const auto z = Quintic(q0, q1, v0, v1, stepper_.rate(n + i, l), stepper_.rate_new(n + i, l), h).bend;
      const Box a = hull_of(std::min(std::min(z[0], z[1]), std::min(z[2], z[3])),
                            std::max(std::max(z[0], z[1]), std::max(z[2], z[3])));
      const Box v = {0.5 * (v0 + v1), 0.5 * h * largest(a)};
      put(box_x_, i, l, {0.5 * (q0 + q1), 0.5 * h * largest(v)});
      put(box_X_, i, l, v);
      put(box_X_, N + i, l, a);
      put(box_x_, n + i, l, v);
      put(box_X_, n + i, l, a);
      const double d0 = z[1] - z[0];
      const double d1 = z[2] - z[1];
      const double d2 = z[3] - z[2];
      const Box jerk = hull_of(std::min(d0, std::min(d1, d2)), std::max(d0, std::max(d1, d2)));
      put(box_X_, N + n + i, l, {3.0 * jerk.c / h, 3.0 * jerk.r / h});
    }
  }
  stepper_.functions().event_bends(box_t_.data(), box_x_.data(), stepper_.p_array(), stepper_.mode_array(),
                                   box_X_.data(), bends_.data());
}

/// max |g| and h |ġ| at both ends: what errors are relative to.
double LaneFlow::size_of(std::size_t l, const EndJet& begin, const EndJet& end) const {
  const double h = stepper_.h(l);
  return std::max(std::max(std::abs(begin.value), std::abs(end.value)),
                  h * std::max(std::abs(begin.rate), std::abs(end.rate)));
}

/// What the ends of the trial and the bound of g̈ say. The quintic's error is about rtol^¾ of the sizes.
Proof LaneFlow::proof_of(std::size_t l, const Guard& guard) const {
  if (!(stepper_.h(l) > 0.0)) return Proof::clear;  // the end of the run lies behind, by rounding
  const EndJet begin = begin_jet(l, guard);
  const EndJet end = end_jet(l, guard);
  const double h = stepper_.h(l);
  const double* const bend = bends_.data() + 2 * row_of(guard) * lanes_.size() + l;
  const double c = guard.sign * bend[0];
  const double r = bend[lanes_.size()];
  const double margin = 10.0 * (quintic_error_ * size_of(l, begin, end) + options_.atol);
  bool ends_there = false;
  if (guard.kind == Guard::Kind::gap) {
    const auto beyond = distance_to_zero(end);
    ends_there = beyond && std::abs(*beyond) <= landing_window * h;
  }
  return proof_by_ends(begin, end, h, {c - r, c + r}, margin, beginning_of(l, guard, begin, end), ends_there);
}

/// Everything that the ends left open, by the dense output.
std::optional<LaneFlow::Inside> LaneFlow::first_inside(std::size_t l) {
  if (!(stepper_.h(l) > 0.0)) return std::nullopt;
  const Lane& lane = motion(l);
  const double h = stepper_.h(l);
  std::vector<Sought> sought;
  std::vector<const Guard*> guards;
  for (const Guard& guard : lane.guards) {
    if (guard.is_multiplier() || proof_of(l, guard) == Proof::clear) continue;
    const EndJet begin = begin_jet(l, guard);
    const EndJet end = end_jet(l, guard);
    if (is_noise(l, guard, std::max(std::abs(begin.value), std::abs(end.value)))) continue;
    const double tolerance = options_.rtol * size_of(l, begin, end) + options_.atol;
    Sought it{row_of(guard), guard.sign, guard.offset, beginning_of(l, guard, begin, end)};
    it.margin = 10.0 * tolerance;
    it.near = 100.0 * tolerance;
    it.wants_minima = guard.kind == Guard::Kind::gap;
    it.begins_at_minimum = lane.after_minimum;
    const double start = it.beginning == Beginning::away ? begin.value : begin.rate;
    it.side = start < 0.0 && (guard.kind == Guard::Kind::surface || it.beginning == Beginning::away) ? -1 : 1;
    sought.push_back(it);
    guards.push_back(&guard);
  }
  if (sought.empty()) return std::nullopt;
  make_dense();
  curve_->set(stepper_.t(l), h, stepper_.p_array() + l, stepper_.mode_array() + l, lanes_.size());
  std::vector<double>& coefficients = curve_->coefficients(LaneStepper::dense_degree);
  for (std::size_t i = 0; i < layout_.N(); ++i) {
    const auto c = stepper_.dense_polynomial(i, l);
    for (std::size_t k = 0; k < c.size(); ++k) coefficients[k * layout_.N() + i] = c[k];
  }
  const auto finding = EventSearch(*curve_).first(sought, h);
  if (!finding) return std::nullopt;
  return Inside{*finding, *guards[finding->sought], sought[finding->sought].side > 0};
}

/// A lane whose ends do not prove what they seem to say, or do not say anything.
LaneFlow::Verdict LaneFlow::judge_inside(std::size_t l) {
  Lane& lane = motion(l);
  for (std::size_t node = 1; sampled_[l] && node + 1 < node_count; ++node) {
    const auto gap = undefined_gap(l, node_values_[node]);
    if (!gap) continue;
    lane.result.contacts = {*gap};
    return reject(l, Outcome::gap_undefined);
  }
  const double h = stepper_.h(l);
  const std::optional<Ahead> ahead = ahead_[l];
  std::optional<Landing> landing;
  if (sampled_[l]) landing = first_landing(l, Seen::all);
  const bool at_once = landing && landing->root.upper() == 0.0;  // the mode was changed
  const auto inside = at_once ? std::nullopt : first_inside(l);
  if (landing && !at_once && !landing->guard.is_multiplier() && !is_borne_out(*landing, inside, h)) {
    // Samples saw what is not there, or not first. Multipliers are seen by samples only.
    landing = first_landing(l, Seen::multipliers);
  }
  if (inside) {
    const bool expected =
        landing ? landing->guard.is_multiplier() ? landing->root.next() / h <= inside->finding.place : true
                : ahead && agree(*inside, ahead->guard, {ahead->theta, ahead->theta});
    if (!expected) return turn_to(l, *inside);
  }
  if (landing) {
    lane.phase = *landing;
    return Verdict::retry;
  }
  if (ahead && (inside || ahead->theta > 1.0 - landing_window)) return head_for(l, ahead->guard, ahead->theta);
  return go_on(l);
}

/// Does a proof agree with what samples saw, or let it pass: a minimum is looked at by true steps, whatever comes of it?
bool LaneFlow::is_borne_out(const Landing& landing, const std::optional<Inside>& inside, double h) const {
  if (!inside) return landing.on_minimum;
  const double from = landing.on_minimum ? landing.root.lower() : landing.root.next();
  if (agree(*inside, landing.guard, {from / h, landing.root.upper() / h})) return true;
  return landing.on_minimum && landing.root.next() / h <= inside->finding.place;
}

/// Is what was found what was expected in some part of the step?
bool LaneFlow::agree(const Inside& inside, const Guard& expected, Part part) const {
  const Finding& it = inside.finding;
  if (it.kind == Finding::Kind::undecided) return false;
  const bool same = expected.kind == inside.guard.kind && expected.index == inside.guard.index &&
                    expected.sign == inside.guard.sign && expected.offset == inside.guard.offset;
  const double slack = 1e-3 * (it.upper - it.lower) + 1e-6;
  return same && part.lower <= it.upper + slack && part.upper >= it.lower - slack;
}

/// What was found inside is looked at by true steps; what could not be decided makes the step shorter.
LaneFlow::Verdict LaneFlow::turn_to(std::size_t l, const Inside& inside) {
  Lane& lane = motion(l);
  const Finding& it = inside.finding;
  const double h = stepper_.h(l);
  if (it.kind == Finding::Kind::undecided) {
    const double part = it.lower > 0.0 ? it.lower : 0.125;
    if (part * h < 1e-12 * lane.point.natural_step) return go_on(l);  // in so short a time it cannot get anywhere
    lane.trial = part * h;
    lane.shortened = true;
    lane.phase = Free{};
    return Verdict::retry;
  }
  const bool minimum = it.kind == Finding::Kind::near_zero;
  const bool from_start = inside.begins_above && !minimum && inside.guard.kind != Guard::Kind::surface;
  const double lower = from_start ? 0.0 : it.lower * h;
  const double upper = std::min(1.0, it.upper * (1.0 + 1e-9)) * h;
  lane.phase = Landing{inside.guard, minimum, StepRoot(lower, upper, std::max(it.place, 1e-3 * it.upper) * h)};
  return Verdict::retry;
}

}  // namespace saltus
