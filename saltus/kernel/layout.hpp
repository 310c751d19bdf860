#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
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
///   X      columns of the tangent: δq of all columns one after the other, then δv of all, then δz of all, so that the
///          sums of a Runge-Kutta step run over them without a gap; their rates likewise, without δq̇ = δv
struct Layout {
  /// |g|^r in a force, or in the function of a switch.
  struct Root {
    std::optional<std::size_t> switched;
    std::optional<std::size_t>
        exponent;  // the parameter that is r; nothing: a number, or an expression that may be one
    bool is_one(const double* p) const { return !exponent || (p[*exponent] > 0.0 && p[*exponent] < 1.0); }
  };

  std::size_t n = 0;
  std::size_t first_order = 0;
  std::size_t contacts = 0;
  std::size_t switches = 0;
  std::size_t parameters = 0;
  std::size_t surfaces = 0;
  std::size_t observables = 0;
  std::size_t state_columns = 0;
  bool mass_varies = false;
  bool nested_switches = false;  // a switching function depends on the side of another: events and jets read the signs
  std::vector<char> of_time_alone;  // per event function: the state does not enter, so no error of a step does
  std::vector<Root>
      roots;  // of what is zero on a surface, in forces and switching functions: their slopes are infinite there
  bool restitution_by_speed = false;  // of some contact
  std::vector<std::size_t> varied;  // parameters that have a column of their own, behind the state columns
  std::vector<Follower> followers;

  /// Are there roots, with these parameters? In any place, or in a switching function.
  bool has_roots(const double* p) const {
    return std::any_of(roots.begin(), roots.end(), [p](const Root& root) { return root.is_one(p); });
  }
  bool has_root(std::size_t k, const double* p) const {
    return std::any_of(roots.begin(), roots.end(),
                       [&](const Root& root) { return root.switched == k && root.is_one(p); });
  }

  std::size_t N() const { return 2 * n + first_order; }
  std::size_t columns() const { return state_columns + varied.size(); }
  std::size_t parameter_inputs() const { return parameters + followers.size(); }
  std::size_t mode_size() const { return 2 * contacts + 2 * switches; }
  std::size_t contact_mask(std::size_t i) const { return i; }
  std::size_t sign(std::size_t k) const { return contacts + k; }
  std::size_t filippov_mask(std::size_t k) const { return contacts + switches + k; }
  std::size_t elasticity(std::size_t i) const { return contacts + 2 * switches + i; }
  /// Where component i of column c stands in X.
  std::size_t tangent(std::size_t i, std::size_t c) const {
    if (i < n) return n * c + i;
    if (i < 2 * n) return n * (columns() + c) + i - n;
    return 2 * n * columns() + first_order * c + i - 2 * n;
  }
  /// Where the rate of component i ≥ n of column c stands behind ẋ.
  std::size_t tangent_rate(std::size_t i, std::size_t c) const { return tangent(i, c) - n * columns(); }
  std::size_t tangent_rates() const { return (n + first_order) * columns(); }
  /// Directions of the impact map's derivative: q, v, t, varied parameters.
  std::size_t impact_directions() const { return 2 * n + 1 + varied.size(); }
  /// Gaps, switches and surfaces.
  std::size_t events() const { return contacts + switches + surfaces; }
  /// What the kernel `events` writes: values and rates of all of them, ḧ of the gaps, the smallest pivot of M.
  std::size_t event_outputs() const { return 2 * events() + contacts + 1; }
  /// What the kernel `contact` writes: h, γ, ∂(e |γ|)/∂|γ| and e of all contacts, then normals, M⁻¹ normals, G.
  std::size_t contact_rate(std::size_t i) const { return contacts + i; }
  std::size_t contact_slope(std::size_t i) const { return 2 * contacts + i; }
  std::size_t contact_restitution(std::size_t i) const { return 3 * contacts + i; }
  std::size_t contact_normal(std::size_t i) const { return 4 * contacts + i * n; }
  std::size_t contact_response(std::size_t i) const { return contact_normal(contacts) + i * n; }
  std::size_t contact_delassus(std::size_t i) const { return contact_response(contacts) + i * contacts; }
  /// Of so many contacts G is written too. Of more it would be most of what is compiled, and whoever needs an entry takes the product of
  /// normal and response (`delassus_entry`).
  static constexpr std::size_t most_in_delassus_matrix = 24;
  bool has_delassus_matrix() const { return contacts <= most_in_delassus_matrix; }
  std::size_t contact_outputs() const { return contact_delassus(has_delassus_matrix() ? contacts : 0); }
  /// Directions of a jet: x, t, varied parameters.
  std::size_t jet_size() const { return N() + 1 + varied.size(); }
  /// Whose jets there are, in this order: gaps, their rates, switches, surfaces.
  std::size_t rate_jet(std::size_t i) const { return contacts + i; }
  std::size_t switch_jet(std::size_t k) const { return 2 * contacts + k; }
  std::size_t surface_jet(std::size_t s) const { return 2 * contacts + switches + s; }
  std::size_t jets() const { return surface_jet(surfaces); }
};

}  // namespace saltus
