#include "saltus/kernel/kernels.hpp"

#include <algorithm>
#include <cassert>

#include "saltus/kernel/inputs.hpp"

namespace saltus {
namespace {

std::vector<NamedProgram> lowered(const Equations& equations) {
  std::vector<NamedProgram> programs;
  for (const Equations::Named& kernel : equations.kernels)
    programs.push_back({kernel.name, kernel.outputs.empty() ? Program{} : lower(kernel.outputs, input_of)});
  return programs;
}

KernelSet functions_of(const NativeCode& code) {
  return {.width = code.width(),
          .field = code.kernel("field"),
          .field_tangent = code.kernel("field_tangent"),
          .sliding = code.kernel("sliding"),
          .sliding_tangent = code.kernel("sliding_tangent"),
          .events = code.kernel("events"),
          .contact = code.kernel("contact"),
          .impact = code.kernel("impact"),
          .jets = code.kernel("jets"),
          .observe = code.kernel("observe"),
          .energy = code.kernel("energy"),
          .divergence = code.kernel("divergence")};
}

}  // namespace

Kernels::Kernels(const Model& model, const KernelOptions& options, const std::vector<unsigned>& widths) {
  const Equations equations = equations_of(model, options);
  layout_ = equations.layout;
  programs_ = lowered(equations);
  for (const unsigned width : widths) {
    NativeCode code(programs_, {}, width);
    const KernelSet functions = functions_of(code);
    sets_.emplace(width, Compiled{std::move(code), functions});
  }
}

const Program& Kernels::program(const std::string& name) const {
  const auto found =
      std::find_if(programs_.begin(), programs_.end(), [&](const NamedProgram& p) { return p.name == name; });
  assert(found != programs_.end());
  return found->program;
}

}  // namespace saltus
