#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "saltus/base/lane_array.hpp"
#include "saltus/flow/curve_bounds.hpp"
#include "saltus/flow/lane_stepper.hpp"
#include "saltus/kernel/kernels.hpp"

namespace saltus {

// A step knows the force at its stages only. A pulse between them, exp(−((x − c)/w)²) with w much shorter than the step, is nothing at all
// of them, and so is the estimated error. What may lie between is bounded: along the step's polynomial x(s), |s| ≤ 1, the rows of
// R = (M v̇ − f, ż − r) are analytic functions of s, and if they stay within r of a number for all complex |s| ≤ ρ, then all that they
// have beside a polynomial of degree 7, which the stages do see, is at most r ρ⁻⁸/(1 − 1/ρ) (Cauchy). Where this is not small enough the
// step is gone through in pieces, of which each is small enough for such a polynomial, and its defect ẋ − F(x) is sampled there at
// eight places, which tell all of it.

/// What the stages of a step cannot have seen of the force.
class UnseenForce {
 public:
  /// Of a step: ∫ |defect| ≤ permitted · (rtol |x| + atol).
  static constexpr double permitted = 1000.0;

  /// Nothing, if the model has no function that could hide anything.
  static std::optional<UnseenForce> of(const Kernels& kernels, unsigned width);

  /// Looks at the last trials of all lanes, by their ends.
  void look(LaneStepper& stepper);
  /// Did the ends prove that nothing is hidden?
  bool shows_all(std::size_t lane) const { return shows_all_[lane]; }

  /// ẋ of a lane in its mode.
  using Field = std::function<void(double t, const double* x, double* rate)>;
  /// Looks at one lane by its dense output, which must be ready. The first part of the step in which the polynomial is not the motion, or
  /// may not be.
  std::optional<Part> first_unseen(LaneStepper& stepper, std::size_t lane, const Field& field);

 private:
  UnseenForce(const Kernels& kernels, unsigned width);
  /// The trial that is looked at.
  struct Trial {
    double t = 0.0;
    double h = 0.0;
    double rtol = 0.0;
    double reach = 0.0;  // ρ
    double tail = 0.0;  // ρ⁻⁸/(1 − 1/ρ)
    std::vector<double> tolerance = {};  // of v̇ and ż: what the defect may be
    std::vector<double> weights = {};  // largest |w| of the switches that are slid along; others 0
  };
  void choose(LaneStepper& stepper, std::size_t lane);
  void put(LaneArray& discs, std::size_t i, std::size_t lane, double middle, double radius);
  void fill_by_ends(LaneStepper& stepper, std::size_t lane);
  void fill(std::size_t slot, const Part& part);
  bool is_resolved(std::size_t slot, double length) const;
  bool has_defect(const Part& part, const Field& field);
  std::optional<Part> search(const Part& part, const Field& field);

  const Layout& layout_;
  const FieldDiscs& discs_;
  std::size_t width_;
  Kernel kernel_;
  std::array<bool, 8> shows_all_{};
  int splits_ = 0;
  Trial trial_;
  LaneArray p_, mode_, t_disc_, x_disc_, rate_disc_, out_;
  std::vector<double> coefficients_, x_, slope_, rate_;
};

/// Is there enough of the trial before it for a step of its own?
bool lies_ahead(const Part& unseen);
/// How much of a trial to try next: up to what is unseen, or into it.
double part_to_try(const Part& unseen);

}  // namespace saltus
