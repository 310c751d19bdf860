#include "saltus/flow/exact_mode.hpp"

#include "saltus/flow/exact_assembly.hpp"

namespace saltus {

const ExactRow& ExactMode::row_of(const Guard& guard, const Layout& layout) const {
  switch (guard.kind) {
    case Guard::Kind::gap: return events[guard.index];
    case Guard::Kind::switched: return events[layout.contacts + guard.index];
    case Guard::Kind::surface: return events[layout.contacts + layout.switches + guard.index];
    case Guard::Kind::force: return multipliers[guard.index];
    case Guard::Kind::weight: return multipliers[layout.contacts + guard.index];
  }
  return events.front();
}

ExactSystem::ExactSystem(const Kernels& kernels, std::vector<double> parameter_inputs)
    : kernels_(kernels), p_(std::move(parameter_inputs)) {}

const ExactMode& ExactSystem::mode(const Mode& mode) const {
  for (const auto& known : modes_)
    if (known->mode == mode) return *known;
  modes_.push_back(std::make_unique<ExactMode>(assembled_mode(kernels_, p_, mode)));
  return *modes_.back();
}

const ExactMode& ExactSystem::beyond(const ExactMode& from, std::size_t k) const {
  if (!from.beyond[k]) {
    Mode mode = from.mode;
    mode.pass(k, -mode.side(k));
    from.beyond[k] = &this->mode(mode);
  }
  return *from.beyond[k];
}

}  // namespace saltus
