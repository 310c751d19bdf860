#include <cmath>
#include <utility>

#include "saltus/analysis/branches/orbit_family.hpp"
#include "saltus/numerics/decompositions.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

constexpr double apart_by = 1e-5;  // of Jacobians
constexpr double largest_b = 1e-8;  // a larger b is no crossing

/// Orbits in which two branches in the last parameter cross, by equations that are regular there:
///   G(y) + b ψ = 0,   g₁(y) = g₂(y) = 0,   with  J vₖ + gₖ ψ = 0,  Vᵀvₖ = eₖ,
/// J without the column of the second parameter, in the unknowns (b, y). V and ψ span the kernels of J and Jᵀ at the start and follow the curve.
class Crossings : public OrbitFamily {
 public:
  Crossings(std::shared_ptr<const HybridOrbit> orbits, const SecondBounds& second)
      : owned_(std::move(orbits)), orbits_(*owned_), second_(second) {}

  const HybridOrbit& orbits() const override { return orbits_; }
  Vector of_orbit(const Vector& Y) const override { return Y.tail(Y.size() - 1); }
  Vector with_orbit(const Vector& y) const override {
    Vector all(y.size() + 1);
    all << 0.0, y;
    return all;
  }
  std::unique_ptr<OrbitFamily> over(const std::shared_ptr<const HybridOrbit>& orbits) const override {
    return std::make_unique<Crossings>(orbits, second_);
  }
  SpecialKind along() const override { return SpecialKind::branch_point; }
  Vector scale() const override {
    Vector all(orbits_.scale().size() + 1);
    all << 1.0, orbits_.scale();
    return all;
  }

  bool anchored_at(const Vector& Y) const override {
    orbits_.anchored_at(of_orbit(Y));
    const auto jet = orbits_.jet(of_orbit(Y));
    if (!jet) return false;
    const SingularFactors factors = singular_factors(at_fixed_second(jet->jacobian * orbits_.scale().asDiagonal()));
    V_ = factors.V.rightCols(2);
    psi_ = factors.U.rightCols(1);
    return true;
  }
  Vector without_phase(const Vector& Y, const Vector& tangent) const override {
    Vector across = tangent;
    across.tail(tangent.size() - 1) = orbits_.without_phase(of_orbit(Y), of_orbit(tangent));
    return across;
  }

  std::optional<Jet> jet(const Vector& Y) const override {
    const Vector y = of_orbit(Y);
    const Vector size = orbits_.scale();
    const auto base = orbits_.jet(y);
    if (!base || !base->jacobian.allFinite()) return std::nullopt;
    const Index n = base->residual.size();  // of the unknowns y there are n + 2
    Matrix larger = Matrix::Zero(n + 2, n + 2);  // [J ψ; Vᵀ 0]
    larger.topLeftCorner(n, n + 1) = at_fixed_second(base->jacobian * size.asDiagonal());
    larger.topRightCorner(n, 1) = psi_;
    larger.bottomLeftCorner(2, n + 1) = V_.transpose();
    const LuFactors lu(larger);
    if (!(lu.rcond() > 1e-15)) return std::nullopt;
    const Vector left = LuFactors(larger.transpose()).solve(Vector::Unit(n + 2, n + 1));  // wᵀJ + uᵀVᵀ = 0, wᵀψ = 1
    Jet whole{Vector(n + 2), Matrix::Zero(n + 2, n + 3)};
    whole.residual.head(n) = base->residual + Y[0] * psi_;
    whole.jacobian.topLeftCorner(n, 1) = psi_;
    whole.jacobian.topRightCorner(n, n + 2) = base->jacobian;
    for (Index k = 0; k < 2; ++k) {
      const Vector solved = lu.solve(Vector::Unit(n + 2, n + k));
      Vector apart = Vector::Zero(n + 2);
      apart.head(n) = solved.head(n);
      apart[n + 1] = solved[n];
      apart = apart_by * apart.cwiseProduct(size);
      const auto after = orbits_.jet(y + apart), before = orbits_.jet(y - apart);
      if (!after || !before) return std::nullopt;
      whole.residual[n + k] = solved[n + 1];
      whole.jacobian.row(n + k).tail(n + 2) =
          -left.head(n).transpose() * (after->jacobian - before->jacobian) / (2.0 * apart_by);  // ∂gₖ = −wᵀ G_yy vₖ
    }
    return whole;
  }

  enum Test : std::size_t { lower_bound_test, upper_bound_test, brink_test };
  std::vector<double> tests(const Vector& Y) const override {
    const double r = Y[Y.size() - 2];
    const auto brink = smallest(Y);
    return {r - second_.lower, second_.upper - r, brink ? brink->value : 1.0};
  }
  bool ends_at(std::size_t) const override { return true; }
  FamilyPoint met(const Vector& Y, std::size_t test) const override {
    if (test != brink_test) return {.is_bound = true};
    return lost_sequence(smallest(Y).value_or(Brink{}));
  }

 private:
  /// Without the column of the second parameter, which stands before that of the first.
  static Matrix at_fixed_second(const Matrix& jacobian) {
    const Index n = jacobian.rows();
    Matrix without(n, n + 1);
    without << jacobian.leftCols(n), jacobian.rightCols(1);
    return without;
  }

  std::optional<Brink> smallest(const Vector& Y) const {
    std::optional<Brink> found;
    for (const Brink& brink : orbits_.report(of_orbit(Y)).brinks)
      if (!found || brink.value < found->value) found = brink;
    return found;
  }

  std::shared_ptr<const HybridOrbit> owned_;
  const HybridOrbit& orbits_;
  SecondBounds second_;
  mutable Matrix V_;
  mutable Vector psi_;
};

}  // namespace

Branch branch_point_curve(const OrbitSystem& system, const BranchPoint& at, const BranchOptions& options,
                          const SecondBounds& second) {
  const auto orbits = std::make_shared<const HybridOrbit>(system, at.orbit, scales_of(options, second));
  const auto family = std::make_shared<const Crossings>(orbits, second);
  const Vector guess = family->with_orbit(orbits->unknowns(at.orbit));
  if (!family->anchored_at(guess)) return without_curve("the equations of the orbit have no derivative here");
  const Correction start = corrected(*family, guess, Vector::Unit(guess.size(), guess.size() - 2), options.curve, 15);
  if (!start.converged()) return without_curve("the special point itself is not a solution of its defining equations");
  const auto refusal = [](const OrbitFamily&, const Vector& Y) -> std::string {
    return std::abs(Y[0]) < largest_b ? "" : "beyond, the branches no longer cross: they only come near each other";
  };
  if (!refusal(*family, start.y).empty()) return without_curve("two branches only come near each other here");
  return followed_family(family, start.y, at.label, options, refusal, false);
}

}  // namespace saltus
