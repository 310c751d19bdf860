#include "saltus/flow/exact_mode.hpp"

#include "saltus/flow/exact_assembly.hpp"

namespace saltus {

const ExactRow& ExactMode::row_of(const Guard& guard, const Layout& layout) const {
  return (guard.is_multiplier() ? multipliers : events)[saltus::row_of(guard, layout)];
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
