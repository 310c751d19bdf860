#pragma once

#include <cmath>
#include <complex>
#include <string_view>
#include <vector>

#include <Eigen/Core>

namespace saltus {

/// One Floquet multiplier.
struct Multiplier {
  std::complex<double> value;
  bool annihilated = false;  // exactly zero: contact destroys this direction
  bool trivial = false;      // 1 by theory: along the motion of an autonomous system, or along a cyclic direction
  bool cyclic = false;       // the latter
  bool doubled = false;  // one of several that are nearly the same on the unit circle: errors move it off the circle
  bool resolved = true;  // false: the error of the factors is larger than what they leave of this direction
  double log_abs = std::log(std::abs(value));  // also of values that no floating-point number is as small as
};

/// One factor of a product of tangents. Directions are only taken for annihilated where contact may do so (sliding, impacts without
/// rebound): strong contraction alone loses none.
struct TangentFactor {
  Eigen::MatrixXd matrix;
  bool may_annihilate = false;
};

/// Smallest over largest singular value of a factor, those of annihilated directions left out: what is below the relative error of the
/// tangent, seen from its largest column, is not known. Factors of long contraction are to be cut until each of them is known.
double contraction(const TangentFactor& factor);

/// A factor that contracts more is cut: its smallest direction would be known to less than eight digits.
constexpr double strongest_contraction = 1e-3;

/// The eigenvalues of A_m … A_1, largest modulus first, without forming the product: periodic QR iteration
///   A_j Q_{j−1} = Q_j R_j,  j = 1 … m, again and again,
/// makes all R_j upper triangular in one moving frame, so that the eigenvalues are those of the diagonal blocks, multiplied block by
/// block. Multipliers of very different size are thus each found to their own relative accuracy.
/// `error`: of each factor, relative to its norm. Multipliers are resolved if such errors change them by less than a thousandth.
std::vector<Multiplier> multipliers(const std::vector<TangentFactor>& factors, double error = 0.0);

/// Marks the multipliers nearest to 1: one of an autonomous motion, and one for each cyclic direction.
void mark_trivial(std::vector<Multiplier>& multipliers, bool autonomous = true, std::size_t cyclic = 0);

/// What becomes of a small disturbance of an orbit.
enum class Stability { stable, unstable, neutral };
std::string_view name_of(Stability stability);

/// All but the trivial multipliers lie inside the unit circle; one lies outside; none lies outside, but one on it to within its error
/// (1e-6; more where several are nearly the same, see Multiplier::doubled), so that it decides nothing.
Stability stability_of(const std::vector<Multiplier>& multipliers);
Stability stability_of(const std::vector<std::complex<double>>& nontrivial);

/// Whether all but the trivial ones lie inside the unit circle.
bool is_stable(const std::vector<Multiplier>& multipliers);

}  // namespace saltus
