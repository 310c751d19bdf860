#include "saltus/driver/start_warnings.hpp"

#include <fmt/format.h>

#include "saltus/base/setting.hpp"
#include "saltus/flow/switch_sides.hpp"

namespace saltus {

std::vector<Diagnostic> start_warnings(const Kernels& kernels, const Model& model, const Vector& x,
                                       const std::vector<double>& parameters) {
  constexpr double pace = 1e-3;  // as that of a motion at rest of which nothing is known yet
  if (kernels.layout().switches == 0) return {};
  const Mechanism mechanism(kernels, parameters);
  const Mode anywhere(kernels.layout());
  const SwitchSides sides(mechanism, 0.0, x, anywhere, pace, std::nullopt);
  const auto next = sides.next();
  std::vector<Diagnostic> warnings;
  if (!next) return warnings;  // the run says so
  for (const std::size_t k : sides.undetermined(*next)) {
    const Switch& at = model.switches[k];
    warnings.push_back(
        {Severity::warning,
         at.span,
         fmt::format("the initial state lies on {} = 0, which the motion may leave to either side", at.text),
         "",
         said(fmt::format("the side {} > 0 is taken: ⟨set⟩ an initial state beside the surface to choose",
                          next->side(k) > 0.0 ? at.text : "-(" + at.text + ")")),
         {}});
  }
  return warnings;
}

bool warn_of_start(std::vector<Diagnostic>& warnings, const Kernels& kernels, const Model& model, const Vector& x,
                   const std::vector<double>& parameters) {
  std::vector<Diagnostic> found = start_warnings(kernels, model, x, parameters);
  for (Diagnostic& warning : found) warnings.push_back(std::move(warning));
  return !found.empty();
}

}  // namespace saltus
