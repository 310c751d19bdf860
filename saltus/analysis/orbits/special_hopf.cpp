#include "saltus/analysis/orbits/special_hopf.hpp"

#include <cmath>
#include <numbers>
#include <numeric>

#include "saltus/analysis/orbits/equilibrium.hpp"
#include "saltus/numerics/decompositions.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

using Complex = std::complex<double>;

constexpr int most_iterations = 40;
constexpr double difference = 1e-5;  // of the conditions, in units of what is solved for
constexpr double probe =
    2e-2;  // of the derivatives of the field, in units of the sizes: extrapolated, so long that rounding stays small

/// The field's derivative at a state moved by some way in units of the sizes, in these units.
class ScaledField {
 public:
  ScaledField(const Mechanism& mechanism, const Mode& mode, const Vector& x, const Vector& sizes)
      : mechanism_(mechanism), mode_(mode), x_(x), sizes_(sizes) {}

  Matrix A(const Vector& moved) const {
    const Matrix A = field_jacobian(mechanism_, x_ + moved.cwiseProduct(sizes_), mode_);
    return sizes_.cwiseInverse().asDiagonal() * A * sizes_.asDiagonal();
  }

  /// B(a, ·) and C(a, a, ·) by central differences, errors of the second and of the fourth order extrapolated away.
  struct Derivatives {
    Matrix B, C;
  };
  Derivatives along(const Vector& a) const {
    const Matrix here = A(Vector::Zero(a.size()));
    const auto by = [&](double h) {
      const Matrix after = A(h * a), before = A(-h * a);
      return Derivatives{(after - before) / (2.0 * h), (after - 2.0 * here + before) / (h * h)};
    };
    const Derivatives coarse = by(probe), middle = by(0.5 * probe), fine = by(0.25 * probe);
    const auto mixed = [](const Matrix& c, const Matrix& m, const Matrix& f) -> Matrix {
      return (16.0 * (4.0 * f - m) - (4.0 * m - c)) / 45.0;
    };
    return {mixed(coarse.B, middle.B, fine.B), mixed(coarse.C, middle.C, fine.C)};
  }

 private:
  const Mechanism& mechanism_;
  const Mode& mode_;
  const Vector& x_;
  const Vector& sizes_;
};

Index nearest_to(const Eigen::VectorXcd& values, Complex wanted) {
  Index best = 0;
  (values.array() - wanted).abs().minCoeff(&best);
  return best;
}

/// Re l₁ of the eigenvalue λ with the vector q, in units of the sizes (Kuznetsov 2004, 5.4), over ω.
double cubic_growth(const ScaledField& field, Complex lambda, const Eigen::VectorXcd& q) {
  const Matrix A = field.A(Vector::Zero(q.size()));
  const Index n = q.size();
  const Eigenpairs transposed = eigenpairs_of(A.transpose());
  Eigen::VectorXcd p = transposed.vectors.col(nearest_to(transposed.values, std::conj(lambda)));
  p /= std::conj(p.dot(q));  // ⟨p, q⟩ = 1, conjugate in p
  const auto by_a = field.along(q.real()), by_b = field.along(q.imag());
  const Complex i(0.0, 1.0);
  const Vector a = q.real(), b = q.imag();
  const Vector mean = shortest_solution(A, by_a.B * a + by_b.B * b);  // A⁻¹ B(q, q̄)
  const Eigen::MatrixXcd twice = 2.0 * i * lambda.imag() * Eigen::MatrixXcd::Identity(n, n) - A.cast<Complex>();
  const Eigen::VectorXcd second = shortest_solution(twice, Eigen::VectorXcd(by_a.B * q + i * (by_b.B * q)));
  const Eigen::VectorXcd cubic = (by_a.C + by_b.C) * q;  // C(q, q, q̄)
  const Eigen::VectorXcd to_mean = by_a.B * mean + i * (by_b.B * mean);
  const Eigen::VectorXcd to_second = by_a.B * second - i * (by_b.B * second);
  return (p.dot(cubic) - 2.0 * p.dot(to_mean) + p.dot(to_second)).real() / (2.0 * lambda.imag());
}

/// The equations: state in units of the sizes, parameters in those of their ranges.
class HopfEquations {
 public:
  HopfEquations(const OrbitSystem& system, const PlannedOrbit& small, const Vector& sizes, const Vector& ranges,
                HopfCondition condition, const LevelFunction& level)
      : system_(system),
        mode_(small.plan.segments.front().start_mode()),
        sizes_(sizes),
        ranges_(ranges),
        condition_(condition),
        level_(level),
        omega_(2.0 * std::numbers::pi / std::accumulate(small.tau.begin(), small.tau.end(), 0.0)) {}

