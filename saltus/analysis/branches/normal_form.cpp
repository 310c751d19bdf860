#include "saltus/analysis/branches/normal_form.hpp"

#include <array>
#include <cmath>

#include "saltus/numerics/decompositions.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

using Complex = std::complex<double>;
using ComplexVector = Eigen::VectorXcd;

constexpr std::array longest_probes = {1.6e-2,
                                       4e-3};  // in units of the scale; the shorter where the equations bend much
constexpr double doubt = 0.05;  // of the terms of a coefficient: as far may it change when the probe is halved

/// Complex matrices and vectors as real ones of twice the size.
Matrix in_reals(const Matrix& re, const Matrix& im) {
  const Index n = re.rows();
  Matrix all(2 * n, 2 * n);
  all << re, -im, im, re;
  return all;
}
Vector in_reals(const ComplexVector& v) {
  Vector all(2 * v.size());
  all << v.real(), v.imag();
  return all;
}
ComplexVector from_reals(const Vector& v) {
  const Index n = v.size() / 2;
  return v.head(n).cast<Complex>() + Complex(0.0, 1.0) * v.tail(n).cast<Complex>();
}

/// The equations of the disturbances of one period.
class PeriodEquations {
 public:
  PeriodEquations(const HybridOrbit& orbits, const Vector& y)
      : orbits_(orbits), y_(y), n_(y.size() - index(orbits.system().rates.count())), E_(orbits.closing()) {
    if (const auto G_u = jacobian(Vector::Zero(n_))) G_u_ = *G_u;
  }

  bool known() const { return G_u_.size() > 0 && orbits_.plan().translations.drifts() == 0; }
  const Matrix& E() const { return E_; }

  /// L(z) in real and imaginary part, as a real matrix of twice the size.
  Matrix L(Complex z) const { return in_reals(G_u_ + (1.0 - z.real()) * E_, -z.imag() * E_); }
  Matrix L(double z) const { return G_u_ + (1.0 - z) * E_; }

  /// B(a, ·) and C(a, a, ·) by central differences.
  struct Derivatives {
    Matrix B, C;
  };
  std::optional<Derivatives> along(const Vector& a, double probe) const {
    const auto after = jacobian(probe * a);
    const auto before = jacobian(-probe * a);
    if (!after || !before) return std::nullopt;
    return Derivatives{(*after - *before) / (2.0 * probe), (*after - 2.0 * G_u_ + *before) / (probe * probe)};
  }

 private:
  std::optional<Matrix> jacobian(const Vector& moved) const {
    Vector y = y_;
    y.head(n_) += moved.cwiseProduct(orbits_.scale().head(n_));
    const auto jet = orbits_.jet(y);
    if (!jet || !jet->jacobian.allFinite()) return std::nullopt;
    return Matrix(jet->jacobian.leftCols(n_) * orbits_.scale().head(n_).asDiagonal());
  }

  const HybridOrbit& orbits_;
  const Vector& y_;
  Index n_;
  Matrix E_, G_u_;
};

/// A sum whose terms may cancel: its value and their size.
struct Coefficient {
  double value = 0.0;
  double size = 0.0;
};

/// Extrapolated from three probes, each half as long as the one before: errors of the second and of the fourth order vanish, and the probes are so
/// long that rounding errors of second differences stay small. Nothing if they disagree.
template <class OfProbe>
std::optional<double> extrapolated(const OfProbe& of_probe) {
  for (const double longest : longest_probes) {
    const std::optional<Coefficient> coarse = of_probe(longest), middle = of_probe(0.5 * longest),
                                     fine = of_probe(0.25 * longest);
    if (!coarse || !middle || !fine) continue;
    if (!(std::abs(coarse->value - middle->value) < doubt * fine->size)) continue;
    const double first = (4.0 * middle->value - coarse->value) / 3.0;
    const double second = (4.0 * fine->value - middle->value) / 3.0;
    return (16.0 * second - first) / 15.0;
  }
  return std::nullopt;
}

