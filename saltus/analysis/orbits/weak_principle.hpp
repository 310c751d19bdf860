#pragma once

#include <vector>

#include "saltus/analysis/orbits/element_shape.hpp"
#include "saltus/analysis/orbits/time_elements.hpp"
#include "saltus/analysis/orbits/time_integrands.hpp"

namespace saltus {

/// Hamilton's weak principle, element by element: residual, tangent and the kinks inside.
class WeakPrinciple {
 public:
  WeakPrinciple(const Model& model, const TimeElementOptions& chosen)
      : options(chosen), n(index(model.n())), integrands(model), shape(chosen.degree), gauss(chosen.degree + 6) {}

  Index size() const { return index(options.degree + 1); }
  Index count() const { return index(options.elements * options.degree); }
  Index node(std::size_t element, Index a) const { return (index(element * options.degree) + a) % count(); }

  /// The n × (degree + 1) values of q in an element.
  Matrix local(const Vector& nodes, std::size_t element) const {
    Matrix q(n, size());
    for (Index a = 0; a < size(); ++a) q.col(a) = nodes.segment(node(element, a) * n, n);
    return q;
  }

  Vector state(const Matrix& q, const ElementShape::At& at, double length) const {
    Vector x(2 * n);
    x << q * at.N, q * at.dN / length;
    return x;
  }

  /// Residual and tangent of one element with free ends.
  struct Element {
    Vector residual;  // (degree + 1) n
    Matrix tangent;
    double size = 0.0;
  };
  Element element(const Vector& nodes, std::size_t j, const std::vector<double>& parameters, double length) const;

  TimeElementOptions options;
  Index n;
  TimeIntegrands integrands;
  ElementShape shape;
  GaussRule gauss;

  struct Kink {
    double theta;
    std::size_t surface;
  };

  /// Where the switching functions vanish inside an element, in order: signs at samples, minima between them, bisection.
  std::vector<Kink> kinks(const Matrix& q, double begin, double length, const std::vector<double>& parameters) const;

 private:
  void add(Element& to, const ElementShape::At& at, const TimeIntegrands::Forms& forms, double weight,
           double length) const;

  /// A force that jumps at a kink makes the integral depend on where the kink lies: N (G⁻ − G⁺) ∂t/∂q.
  void add_jump(Element& to, const Matrix& q, double begin, double length, const std::vector<double>& parameters,
                const Kink& kink) const;
};

}  // namespace saltus
