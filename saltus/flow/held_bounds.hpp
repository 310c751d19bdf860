#pragma once

#include <optional>
#include <span>
#include <vector>

#include "saltus/flow/curve_bounds.hpp"
#include "saltus/flow/held_field.hpp"
#include "saltus/flow/held_pushes.hpp"

namespace saltus {

/// Where a hold ends along a polynomial, by bounds. With R = (M v̇ − f, ż − r) of each side σ the motion is held as long as
///   Σ α_σ R_σ = 0,  Σ α_σ = 1,  α ≥ 0
/// has a solution: zero lies in the hull of the R_σ. Over part of the step each lies in a box about its middle. In the directions in which
/// the sides differ zero lies in the hull of whatever points these boxes hold, if the hull of the middles contains a box as large about
/// zero: a plane with zero on one side of it and all points on the other would have the middles no farther from zero than the box reaches.
/// Closed contacts push beside the hold (HeldPushes); their forces must stay positive.
/// Beside these directions zero lies in the plane of the R_σ by what the held motion is, and R is the polynomial's own error.
class HeldBounds {
 public:
  explicit HeldBounds(const Kernels& kernels);

  /// x(θ) = Σ_k coefficients[k · N + i] θᵏ, θ ∈ [0, 1] over the time h.
  struct Curve {
    double t, h;
    std::span<const double> parameters;
    std::vector<double> coefficients;
    std::vector<double> slack;  // a row of ∫R dt that is no larger on any side is nothing beside the tolerance
  };
  struct Finding {
    enum class Kind {
      none,  // held all along
      crossing,  // let go between `lower` and `upper`, and not before
      open,  // not decided behind `lower`
    };
    Kind kind = Kind::none;
    double lower = 0.0, upper = 0.0;
    std::optional<std::size_t> contact = {};  // of a crossing: the hold lasts, but this contact opens
  };
  /// Nothing where no bounds are known: with slides beside the hold, closed contacts that push where the sides differ or do not press, and
  /// roots beside closed contacts or on surfaces that move; or where zero lies on the edge of the hull all the time.
  std::optional<Finding> first_end(const Curve& curve, const HeldField& field);

 private:
  bool applies() const;
  Finding search(Part part);
  bool stays(Part part);
  bool surrounds(const Matrix& middle, const Vector& radius) const;
  void fill(Part part);
  void look(std::size_t side, const Vector& off, Vector& middle, Vector& radius);
  Vector state_at(double theta) const;
  double gauge_at(double theta) const;
  std::optional<Finding> end_in(Part part) const;

  const Kernels& kernels_;
  const Layout& layout_;
  Kernel dynamics_ = nullptr;
  const Curve* curve_ = nullptr;
  const HeldField* field_ = nullptr;
  HeldPushes pushes_;
  double beyond_ = 0.0;  // a gauge that is a release
  int splits_ = 0;
  std::vector<double> shifted_;
  LaneArray t_box_, x_box_, X_box_, out_;
};

}  // namespace saltus
