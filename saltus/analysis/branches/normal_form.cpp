#include "saltus/analysis/branches/normal_form.hpp"

#include <array>
#include <cmath>

#include "saltus/numerics/decompositions.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

using Complex = std::complex<double>;
using ComplexVector = Eigen::VectorXcd;

/// The longest of four probes, in units of the scale, and as much of the terms of a coefficient may change when it is halved. Rounding errors of second
/// differences fall with the square of the probe: the longest that the equations bear is the best.
struct Probe {
  double longest, doubt;
};
constexpr std::array probes = {Probe{0.128, 1e-3}, Probe{1.6e-2, 0.05}, Probe{4e-3, 0.05}};
constexpr std::size_t halvings = 4;

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

/// Extrapolated from probes each half as long as the one before: errors of the second, fourth and sixth order vanish. Nothing if the first two disagree.
template <class OfProbe>
std::optional<double> extrapolated(const OfProbe& of_probe) {
  for (const Probe& probe : probes) {
    std::array<double, halvings> values{};
    double size = 0.0;
    bool known = true;
    for (std::size_t k = 0; k < halvings && known; ++k) {
      const std::optional<Coefficient> found = of_probe(std::ldexp(probe.longest, -static_cast<int>(k)));
      known = found.has_value();
      if (!known) break;
      values[k] = found->value;
      size = found->size;
      known = k != 1 || std::abs(values[1] - values[0]) < probe.doubt * size;
    }
    if (!known) continue;
    double power = 4.0;
    for (std::size_t order = 1; order < halvings; ++order, power *= 4.0)
      for (std::size_t k = halvings; k-- > order;) values[k] = (power * values[k] - values[k - 1]) / (power - 1.0);
    return values.back();
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
