#pragma once

#include <memory>

#include "saltus/analysis/branches/orbit_branch.hpp"
#include "saltus/analysis/orbits/special_hopf.hpp"

namespace saltus {

/// What the zero of a test function along a curve of orbits is.
struct FamilyPoint {
  SpecialKind kind = SpecialKind::none;  // none: it is nothing, or a bound
  std::string words = {};
  bool is_bound = false;
};

/// Orbits in two varied parameters that fulfil one condition more.
class OrbitFamily : public CurveProblem {
 public:
  virtual const HybridOrbit& orbits() const = 0;
  /// The unknowns of the orbit among those of the family.
  virtual Vector of_orbit(const Vector& y) const { return y; }
  /// The unknowns of the family with those of an orbit.
  virtual Vector with_orbit(const Vector& of_orbit) const { return of_orbit; }
  /// The same condition on the same orbits in other unknowns, as if they are cut otherwise.
  virtual std::unique_ptr<OrbitFamily> over(const std::shared_ptr<const HybridOrbit>& orbits) const = 0;
  /// What its orbits are; none if they are not special.
  virtual SpecialKind along() const = 0;
  /// What a zero of a test function is, `test` counted from 0.
  virtual FamilyPoint met(const Vector& y, std::size_t test) const = 0;
  /// Of orbits on one level of a quantity: how far that is from it. Empty for others.
  virtual LevelFunction level() const { return {}; }
  /// Multipliers to print; none where they are infinite.
  virtual std::vector<std::complex<double>> multipliers(const Vector& y) const;
};

/// The smallest distance of an orbit from losing its sequence, as a special point.
FamilyPoint lost_sequence(const Brink& brink);

/// Why an orbit is no point of a family; empty if it is one.
using FamilyRefusal = std::function<std::string(const OrbitFamily&, const Vector& y)>;

/// Follows the family to both sides of a solution, first to smaller values of the parameter that was varied second. Orbits are cut anew where they had better be.
/// `changes_sequence`: the smallest disturbance of its orbits does, so that the event-driven motion is no judge, and their cuts stay.
Branch followed_family(const std::shared_ptr<const OrbitFamily>& family, const Vector& start, const std::string& label,
                       const BranchOptions& options, const FamilyRefusal& refusal, bool changes_sequence);

/// A curve that cannot be followed.
Branch without_curve(const std::string& words);

/// Two varied parameters: their scale, the bounded one of --vary last.
Vector scales_of(const BranchOptions& options, const SecondBounds& second);

}  // namespace saltus
