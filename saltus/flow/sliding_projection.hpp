#pragma once

#include <span>
#include <vector>

#include "saltus/base/lane_array.hpp"
#include "saltus/flow/mode.hpp"
#include "saltus/kernel/kernels.hpp"

namespace saltus {

/// Removes the drift of closed contacts (h = 0, γ = 0) and of the switches slid along (s = 0) from a state and the columns
/// of its tangent, in the metric of M: q ← q − M⁻¹ W G⁻¹ h twice, v ← v − M⁻¹ W G⁻¹ γ, and the columns likewise with the
/// derivatives of h and γ; then (v, z) along what each s has for itself. Every sliding step ends with it, so it works in memory of its own, and on all lanes that slide.
class SlidingProjection {
 public:
  SlidingProjection(const Kernels& kernels, unsigned width);

  /// Where it is done: time, parameter inputs, the mode as kernels read it, and the same of each lane; lanes without one are
  /// left alone. Component i of lane l stands at [i * width + l].
  struct At {
    const double* t;
    const double* p;
    const double* inputs;
    std::span<const Mode* const> modes;
  };
  void project_state(const At& at, double* x);
  /// The columns X, ordered as in Layout, of a state that has been projected.
  void project_columns(const At& at, const double* x, double* X);

 private:
  void look_at_contacts(const At& at, const double* x);
  void factorise(std::size_t lane);
  void solve(std::size_t lane);
  void move(std::size_t lane, std::size_t first, double* to) const;
  void project_contacts(const At& at, double* x);
  void project_switches(const At& at, double* x);
  void list_closed(const At& at);
  void find_own(const Mode& mode, std::size_t lane);
  void project_column(std::size_t lane, std::size_t c, double* X);
  double along(std::size_t row, std::size_t lane, const double* X, std::size_t c) const;
  double contact(std::size_t i, std::size_t lane) const { return contact_[i * width_ + lane]; }
  double jet(std::size_t row, std::size_t i, std::size_t lane) const {
    return jets_[(row * layout_.jet_size() + i) * width_ + lane];
  }

  const Layout& layout_;
  const KernelSet& functions_;
  std::size_t width_;
  std::vector<std::vector<std::size_t>> closed_;  // of each lane
  bool some_closed_ = false;
  LaneArray contact_, jets_, events_, no_rate_;
  std::vector<std::vector<double>> delassus_;  // of each lane: L and D of G = L D Lᵀ of the closed contacts
  /// Of a switch slid along: ∂s/∂(v, z) without what the closed contacts and the switches before it keep, and its square.
  struct Own {
    std::size_t which;
    double square;
    std::vector<double> direction;
  };
  std::vector<Own> own_;  // of one lane, those of its closed contacts first
  std::size_t owned_ = 0;  // how many of them there are
  std::vector<double> excess_;  // h or γ of the closed contacts of a lane, then G⁻¹ of it
};

}  // namespace saltus
