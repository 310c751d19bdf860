#include <algorithm>
#include <array>

#include "saltus/flow/index.hpp"
#include "saltus/flow/lane_flow.hpp"

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
  const double h = stepper_.h(l) + lane.beyond;
  if (h == 0.0) return;
  if (lane.next_sample < lane.run.samples.size()) take_samples(l, h);
  if (lane.run.measure_divergence) add_divergence(l, h);
  if (lane.run.measure_energy) add_work(l, h);
  if (lane.run.measure_range) note_range(l);
  if (!lane.masked) return;
  lane.result.ledger.held_time += h;
  for (std::size_t i = 0; i < layout_.contacts; ++i)
    if (lane.point.mode.closed[i]) lane.result.ledger.sliding_time[i] += h;
}

/// ∫ of all power on the kinetic energy over the step.
void LaneFlow::add_work(std::size_t l, double h) {
  Lane& lane = motion(l);
  make_dense();
  for (std::size_t j = 0; j < places.size(); ++j) {
    std::array<double, 8> theta{};
    theta.fill(places[j] * (h / stepper_.h(l)));
    stepper_.sample(theta);
    Vector x(index(layout_.N()));
    for (std::size_t i = 0; i < layout_.N(); ++i) x[index(i)] = stepper_.sampled(i, l);
    const double t = stepper_.t_sample_array()[l];
    const double power = lane.mechanism->energy(t, x, lane.point.mode).second;
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

void LaneFlow::take_samples(std::size_t l, double h) {
  Lane& lane = motion(l);
  while (lane.next_sample < lane.run.samples.size()) {
    const Time& wanted = lane.run.samples[lane.next_sample];
    const double ahead = until(wanted, lane.point.t, lane.run.period);
    if (ahead > h) return;
    make_dense();
    std::array<double, 8> theta{};
    theta[l] = std::clamp(ahead, 0.0, h) / stepper_.h(l);
    stepper_.sample(theta);
    Sample sample{wanted.absolute(lane.run.period), Vector(index(layout_.N())), lane.point.mode, {}};
    for (std::size_t i = 0; i < layout_.N(); ++i) sample.x[index(i)] = stepper_.sampled(i, l);
    sample.force = lane.mechanism->field(wanted.phase, sample.x, sample.mode).force;
    lane.result.samples.push_back(std::move(sample));
    ++lane.next_sample;
  }
}

}  // namespace saltus
