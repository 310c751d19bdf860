// One period of an orbit as a map from its start to the start of the next period.

#include "saltus/analysis/orbits/hybrid_orbit.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {

Matrix HybridOrbit::closing() const {
  const Index N = index(system_.kernels.layout().N());
  const Index m = index(plan_.segments.size());
  const Index rows = m * (N + 1) + (has_time_ ? 1 : 0);
  Matrix E = Matrix::Zero(rows, rows);
  const OrbitUnits measure = units();
  for (Index j = 0; j < N; ++j) E((m - 1) * (N + 1) + j, column_x(0) + j) = 1.0 / measure.x[j];
  if (has_time_) E(rows - 1, 0) = 1.0 / scale_[column_x(0) + N];
  return E * scale_.head(rows).asDiagonal();
}

}  // namespace saltus