bool is_regular(const LuFactors& lu) { return lu.rcond() > 1e-14; }

}  // namespace

std::optional<double> fold_coefficient(const HybridOrbit& orbits, const Vector& y) {
  const PeriodEquations equations(orbits, y);
  if (!equations.known()) return std::nullopt;
  const SingularFactors factors = singular_factors(equations.L(1.0));
  const Vector v = factors.V.rightCols(1), w = factors.U.rightCols(1);
  const double speed = w.dot(equations.E() * v);
  return extrapolated([&](double probe) -> std::optional<Coefficient> {
    const auto at = equations.along(v, probe);
    if (!at) return std::nullopt;
    const Vector B = at->B * v;
    return Coefficient{0.5 * w.dot(B) / speed, 0.5 * B.norm() / std::abs(speed)};
  });
}

std::optional<double> doubling_coefficient(const HybridOrbit& orbits, const Vector& y) {
  const PeriodEquations equations(orbits, y);
  if (!equations.known()) return std::nullopt;
  const SingularFactors factors = singular_factors(equations.L(-1.0));
  const Vector v = factors.V.rightCols(1), w = factors.U.rightCols(1);
  const double speed = w.dot(equations.E() * v);
  const LuFactors once(equations.L(1.0));
  if (!is_regular(once)) return std::nullopt;
  return extrapolated([&](double probe) -> std::optional<Coefficient> {
    const auto at = equations.along(v, probe);
    if (!at) return std::nullopt;
    const Vector h = once.solve(-0.5 * at->B * v);
    const double quadratic = w.dot(at->B * h), cubic = w.dot(at->C * v) / 6.0;
    return Coefficient{(quadratic + cubic) / speed, (std::abs(quadratic) + std::abs(cubic)) / std::abs(speed)};
  });
}

std::optional<double> torus_coefficient(const HybridOrbit& orbits, const Vector& y, Complex mu) {
  const PeriodEquations equations(orbits, y);
  if (!equations.known()) return std::nullopt;
  mu /= std::abs(mu);
  const SingularFactors factors = singular_factors(equations.L(mu));
  const ComplexVector v = from_reals(factors.V.rightCols(1)), w = from_reals(factors.U.rightCols(1));
  const Vector a = v.real(), b = v.imag();
  const Complex speed = w.dot(equations.E() * v);  // conjugate in w
  const LuFactors once(equations.L(1.0)), twice(equations.L(mu * mu));
  if (!is_regular(once) || !is_regular(twice)) return std::nullopt;
  return extrapolated([&](double probe) -> std::optional<Coefficient> {
    const auto by_a = equations.along(a, probe), by_b = equations.along(b, probe);
    if (!by_a || !by_b) return std::nullopt;
    const Complex i(0.0, 1.0);
    const auto B = [&](const ComplexVector& u) -> ComplexVector { return by_a->B * u + i * (by_b->B * u); };  // B(v, u)
    const auto B_bar = [&](const ComplexVector& u) -> ComplexVector { return by_a->B * u - i * (by_b->B * u); };
    const Vector h11 = once.solve(-(by_a->B * a + by_b->B * b));
    const ComplexVector h20 = from_reals(twice.solve(in_reals(ComplexVector(-0.5 * B(v)))));
    const ComplexVector C =
        (by_a->C * a + by_b->C * a).cast<Complex>() + i * (by_a->C * b + by_b->C * b).cast<Complex>();
    const Complex terms[] = {0.5 * w.dot(C), w.dot(B(h11.cast<Complex>())), w.dot(B_bar(h20))};
    Coefficient sum;
    for (const Complex& term : terms) {
      sum.value += (term / speed / mu).real();
      sum.size += std::abs(term / speed);
    }
    return sum;
  });
}

}  // namespace saltus
