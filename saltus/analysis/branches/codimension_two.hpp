#pragma once

#include "saltus/analysis/branches/orbit_branch.hpp"

namespace saltus {

/// μ + 1/μ of the pair whose product is nearest to 1: 2 cos θ of a pair on the unit circle, beyond ±2 of two real ones, a neutral saddle.
double sum_of_pair(const std::vector<std::complex<double>>& multipliers);

/// What may happen besides on a curve of special orbits, in the order of the test functions.
std::vector<SpecialKind> codimension_kinds(SpecialKind curve);

/// Their test functions on an orbit of the curve. On curves of folds, doublings and tori they are functions of the multipliers, symmetric and so smooth where
/// two of them meet, and the coefficients of normal forms. Of grazing orbits they take the multipliers of the orbit without the impact.
std::vector<double> codimension_tests(const HybridOrbit& orbits, const Vector& y, SpecialKind curve,
                                      const std::vector<std::complex<double>>& multipliers);

/// The multipliers are what the kind says.
bool fits_multipliers(SpecialKind kind, const std::vector<std::complex<double>>& multipliers);

/// The curve ends there: what it consists of is something else beyond.
bool ends_curve(SpecialKind curve, SpecialKind met);

/// What a point of codimension two is, beside what its curve consists of.
std::string codimension_words(SpecialKind curve, SpecialKind met);

}  // namespace saltus
