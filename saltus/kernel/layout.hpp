#pragma once

#include <cstddef>
#include <vector>

namespace saltus {

/// A parameter that moves when a varied one does, because its value in the model file is an expression of it.
/// Its rate ∂p[follower]/∂p[varied] is an input of the kernels.
struct Follower {
  std::size_t column;    // index into Layout::varied
  std::size_t parameter;
};

/// Sizes of everything a kernel reads and writes, and where it stands in the arrays.
///   t      1
///   x      (q, v, z): N = 2n + first_order
///   p      the parameters, then one rate per follower
///   mode   contact masks aᵢ ∈ {0,1} (m), switch signs σₖ = ±1 (s), Filippov masks φₖ ∈ {0,1} (s),
///          elasticities kᵢ ∈ {0,1} (m): the impact map uses kᵢ eᵢ as the restitution of contact i
///   X      columns of the tangent, each N long
struct Layout {
  std::size_t n = 0;
  std::size_t first_order = 0;
  std::size_t contacts = 0;
  std::size_t switches = 0;
  std::size_t parameters = 0;
  std::size_t surfaces = 0;
  std::size_t observables = 0;
  std::size_t state_columns = 0;
  std::vector<std::size_t> varied;  // parameters that have a column of their own, behind the state columns
  std::vector<Follower> followers;

  std::size_t N() const { return 2 * n + first_order; }
  std::size_t columns() const { return state_columns + varied.size(); }
  std::size_t parameter_inputs() const { return parameters + followers.size(); }
  std::size_t mode_size() const { return 2 * contacts + 2 * switches; }
  std::size_t contact_mask(std::size_t i) const { return i; }
  std::size_t sign(std::size_t k) const { return contacts + k; }
  std::size_t filippov_mask(std::size_t k) const { return contacts + switches + k; }
  std::size_t elasticity(std::size_t i) const { return contacts + 2 * switches + i; }
  /// Directions of the impact map's derivative: q, v, t, varied parameters.
  std::size_t impact_directions() const { return 2 * n + 1 + varied.size(); }
  /// Directions of a jet: x, t, varied parameters.
  std::size_t jet_size() const { return N() + 1 + varied.size(); }
};

}  // namespace saltus
