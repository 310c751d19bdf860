#include "saltus/analysis/orbits/equilibrium.hpp"

#include "saltus/numerics/decompositions.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

constexpr int most_newton_steps = 40;

}  // namespace

Matrix field_jacobian(const Mechanism& mechanism, const Vector& x, const Mode& mode) {
  const Layout& layout = mechanism.layout();
  const std::size_t N = layout.N();
  std::vector<double> columns(N * layout.columns());
  for (std::size_t i = 0; i < N; ++i) columns[layout.tangent(i, i)] = 1.0;
  std::vector<double> out(N + layout.tangent_rates() + layout.contacts + layout.switches);
  const KernelSet& one = mechanism.kernels().at(1);
  const Kernel kernel = mode.is_masked() ? one.sliding_tangent : one.field_tangent;
  const double t = 0.0;
  kernel(&t, x.data(), mechanism.parameters(), mode_inputs(mode).data(), columns.data(), out.data());
  Matrix A(index(N), index(N));
  for (std::size_t c = 0; c < N; ++c)
    for (std::size_t i = 0; i < N; ++i)
      A(index(i), index(c)) = i < layout.n ? (c == layout.n + i ? 1.0 : 0.0) : out[N + layout.tangent_rate(i, c)];
  return A;
}

std::optional<Equilibrium> equilibrium_near(const OrbitSystem& system, const Mode& mode,
                                            const std::vector<double>& varied, Vector x, const Vector& sizes) {
  const ParameterPoint point = system.rates.at(varied);
  if (!point.problem.empty() || mode.any_held()) return std::nullopt;
  const Mechanism mechanism(system.kernels, point.inputs);
  double before = 1e300;
  for (int i = 0; i < most_newton_steps; ++i) {
    const Vector rate = mechanism.field(0.0, x, mode).rate;
    const Matrix A = field_jacobian(mechanism, x, mode);
    if (!rate.allFinite() || !A.allFinite()) return std::nullopt;
    const LuFactors lu(A * sizes.asDiagonal());
    if (!(lu.rcond() > 1e-15)) return std::nullopt;
    const Vector change = -lu.solve(rate);
    const double size = change.norm();
    if (!(size < 10.0)) return std::nullopt;
    x += change.cwiseProduct(sizes);
    if (size < 1e-14 || (size < 1e-11 && size >= before))
      return Equilibrium{x, eigenvalues_of(field_jacobian(mechanism, x, mode))};
    before = size;
  }
  return std::nullopt;
}

}  // namespace saltus
