#include <algorithm>
#include <array>

#include "saltus/flow/lane_flow.hpp"
#include "saltus/numerics/vectors.hpp"

// What is wanted of the interior of a step.

namespace saltus {
namespace {

// Lobatto's rule with five points, exact to order 8 like the step.
constexpr std::array<double, 5> places = {0.0, 0.17267316464601143, 0.5, 0.82732683535398857, 1.0};
constexpr std::array<double, 5> weights = {0.05, 49.0 / 180.0, 16.0 / 45.0, 49.0 / 180.0, 0.05};

}  // namespace

void LaneFlow::make_dense() {
  if (!dense_ready_) stepper_.prepare_dense();
  dense_ready_ = true;
}

/// What is wanted of the interior of a trial that will be taken.
void LaneFlow::follow_inside(std::size_t l) {
  Lane& lane = motion(l);
  const double h = stepper_.h(l) + lane.beyond();
  if (h == 0.0) return;
  note_bounds(l);
  if (lane.next_sample < lane.run.samples.size()) take_samples(l, h);
  if (lane.run.follower) show(l, h);
  if (lane.run.measure_divergence) add_divergence(l, h);
  if (lane.run.measure_energy) add_work(l, h);
  if (lane.run.measure_range) note_range(l);
  if (lane.masked) lane.note_sliding(h);
}

/// ∫ of all power on the kinetic energy over the step.
void LaneFlow::add_work(std::size_t l, double h) {
  Lane& lane = motion(l);
  make_dense();
  for (std::size_t j = 0; j < places.size(); ++j) {
    std::array<double, 8> theta{};
    theta.fill(places[j] * (h / stepper_.h(l)));
    stepper_.sample(theta);
    const double t = stepper_.t_sample_array()[l];
    const double power = lane.mechanism->energy(t, state_in(stepper_.sample_array(), l), lane.point.mode).second;
    lane.result.ledger.energy_work += weights[j] * power * h;
  }
}

/// ∫ tr F_x over the step.
void LaneFlow::add_divergence(std::size_t l, double h) {
  make_dense();
  std::array<double, 8> trace{};
  for (std::size_t j = 0; j < places.size(); ++j) {
    std::array<double, 8> theta{};
    theta.fill(places[j] * (h / stepper_.h(l)));
    stepper_.sample(theta);
    stepper_.functions().divergence(stepper_.t_sample_array(), stepper_.sample_array(), stepper_.p_array(),
                                    stepper_.mode_array(), nullptr, trace.data());
    motion(l).result.divergence += weights[j] * trace[l] * h;
  }
}

void LaneFlow::show(std::size_t l, double h) {
  Lane& lane = motion(l);
  make_dense();
  const double part = h / stepper_.h(l);
  const std::function<void(double, Vector&)> place = [&](double theta, Vector& x) {
    std::array<double, 8> at{};
    at[l] = theta * part;
    stepper_.sample(at);
    x = state_in(stepper_.sample_array(), l);
  };
  lane.run.follower->follow({lane.point.t.absolute(lane.run.period), h, lane.point.mode, place});
}

void LaneFlow::take_samples(std::size_t l, double h) {
  motion(l).take_samples(h, [&](double ahead) {
    make_dense();
    std::array<double, 8> theta{};
    theta[l] = std::min(std::max(ahead, 0.0), h) / stepper_.h(l);
    stepper_.sample(theta);
    return state_in(stepper_.sample_array(), l);
  });
}

}  // namespace saltus
