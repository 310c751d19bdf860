#include "saltus/analysis/orbits/element_shape.hpp"

#include <cmath>
#include <numbers>

namespace saltus {

/// By Newton on Legendre's polynomial.
GaussRule::GaussRule(std::size_t count) {
  const auto n = static_cast<double>(count);
  for (std::size_t i = 0; i < count; ++i) {
    double x = -std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (n + 0.5));
    double slope = 1.0;
    for (int pass = 0; pass < 100; ++pass) {
      double p0 = 1.0;
      double p1 = x;
      for (std::size_t k = 2; k <= count; ++k) {
        const auto degree = static_cast<double>(k);
        const double p2 = ((2.0 * degree - 1.0) * x * p1 - (degree - 1.0) * p0) / degree;
        p0 = p1;
        p1 = p2;
      }
      slope = n * (x * p1 - p0) / (x * x - 1.0);
      const double correction = p1 / slope;
      x -= correction;
      if (std::abs(correction) < 1e-16) break;
    }
    places.push_back(0.5 * (1.0 + x));
    weights.push_back(1.0 / ((1.0 - x * x) * slope * slope));
  }
}

ElementShape::ElementShape(std::size_t degree) : degree_(degree) {
  for (std::size_t a = 0; a <= degree; ++a)
    nodes_.push_back(0.5 * (1.0 - std::cos(std::numbers::pi * static_cast<double>(a) / static_cast<double>(degree))));
  nodes_.front() = 0.0;
  nodes_.back() = 1.0;
}

ElementShape::At ElementShape::at(double theta) const {
  const Index size = index(degree_ + 1);
  At result{Vector::Ones(size), Vector::Zero(size), Vector::Zero(size)};
  for (Index a = 0; a < size; ++a) {
    // Products with their first two derivatives, factor by factor.
    double value = 1.0;
    double first = 0.0;
    double second = 0.0;
    for (Index b = 0; b < size; ++b) {
      if (b == a) continue;
      const double scale = 1.0 / (nodes_[static_cast<std::size_t>(a)] - nodes_[static_cast<std::size_t>(b)]);
      const double factor = (theta - nodes_[static_cast<std::size_t>(b)]) * scale;
      second = second * factor + 2.0 * first * scale;
      first = first * factor + value * scale;
      value *= factor;
    }
    result.N[a] = value;
    result.dN[a] = first;
    result.ddN[a] = second;
  }
  return result;
}

}  // namespace saltus
