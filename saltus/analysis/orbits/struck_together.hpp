#pragma once

#include <string>
#include <vector>

#include "saltus/analysis/orbits/orbit_plan.hpp"
#include "saltus/flow/contact_law.hpp"

namespace saltus {

/// An impact of an instant in which several contacts are struck, as the end of a segment.
struct TogetherStruck {
  SegmentEnd end;
  Vector x_plus;
};

/// The contacts `struck` at the time t as a sequence that can be kept while parameters move:
/// - contacts that approach and do not move each other (their entry of WᵀM⁻¹W is zero) are struck one after the other, each at its
///   own time, which here is the same one: whichever a disturbed motion meets first, it ends alike;
/// - closed contacts that the impulse presses on have no time of their own: they are struck with the one that is met.
/// Everything else depends on which is met first, and has no derivative: `problem`.
struct TogetherReading {
  std::vector<TogetherStruck> impacts;
  std::string problem;
};
TogetherReading read_together(const Mechanism& mechanism, ImpactLaw law, double t, const Vector& x_minus,
                              const std::vector<std::size_t>& struck);

/// The jump at an impact that ends a segment, behind the jump so far.
Jump struck_by(const Jump& before, const Mechanism& mechanism, double t, const SegmentEnd& end);

/// The contacts struck in the instant in which segment i ends.
std::vector<std::size_t> struck_with(const OrbitPlan& plan, std::size_t i);

}  // namespace saltus
