#pragma once

#include <vector>

#include "saltus/numerics/vectors.hpp"

namespace saltus {

/// Gauss' rule on [0, 1].
struct GaussRule {
  std::vector<double> places, weights;
  explicit GaussRule(std::size_t count);
};

/// Lagrange's polynomials of a degree at Chebyshev-Lobatto nodes of [0, 1] (the space they span does not depend on the nodes).
class ElementShape {
 public:
  explicit ElementShape(std::size_t degree);
  const std::vector<double>& nodes() const { return nodes_; }

  /// Values, first and second derivatives of all at θ.
  struct At {
    Vector N, dN, ddN;
  };
  At at(double theta) const;

 private:
  std::size_t degree_;
  std::vector<double> nodes_;
};

}  // namespace saltus
