#include "saltus/flow/lane_pool.hpp"

namespace saltus {
namespace {

constexpr long turn = 256;  // steps after which a motion that waits takes the place of another

/// A lane with a motion of another kind, or else one without any; `width` if there is neither.
std::size_t place_in(const LaneFlow& flow) {
  if (!flow.strangers().empty()) return flow.strangers().first();
  return flow.idle().empty() ? flow.width() : flow.idle().last();
}

}  // namespace

LanePool::LanePool(const Kernels& kernels, const FlowOptions& options, unsigned width, LaneStepper::Carries carries,
                   LaneWork& work)
    : flows_{{{kernels, options, width, carries, work, Lane::Kind::free, 0},
              {kernels, options, width, carries, work, Lane::Kind::sliding, width},
              {kernels, options, width, carries, work, Lane::Kind::striking, 2 * width}}} {}

LaneUse LanePool::run() {
  while (true) {
    arrange();
    // The fullest, and each of them first now and then.
    LaneFlow* fullest = nullptr;
    long most = 0;
    for (std::size_t i = 0; i < flows_.size(); ++i) {
      LaneFlow& flow = flows_[(i + static_cast<std::size_t>(steps_)) % flows_.size()];
      const long count = flow.count_taking_part();
      if (count <= most) continue;
      most = count;
      fullest = &flow;
    }
    if (!fullest) break;
    fullest->step();
    ++steps_;
  }
  LaneUse use;
  for (const LaneFlow& flow : flows_) use += flow.use();
  return use;
}

void LanePool::arrange() {
  bool unrest = false;
  for (LaneFlow& flow : flows_) unrest = flow.take_unrest() || unrest;
  if (steps_ % turn == turn - 1) rotate();
  if (!unrest) return;
  sort();
  if (!free().idle().empty()) free().fill();
  if (free().take_unrest()) sort();  // some begin sliding
  if (!free().has_work() && count_active() <= static_cast<long>(free().width())) gather();
}

/// Motions go to their own kind, as long as there is place.
void LanePool::sort() {
  for (LaneFlow& flow : flows_) {
    for (const std::size_t l : flow.strangers()) {
      // What comes in exchange may be a stranger too.
      while (flow.strangers().has(l)) {
        LaneFlow& home = flow_of(flow.kind(l));
        const std::size_t place = place_in(home);
        if (place == home.width()) break;
        flow.exchange(l, home, place);
      }
    }
  }
}

/// Where hardly any motion slides, one that has stopped doing so would wait until the end.
void LanePool::rotate() {
  const std::size_t place = static_cast<std::size_t>(steps_ / turn) % free().width();
  for (LaneFlow& flow : flows_)
    for (std::size_t l = 0; l < flow.width() && &flow != &free(); ++l)
      if (flow.kind(l) == Lane::Kind::free) return flow.exchange(l, free(), place);
}

long LanePool::count_active() const {
  long count = 0;
  for (const LaneFlow& flow : flows_) count += flow.active().count();
  return count;
}

/// The last ones, in one company.
void LanePool::gather() {
  free().choose(std::nullopt);
  for (LaneFlow& flow : flows_) {
    if (&flow == &free()) continue;
    for (const std::size_t l : flow.active()) free().exchange(place_in(free()), flow, l);
  }
}

}  // namespace saltus
