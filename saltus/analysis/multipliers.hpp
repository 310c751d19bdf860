#pragma once

#include <complex>
#include <vector>

#include <Eigen/Core>

namespace saltus {

/// One Floquet multiplier.
struct Multiplier {
  std::complex<double> value;
  bool annihilated = false;  // exactly zero: contact destroys this direction
  bool trivial = false;      // the 1 along the motion of an autonomous system
};

/// One factor of a product of tangents. Directions are only taken for annihilated where contact may do so (sliding, impacts without
/// rebound): strong contraction alone loses none.
struct TangentFactor {
  Eigen::MatrixXd matrix;
  bool may_annihilate = false;
};

/// The eigenvalues of A_m … A_1, largest modulus first, without forming the product: periodic QR iteration
///   A_j Q_{j−1} = Q_j R_j,  j = 1 … m, again and again,
/// makes all R_j upper triangular in one moving frame, so that the eigenvalues are those of the diagonal blocks, multiplied block by
/// block. Multipliers of very different size are thus each found to their own relative accuracy.
std::vector<Multiplier> multipliers(const std::vector<TangentFactor>& factors);

/// Marks the multiplier nearest to 1.
void mark_trivial(std::vector<Multiplier>& multipliers);

/// Whether all but the trivial one lie inside the unit circle.
bool is_stable(const std::vector<Multiplier>& multipliers);

}  // namespace saltus