  double omega() const { return omega_; }
  Vector x(const Vector& z) const { return z.head(sizes_.size()).cwiseProduct(sizes_); }
  std::vector<double> varied(const Vector& z) const {
    const Vector values = z.tail(ranges_.size()).cwiseProduct(ranges_);
    return {values.begin(), values.end()};
  }
  Eigen::VectorXcd eigenvalues(const Vector& z) const {
    const ParameterPoint point = system_.rates.at(varied(z));
    return eigenvalues_of(field_jacobian(Mechanism(system_.kernels, point.inputs), x(z), mode_));
  }
  Complex critical(const Eigen::VectorXcd& values) const { return values[nearest_to(values, Complex(0.0, omega_))]; }

  std::optional<Vector> residual(const Vector& z) const {
    const ParameterPoint point = system_.rates.at(varied(z));
    if (!point.problem.empty() || mode_.any_held()) return std::nullopt;
    const Mechanism mechanism(system_.kernels, point.inputs);
    const Vector at = x(z);
    const Index n = at.size();
    Vector all(n + 2);
    all.head(n) = mechanism.field(0.0, at, mode_).rate.cwiseQuotient(sizes_) / omega_;
    const ScaledField field(mechanism, mode_, at, sizes_);
    const Matrix A = field.A(Vector::Zero(n));
    if (!A.allFinite()) return std::nullopt;
    const Eigenpairs pairs = eigenpairs_of(A);
    const Index k = nearest_to(pairs.values, Complex(0.0, omega_));
    all[n] = pairs.values[k].real() / omega_;
    switch (condition_) {
      case HopfCondition::no_cubic_growth:
        all[n + 1] = cubic_growth(field, pairs.values[k], pairs.vectors.col(k).normalized()) / omega_;
        break;
      case HopfCondition::level: all[n + 1] = level_(at, varied(z)); break;
      default: all[n + 1] = condition(pairs.values, k);
    }
    if (!all.allFinite()) return std::nullopt;
    return all;
  }

 private:
  double condition(const Eigen::VectorXcd& values, Index k) const {
    if (condition_ == HopfCondition::frequency) return values[k].imag() / omega_ - 1.0;
    double nearest = std::nan("");
    for (const Complex& each : values) {
      const bool fits =
          condition_ == HopfCondition::zero_eigenvalue ? each.imag() == 0.0 : each.imag() > 0.0 && each != values[k];
      if (fits && !(std::abs(each.real()) > std::abs(nearest))) nearest = each.real();
    }
    return nearest / omega_;
  }

  const OrbitSystem& system_;
  Mode mode_;
  const Vector& sizes_;
  const Vector& ranges_;
  HopfCondition condition_;
  const LevelFunction& level_;
  double omega_;
};

std::optional<Vector> solved(const HopfEquations& equations, Vector z) {
  double before = 1e300;
  for (int i = 0; i < most_iterations; ++i) {
    const auto now = equations.residual(z);
    if (!now) return std::nullopt;
    Matrix J(now->size(), z.size());
    for (Index j = 0; j < z.size(); ++j) {
      const Vector h = difference * Vector::Unit(z.size(), j);
      const auto after = equations.residual(z + h), behind = equations.residual(z - h);
      if (!after || !behind) return std::nullopt;
      J.col(j) = (*after - *behind) / (2.0 * difference);
    }
    const LuFactors lu(J);
    if (!(lu.rcond() > 1e-13)) return std::nullopt;
    const Vector change = -lu.solve(*now);
    const double size = change.norm();
    if (!(size < 1.0)) return std::nullopt;
    z += change;
    if (size < 1e-13 || (size < 1e-9 && size >= before)) return z;
    before = size;
  }
  return std::nullopt;
}

}  // namespace

std::optional<SpecialHopf> special_hopf_near(const OrbitSystem& system, const PlannedOrbit& small, const Vector& sizes,
                                             const Vector& ranges, HopfCondition condition,
                                             const LevelFunction& level) {
  const HopfEquations equations(system, small, sizes, ranges, condition, level);
  Vector guess(sizes.size() + ranges.size());
  const Vector varied = Vector::Map(small.varied.data(), index(small.varied.size()));
  guess << mean_of(system, small).cwiseQuotient(sizes), varied.cwiseQuotient(ranges);
  const auto z = solved(equations, guess);
  if (!z) return std::nullopt;
  const Eigen::VectorXcd values = equations.eigenvalues(*z);
  const Complex critical = equations.critical(values);
  const double omega = equations.omega();
  if (!(std::abs(critical.real()) < 1e-8 * omega) || !(std::abs(critical.imag() - omega) < 0.1 * omega))
    return std::nullopt;
  const std::vector<double> at = equations.varied(*z);
  return SpecialHopf{condition, hopf_point_of(equations.x(*z), at.back(), values, critical), at};
}

}  // namespace saltus
