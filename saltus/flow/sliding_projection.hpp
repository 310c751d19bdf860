#pragma once

#include <span>
#include <vector>

#include "saltus/flow/mode.hpp"
#include "saltus/kernel/kernels.hpp"

namespace saltus {

/// Removes the drift of closed contacts (h = 0, γ = 0) and of the switches slid along (s = 0) from a state and the columns
/// of its tangent, in the metric of M: q ← q − M⁻¹ W G⁻¹ h twice, v ← v − M⁻¹ W G⁻¹ γ, and the columns likewise with the
/// derivatives of h and γ. Every sliding step ends with it, so it works in memory of its own.
class SlidingProjection {
 public:
  explicit SlidingProjection(const Kernels& kernels);

  /// Where it is done: time, parameter inputs, the mode and the same as kernels read it.
  struct At {
    double t;
    const double* p;
    const Mode& mode;
    const double* inputs;
  };
  void project_state(const At& at, std::span<double> x);
  /// The columns X, ordered as in Layout, of a state that has been projected.
  void project_columns(const At& at, std::span<const double> x, std::span<double> X);

 private:
  void look_at_contacts(const At& at, std::span<const double> x);
  void solve();
  void move(std::size_t first, std::span<double> to) const;
  void project_contacts(const At& at, std::span<double> x);
  void project_switch(const At& at, std::size_t k, std::span<double> x);
  void list_closed(const Mode& mode);
  void project_column(const Mode& mode, std::size_t c, std::span<double> X);
  double along(std::size_t row, std::span<const double> X, std::size_t c) const;

  const Layout& layout_;
  const KernelSet& functions_;
  std::vector<std::size_t> closed_;
  std::vector<double> contact_, jets_, events_, no_rate_;
  std::vector<double> delassus_;  // L and D of G = L D Lᵀ of the closed contacts
  std::vector<double> excess_;  // h or γ of the closed contacts, then G⁻¹ of it
};

}  // namespace saltus
