#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "saltus/kernel/codegen.hpp"
#include "saltus/kernel/equations.hpp"
#include "saltus/kernel/field_discs.hpp"

namespace saltus {

/// A model's functions at one width; what each writes is listed at `Equations`.
struct KernelSet {
  unsigned width = 1;
  Kernel field = nullptr;
  Kernel field_tangent = nullptr;
  Kernel sliding = nullptr;
  Kernel sliding_tangent = nullptr;
  Kernel events = nullptr;
  Kernel contact = nullptr;
  Kernel impact = nullptr;
  Kernel jets = nullptr;
  Kernel observe = nullptr;
  Kernel energy = nullptr;
  Kernel divergence = nullptr;
  // Enclosures along a curve: they read boxes of t, x, and ẋ, ẍ in the place of X, middle and radius side by side.
  Kernel event_bends = nullptr;   // → g̈ of all event functions, middle and radius side by side
  Kernel event_bounds = nullptr;  // → g, then ġ, then g̈ likewise
};

/// A model as native code. Immutable, shared by all threads; parameters, time and state are arguments.
class Kernels {
 public:
  /// Compiles for the given widths (1, 2, 4, 8), side by side on the machine's processors.
  Kernels(const Model& model, const KernelOptions& options, const std::vector<unsigned>& widths = {1});

  ~Kernels();
  Kernels(const Kernels&) = delete;
  Kernels& operator=(const Kernels&) = delete;

  const Layout& layout() const { return layout_; }
  const KernelSet& at(unsigned width) const { return sets_.at(width).functions; }
  /// The kernel of `inverse_dynamics_bounds`: most runs never need it, so it is compiled when first asked for.
  /// Any thread may ask.
  Kernel inverse_dynamics_bounds(unsigned width) const;
  /// What of the field may be narrower than a step shows, and its kernel, compiled likewise; it must have rows.
  const FieldDiscs& field_discs() const { return field_discs_; }
  Kernel field_disc_bounds(unsigned width) const;
  /// True if every mode is linear with harmonic, polynomial or constant forcing: `first_nonlinearity` found none.
  bool is_piecewise_linear() const { return piecewise_linear_; }
  /// Which translations of the state change nothing.
  const Invariance& invariance() const { return invariance_; }
  /// A number of its own for each Kernels of the process.
  std::uint64_t serial() const { return serial_; }
  /// Programs as compiled, for the interpreter and for printing.
  const std::vector<NamedProgram>& programs() const { return programs_; }
  const Program& program(const std::string& name) const;

 private:
  struct Compiled {
    std::vector<NativeCode> code;
    KernelSet functions;
  };
  struct OnDemand;  // what is compiled when it is first asked for
  const Program& lowered_inverse_dynamics(OnDemand& held) const;
  Kernel compiled(const std::string& name, unsigned width, const Program& program, Effort effort) const;
  Layout layout_;
  bool piecewise_linear_;
  Invariance invariance_;
  std::uint64_t serial_;
  std::vector<NamedProgram> programs_;
  FieldDiscs field_discs_;
  std::map<unsigned, Compiled> sets_;
  std::unique_ptr<OnDemand> on_demand_;
};

}  // namespace saltus
