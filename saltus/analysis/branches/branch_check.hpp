#pragma once

#include "saltus/analysis/branches/orbit_branch.hpp"

namespace saltus {

/// Which kind of special point a zero of a test function is.
SpecialKind special_kind_of(std::size_t test);
/// The zero of the test function that tells the halves of a doubled orbit apart.
bool is_birth(std::size_t test);

/// The eigenvector of the monodromy matrix whose multiplier is nearest to a number.
Eigen::VectorXcd eigenvector_near(const Matrix& monodromy, std::complex<double> wanted);

/// A zero of a test function as a special point of the branch, held against what defines it: LP and BP need a multiplier 1, PD −1, NS a pair on
/// the unit circle, GR and SL something that vanishes. Nothing if it is none.
std::optional<BranchPoint> confirmed(const HybridOrbit& problem, const CurvePoint& at, BranchPoint point,
                                     const ContinuationOptions& options);

/// Of points in their order along a branch. Where a multiplier lies on the unit circle the orbit is neutral; a grazing or sliding orbit is what its
/// neighbours are.
void judge_stability(std::vector<BranchPoint>& points);

/// Beside an orbit of a family lie others that stay there: none attracts, and one multiplier is 1, whatever rounding makes of it. The others tell whether
/// it is unstable.
void judge_family(std::vector<BranchPoint>& points);

/// Where the sequence of an orbit of k returns ends it may be the one orbit of fewer returns that loses its sequence there, too: the
/// note says so.
bool is_of_fewer_returns(BranchPoint& point, std::size_t k, const Vector& sizes);

}  // namespace saltus
