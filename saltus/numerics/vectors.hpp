#pragma once

#include <Eigen/Core>
#include <cstddef>

namespace saltus {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using Index = Eigen::Index;

/// Eigen counts with signed numbers, the standard library with unsigned ones.
inline Index index(std::size_t i) { return static_cast<Index>(i); }

}  // namespace saltus
