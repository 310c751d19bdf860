#pragma once

#include <Eigen/Core>

namespace saltus {

// Zero and the hull of a few points, the columns of a matrix. Rows may have units of their own.

/// The shortest x with |A x − b| least. Rows of A that are the same up to the noise of differences count as one.
Eigen::VectorXd solution_despite_noise(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);

/// α with Σ α = 1 and Σ α_c y_c = 0, as near to equal weights as possible; least squares if there is none.
Eigen::VectorXd weights_of_zero(const Eigen::MatrixXd& points);

/// By how much the hull must be stretched about its middle for zero to lie on its edge: below 1 it lies inside; infinite if no
/// stretching helps.
double gauge_of_zero(const Eigen::MatrixXd& points);

/// An orthonormal basis of the directions in which the points differ: no column if all are one.
Eigen::MatrixXd directions_of_hull(const Eigen::MatrixXd& points);

/// 0: all points are one, 1: they lie on a line, …
Eigen::Index dimension_of_hull(const Eigen::MatrixXd& points);

}  // namespace saltus
