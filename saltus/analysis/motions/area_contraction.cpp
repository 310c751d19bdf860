#include "saltus/analysis/motions/area_contraction.hpp"

#include <algorithm>

#include "saltus/flow/mechanism.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

/// The inputs that an output of a program is computed from.
std::vector<InputRef> inputs_behind(const Program& program, std::size_t output) {
  std::vector<char> needed(program.value_count(), 0);
  needed[program.outputs[output]] = 1;
  const std::size_t first = program.first_instruction();
  for (std::size_t k = program.code.size(); k-- > 0;) {
    if (!needed[first + k]) continue;
    const Instruction& instruction = program.code[k];
    const int arity = arity_of(instruction.code);
    needed[instruction.a] = 1;
    if (arity > 1) needed[instruction.b] = 1;
    if (arity > 2) needed[instruction.c] = 1;
  }
  std::vector<InputRef> inputs;
  for (std::size_t i = 0; i < program.inputs.size(); ++i)
    if (needed[program.constants.size() + i]) inputs.push_back(program.inputs[i]);
  return inputs;
}

bool is_constant(const Program& program, std::size_t output) {
  const std::vector<InputRef> inputs = inputs_behind(program, output);
  return std::all_of(inputs.begin(), inputs.end(), [](const InputRef& input) { return input.slot == Slot::parameter; });
}

bool depends_on_state(const Program& program, std::size_t output, std::size_t component) {
  const std::vector<InputRef> inputs = inputs_behind(program, output);
  return std::any_of(inputs.begin(), inputs.end(),
                     [&](const InputRef& input) { return input.slot == Slot::state && input.index == component; });
}

}  // namespace

bool loses_volume(const Kernels& kernels, std::span<const double> parameters) {
  const Layout& layout = kernels.layout();
  if (!is_constant(kernels.program("divergence"), 0)) return false;
  // z' = F(z) may gain area where it passes a switch; of x'' = f the position moves on alike on both sides.
  if (layout.n == 0 && layout.switches > 0) return false;
  for (std::size_t k = 0; k < layout.switches; ++k)
    for (std::size_t i = layout.n; i < layout.N(); ++i)
      if (depends_on_state(kernels.program("events"), layout.contacts + k, i)) return false;
  // At an impact an area shrinks by e ∂γ⁺/∂|γ⁻|, which is e² ≤ 1 unless e depends on the speed.
  for (std::size_t i = 0; i < layout.contacts; ++i)
    if (!is_constant(kernels.program("contact"), 2 * layout.contacts + i)) return false;
  const Vector x = Vector::Zero(index(layout.N()));
  const double t = 0.0;
  const std::vector<double> mode = mode_inputs(Mode(layout));
  double trace = 0.0;
  kernels.at(1).divergence(&t, x.data(), parameters.data(), mode.data(), nullptr, &trace);
  return trace < 0.0;
}

bool contracts_areas(const Kernels& kernels, std::span<const double> parameters, const Translations& translations) {
  return kernels.layout().N() == 2 && translations.lattice().cols() == 0 && loses_volume(kernels, parameters);
}

}  // namespace saltus
