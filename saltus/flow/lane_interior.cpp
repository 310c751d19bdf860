#include "saltus/flow/lane_interior.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

// Lobatto's rule with five points, exact to order 8 like the step.
constexpr std::array<double, 5> places = {0.0, 0.17267316464601143, 0.5, 0.82732683535398857, 1.0};
constexpr std::array<double, 5> weights = {0.05, 49.0 / 180.0, 16.0 / 45.0, 49.0 / 180.0, 0.05};

}  // namespace

void LaneInterior::follow() {
  if (lane_.next_sample < lane_.run.samples.size()) take_samples();
  if (lane_.run.follower) show();
  if (lane_.run.measure_divergence) add_divergence();
  if (lane_.run.measure_energy) add_work();
  if (lane_.run.measure_range) note_range();
  if (lane_.masked) lane_.note_sliding(h_);
}

/// θ in parts of the trial.
Vector LaneInterior::state_at(double theta) {
  stepper_.prepare_dense();
  std::array<double, 8> all{};
  all.fill(theta);
  stepper_.sample(all);
  return stepper_.state_in(stepper_.sample_array(), l_);
}

/// ∫ of all power on the kinetic energy over the step.
void LaneInterior::add_work() {
  for (std::size_t j = 0; j < places.size(); ++j) {
    const Vector x = state_at(places[j] * (h_ / stepper_.h(l_)));
    const double power = lane_.mechanism->energy(stepper_.t_sample_array()[l_], x, lane_.point.mode).second;
    lane_.result.ledger.energy_work += weights[j] * power * h_;
  }
}

/// ∫ tr F_x over the step.
void LaneInterior::add_divergence() {
  std::array<double, 8> trace{};
  for (std::size_t j = 0; j < places.size(); ++j) {
    state_at(places[j] * (h_ / stepper_.h(l_)));
    stepper_.functions().divergence(stepper_.t_sample_array(), stepper_.sample_array(), stepper_.p_array(),
                                    stepper_.mode_array(), nullptr, trace.data());
    lane_.result.divergence += weights[j] * trace[l_] * h_;
  }
}

void LaneInterior::show() {
  const double part = h_ / stepper_.h(l_);
  const std::function<void(double, Vector&)> place = [&](double theta, Vector& x) { x = state_at(theta * part); };
  lane_.run.follower->follow({lane_.point.t.absolute(lane_.run.period), h_, lane_.point.mode, place});
}

void LaneInterior::take_samples() {
  lane_.take_samples(h_, [&](double ahead) { return state_at(std::min(std::max(ahead, 0.0), h_) / stepper_.h(l_)); });
}

/// Both ends, and the middle by Hermite's cubic: a flight may be one step from ground to ground.
void LaneInterior::note_range() {
  FlowResult& result = lane_.result;
  const double h = stepper_.h(l_);
  const std::size_t N = stepper_.N();
  if (result.lowest.size() == 0) {
    result.lowest = Vector::Constant(index(N), std::numeric_limits<double>::infinity());
    result.highest = -result.lowest;
  }
  for (std::size_t i = 0; i < N; ++i) {
    const double begin = stepper_.y(i, l_);
    const double end = stepper_.y_new(i, l_);
    const double middle = 0.5 * (begin + end) + 0.125 * h * (stepper_.rate(i, l_) - stepper_.rate_new(i, l_));
    result.lowest[index(i)] = std::min({result.lowest[index(i)], begin, end, middle});
    result.highest[index(i)] = std::max({result.highest[index(i)], begin, end, middle});
  }
}

}  // namespace saltus
