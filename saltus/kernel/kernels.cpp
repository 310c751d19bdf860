#include "saltus/kernel/kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <future>
#include <mutex>
#include <optional>
#include <string_view>

#include "saltus/base/unbroken.hpp"
#include "saltus/kernel/enclosure.hpp"
#include "saltus/kernel/inputs.hpp"
#include "saltus/kernel/inverse_dynamics.hpp"
#include "saltus/kernel/lowered.hpp"
#include "saltus/kernel/piecewise_linear.hpp"

namespace saltus {
namespace {

/// Of the event functions and their rates. A rate does not see where its function jumps, nor a second rate where it has a kink.
std::vector<NamedProgram> event_enclosures(const Equations& equations) {
  const std::size_t rows = equations.layout.events();
  if (rows == 0) return {{"event_bends", {}}, {"event_bounds", {}}};
  const Program jets = lower(equations.event_jets, input_of);
  using Open = EnclosedOutput::Open;
  std::vector<EnclosedOutput> all;
  for (std::size_t i = 0; i < rows; ++i) all.push_back({i, Open::never, i});
  for (std::size_t i = 0; i < rows; ++i) all.push_back({rows + i, Open::at_jumps, i});
  for (std::size_t i = 0; i < rows; ++i) all.push_back({2 * rows + i, Open::at_jumps_and_kinks, i});
  const std::span<const EnclosedOutput> bends = std::span(all).subspan(2 * rows);
  return {{"event_bends", enclosure_of(jets, bends)}, {"event_bounds", enclosure_of(jets, all)}};
}

/// Refuses what would take minutes.
void require_compilable(const std::vector<NamedProgram>& programs, std::size_t most) {
  std::size_t all = 0;
  const NamedProgram* largest = &programs.front();
  for (const NamedProgram& named : programs) {
    all += named.program.code.size();
    if (named.program.code.size() > largest->program.code.size()) largest = &named;
  }
  if (all <= most) return;
  throw Error(ExitCode::model,
              fmt::format("the model is too large to be compiled: {} instructions, of which '{}' has {}\n"
                          "  expected at most {}\n  leave out coordinates, contacts or switches",
                          all, largest->name, largest->program.code.size(), most));
}

/// Kernels that are compiled together.
struct Part {
  std::vector<std::string_view> kernels;
  Effort effort = Effort::fast_code;
};

/// Parts of about equal size, because they are compiled side by side. The code of one lane does what happens at single
/// instants; lanes compute the motion between them, and their code for an instant need not be fast.
std::vector<Part> parts_of(unsigned width) {
  if (width == 1)
    return {{{"field", "field_tangent", "events", "divergence", "contact", "jets"}},
            {{"sliding", "sliding_tangent", "impact", "energy", "observe", "event_bends", "event_bounds"}}};
  return {{{"field", "field_tangent", "events", "divergence", "event_bends"}},
          {{"sliding", "sliding_tangent", "contact"}},
          {{"impact", "jets", "energy", "observe", "event_bounds"}, Effort::fast_compilation}};
}

NativeCode code_of(const std::vector<NamedProgram>& programs, const Part& part, unsigned width) {
  std::vector<NamedProgram> chosen;
  for (const NamedProgram& named : programs)
    if (std::find(part.kernels.begin(), part.kernels.end(), named.name) != part.kernels.end()) chosen.push_back(named);
  return {chosen, {}, width, Processor::host, part.effort};
}

KernelSet functions_of(const std::vector<NativeCode>& code) {
  const std::vector<Part> parts = parts_of(code.front().width());
  const auto kernel = [&](std::string_view name) {
    std::size_t k = 0;
    while (std::find(parts[k].kernels.begin(), parts[k].kernels.end(), name) == parts[k].kernels.end()) ++k;
    return code[k].kernel(name);
  };
  return {.width = code.front().width(),
          .field = kernel("field"),
          .field_tangent = kernel("field_tangent"),
          .sliding = kernel("sliding"),
          .sliding_tangent = kernel("sliding_tangent"),
          .events = kernel("events"),
          .contact = kernel("contact"),
          .impact = kernel("impact"),
          .jets = kernel("jets"),
          .observe = kernel("observe"),
          .energy = kernel("energy"),
          .divergence = kernel("divergence"),
          .event_bends = kernel("event_bends"),
          .event_bounds = kernel("event_bounds")};
}

}  // namespace

std::vector<NamedProgram> lowered(const Equations& equations, std::size_t most) {
  std::vector<NamedProgram> programs;
  for (const Equations::Named& kernel : equations.kernels)
    programs.push_back({kernel.name, kernel.outputs.empty() ? Program{} : lower(kernel.outputs, input_of)});
  for (NamedProgram& enclosure : event_enclosures(equations)) programs.push_back(std::move(enclosure));
  require_compilable(programs, most);
  return programs;
}

struct Kernels::OnDemand {
  std::mutex mutex;
  Equations equations;  // until they are lowered
  std::optional<Program> inverse_dynamics;
  std::map<std::pair<std::string, unsigned>, NativeCode> code;
};

Kernels::~Kernels() = default;

static std::uint64_t next_serial() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

/// Where no further thread may be started (ulimit -u) they are compiled one after the other.
constexpr std::launch side_by_side_if_possible = std::launch::async | std::launch::deferred;

Kernels::Kernels(const Model& model, const KernelOptions& options, const std::vector<unsigned>& widths)
    : piecewise_linear_(!first_nonlinearity(model)), invariance_(model.invariance), serial_(next_serial()) {
  const Unbroken compiling;
  Equations equations = equations_of(model, options);
  layout_ = equations.layout;
  programs_ = lowered(equations);
  field_discs_ = field_discs_of(equations);
  std::map<unsigned, std::vector<std::future<NativeCode>>> pending;
  for (const unsigned width : widths)
    for (const Part& part : parts_of(width))
      pending[width].push_back(
          std::async(side_by_side_if_possible, [this, part, width] { return code_of(programs_, part, width); }));
  for (auto& [width, parts] : pending) {
    std::vector<NativeCode> code;
    for (auto& part : parts) code.push_back(part.get());
    const KernelSet functions = functions_of(code);
    sets_.emplace(width, Compiled{std::move(code), functions});
  }
  equations.kernels.clear();
  on_demand_ = std::make_unique<OnDemand>();
  on_demand_->equations = std::move(equations);
}

const Program& Kernels::lowered_inverse_dynamics(OnDemand& held) const {
  if (!held.inverse_dynamics) {
    const Unbroken compiling;
    held.inverse_dynamics = saltus::inverse_dynamics_bounds(held.equations);
    held.equations = {};
  }
  return *held.inverse_dynamics;
}

/// The caller has locked what is on demand.
Kernel Kernels::compiled(const std::string& name, unsigned width, const Program& program, Effort effort) const {
  auto& known = on_demand_->code;
  auto found = known.find({name, width});
  if (found == known.end()) {
    const Unbroken compiling;
    const std::vector<NamedProgram> programs = {{name, program}};
    found = known.emplace(std::pair(name, width), NativeCode(programs, {}, width, Processor::host, effort)).first;
  }
  return found->second.kernel(name);
}

Kernel Kernels::inverse_dynamics_bounds(unsigned width) const {
  constexpr std::size_t large = 20'000;
  const std::lock_guard lock(on_demand_->mutex);
  const Program& program = lowered_inverse_dynamics(*on_demand_);
  return compiled("inverse_dynamics", width, program,
                  program.code.size() > large ? Effort::fast_compilation : Effort::fast_code);
}

Kernel Kernels::field_disc_bounds(unsigned width) const {
  const std::lock_guard lock(on_demand_->mutex);
  return compiled("field_discs", width, field_discs_.program, Effort::fast_code);
}

const Program& Kernels::program(const std::string& name) const {
  const auto found =
      std::find_if(programs_.begin(), programs_.end(), [&](const NamedProgram& p) { return p.name == name; });
  assert(found != programs_.end());
  return found->program;
}

}  // namespace saltus
