#include "saltus/analysis/response/linear_response.hpp"

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "saltus/numerics/decompositions.hpp"

namespace saltus {
namespace {

using Index = Eigen::Index;
using ComplexVector = Eigen::VectorXcd;
using ComplexMatrix = Eigen::MatrixXcd;

constexpr double far = 1e3;        // beyond any clearance, in the unit of the coordinates
constexpr int instants = 128;      // at which the force is looked at
constexpr int harmonics = 32;

/// ∂F/∂x where neighbouring coordinates are far from zero and far from each other.
Matrix far_derivative(const Mechanism& mechanism) {
  const Layout& layout = mechanism.layout();
  const auto N = static_cast<Index>(layout.N());
  Vector x = Vector::Zero(N);
  for (std::size_t i = 0; i < layout.n; ++i)
    x[static_cast<Index>(i)] = (i % 2 == 0 ? far : -far) * static_cast<double>(i + 1);
  const Mode mode = open_mode(mechanism, 0.0, x);
  const Vector here = mechanism.field(0.0, x, mode).rate;
  Matrix A(N, N);
  for (Index j = 0; j < N; ++j) {
    Vector moved = x;
    moved[j] += 1.0;
    A.col(j) = mechanism.field(0.0, moved, mode).rate - here;
  }
  return A;
}

}  // namespace

Mode open_mode(const Mechanism& mechanism, double t, const Vector& x) {
  const Layout& layout = mechanism.layout();
  Mode mode(layout);
  const Vector values = mechanism.events(t, x, Vector::Zero(x.size())).value;
  for (std::size_t k = 0; k < layout.switches; ++k)
    mode.pass(k, values[static_cast<Index>(layout.contacts + k)] < 0.0 ? -1.0 : 1.0);
  return mode;
}

std::function<Vector(double)> linear_response(const Kernels& kernels, const std::vector<double>& parameters,
                                              double period) {
  const Mechanism mechanism(kernels, parameters);
  const auto N = static_cast<Index>(kernels.layout().N());
  const auto n = static_cast<Index>(kernels.layout().n);
  const Matrix A = far_derivative(mechanism);
  const Vector rest = Vector::Zero(N);
  std::vector<ComplexVector> force(harmonics + 1, ComplexVector::Zero(N));
  for (int j = 0; j < instants; ++j) {
    const double part = static_cast<double>(j) / instants;
    const Vector rate = mechanism.field(part * period, rest, open_mode(mechanism, part * period, rest)).rate;
    for (int k = 0; k <= harmonics; ++k)
      force[static_cast<std::size_t>(k)] += rate * std::polar(1.0 / instants, -2.0 * std::numbers::pi * k * part);
  }
  std::vector<ComplexVector> answer;  // of harmonic k: (i k ω − A)⁻¹ F_k
  for (int k = 0; k <= harmonics; ++k) {
    const std::complex<double> rate(0.0, 2.0 * std::numbers::pi * k / period);
    const ComplexMatrix matrix = rate * ComplexMatrix::Identity(N, N) - A;
    const ComplexVector x = shortest_solution(matrix, force[static_cast<std::size_t>(k)]);
    answer.push_back((k == 0 ? 1.0 : 2.0) * x.head(n));
  }
  return [answer, n](double part) {
    Vector q = Vector::Zero(n);
    for (std::size_t k = 0; k < answer.size(); ++k)
      q += (answer[k] * std::polar(1.0, 2.0 * std::numbers::pi * static_cast<double>(k) * part)).real();
    return q;
  };
}

}  // namespace saltus
