#include "saltus/flow/contact_law.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "saltus/flow/index.hpp"

namespace saltus {
namespace {

constexpr int most_impacts_at_an_instant = 2000;

std::vector<char> only(std::size_t i, std::size_t count) {
  std::vector<char> mask(count, 0);
  mask[i] = 1;
  return mask;
}

/// Contacts of `touching` that approach, the fastest first.
std::vector<std::size_t> approaching(const Mechanism& mechanism, double t, const Vector& x,
                                     const std::vector<char>& touching) {
  const ContactValue at = mechanism.contact(t, x, Mode(mechanism.layout()));
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < touching.size(); ++i)
    if (touching[i] && at.gamma[index(i)] < -rest_speed(at, x, i)) found.push_back(i);
  std::sort(found.begin(), found.end(),
            [&](std::size_t a, std::size_t b) { return at.gamma[index(a)] < at.gamma[index(b)]; });
  return found;
}

/// Single impacts: `first`, then the fastest first until none approaches.
Jump sequence(const Mechanism& mechanism, double t, const Vector& x, const std::vector<char>& touching,
              std::size_t first) {
  const std::size_t m = touching.size();
  const std::vector<char> elastic(m, 1);
  Jump jump = followed_by(no_jump(mechanism.layout(), x), mechanism, t, only(first, m), elastic);
  for (int count = 0; count < most_impacts_at_an_instant; ++count) {
    const auto next = approaching(mechanism, t, jump.x, touching);
    if (next.empty()) break;
    jump = followed_by(jump, mechanism, t, only(next.front(), m), elastic);
  }
  return jump;
}

ImpactResolution sequential(const Mechanism& mechanism, double t, const Vector& x, const std::vector<char>& touching) {
  const auto first = approaching(mechanism, t, x, touching);
  if (first.empty()) return {no_jump(mechanism.layout(), x), {}, 0.0};
  ImpactResolution result{sequence(mechanism, t, x, touching, first.front()), {}, 0.0};
  const Index n = index(mechanism.layout().n);
  const double scale = x.segment(n, n).cwiseAbs().maxCoeff();
  for (std::size_t k = 1; k < first.size(); ++k) {
    const Jump other = sequence(mechanism, t, x, touching, first[k]);
    const double difference = (other.x - result.jump.x).cwiseAbs().maxCoeff();
    if (difference > 1e-9 * scale) {
      result.ambiguous = first;
      result.difference = std::max(result.difference, difference);
    }
  }
  return result;
}

/// 0 ≤ Λ ⊥ γ⁺ + e γ⁻ ≥ 0 with γ⁺ = γ⁻ + G Λ.
ImpactResolution together(const Mechanism& mechanism, double t, const Vector& x, const std::vector<char>& touching) {
  const ContactValue at = mechanism.contact(t, x, Mode(mechanism.layout()));
  std::vector<std::size_t> members;
  for (std::size_t i = 0; i < touching.size(); ++i)
    if (touching[i]) members.push_back(i);
  const Index k = index(members.size());
  Matrix G(k, k);
  Vector b(k);
  for (Index i = 0; i < k; ++i) {
    const Index a = index(members[static_cast<std::size_t>(i)]);
    b[i] = (1.0 + at.restitution[a]) * at.gamma[a];
    for (Index j = 0; j < k; ++j) G(i, j) = at.delassus(a, index(members[static_cast<std::size_t>(j)]));
  }
  ImpactResolution result{no_jump(mechanism.layout(), x), {}, 0.0};
  const auto impulses = complementary_forces(G, b);
  if (!impulses) {
    result.ambiguous = members;
    return result;
  }
  std::vector<char> struck(touching.size(), 0);
  for (Index i = 0; i < k; ++i)
    if ((*impulses)[i] > 0.0) struck[members[static_cast<std::size_t>(i)]] = 1;
  if (std::find(struck.begin(), struck.end(), 1) != struck.end())
    result.jump = followed_by(result.jump, mechanism, t, struck, std::vector<char>(touching.size(), 1));
  return result;
}

}  // namespace

Jump no_jump(const Layout& layout, const Vector& x) {
  const Index N = index(layout.N());
  const Index varied = index(layout.varied.size());
  return {x, Matrix::Identity(N, N), Vector::Zero(N), Matrix::Zero(N, varied), Vector::Zero(index(layout.contacts)),
          {}};
}

Jump followed_by(const Jump& jump, const Mechanism& mechanism, double t, const std::vector<char>& struck,
                 const std::vector<char>& elastic) {
  const Layout& layout = mechanism.layout();
  const Index n = index(layout.n);
  const Index varied = index(layout.varied.size());
  const ImpactValue impact = mechanism.impact(t, jump.x, struck, elastic);
  Matrix dR_dx = Matrix::Identity(index(layout.N()), index(layout.N()));
  dR_dx.block(n, 0, n, 2 * n) = impact.derivative.leftCols(2 * n);
  Jump next = jump;
  next.x.segment(n, n) = impact.v_plus;
  next.dR_dx = dR_dx * jump.dR_dx;
  next.dR_dt = dR_dx * jump.dR_dt;
  next.dR_dt.segment(n, n) += impact.derivative.col(2 * n);
  next.dR_dp = dR_dx * jump.dR_dp;
  next.dR_dp.middleRows(n, n) += impact.derivative.rightCols(varied);
  next.impulse += impact.impulse;
  for (std::size_t i = 0; i < struck.size(); ++i)
    if (struck[i]) next.struck.push_back(i);
  return next;
}

ImpactResolution resolve_impacts(const Mechanism& mechanism, double t, const Vector& x,
                                 const std::vector<char>& touching, ImpactLaw law) {
  return law == ImpactLaw::sequential ? sequential(mechanism, t, x, touching) : together(mechanism, t, x, touching);
}

double rest_speed(const ContactValue& at, const Vector& x, std::size_t i) {
  const Index n = at.normal.cols();
  const Index row = index(i);
  const double carried = at.normal.row(row).cwiseAbs().dot(x.segment(n, n).cwiseAbs());
  const double wall = std::abs(at.gamma[row] - at.normal.row(row).dot(x.segment(n, n)));
  return 1e-13 * (carried + wall) + 1e-300;
}

std::optional<double> Rebound::remaining(double fastest, double natural_step, double rtol) const {
  constexpr double slow = 1e-4;
  if (acceleration >= 0.0 || restitution >= 1.0 || speed > slow * fastest) return std::nullopt;
  const double time = 2.0 * speed / (-acceleration * (1.0 - restitution));
  if (time > natural_step * std::pow(rtol, 1.0 / 3.0 - 1.0 / 8.0)) return std::nullopt;
  return time;
}

std::optional<Vector> complementary_forces(const Matrix& delassus, const Vector& b) {
  // Enumeration: as many closed contacts as a mechanism can have at once is a small number.
  const Index k = b.size();
  if (k > 16) return std::nullopt;
  const double scale = b.size() > 0 ? b.cwiseAbs().maxCoeff() : 0.0;
  for (std::uint32_t subset = 0; subset < (1U << k); ++subset) {
    std::vector<Index> members;
    for (Index i = 0; i < k; ++i)
      if (subset >> i & 1U) members.push_back(i);
    const Index size = index(members.size());
    Matrix G(size, size);
    Vector right(size);
    for (Index i = 0; i < size; ++i) {
      right[i] = -b[members[static_cast<std::size_t>(i)]];
      for (Index j = 0; j < size; ++j)
        G(i, j) = delassus(members[static_cast<std::size_t>(i)], members[static_cast<std::size_t>(j)]);
    }
    Vector force = Vector::Zero(k);
    if (size > 0) {
      const Eigen::LDLT<Matrix> factors(G);
      if (factors.vectorD().minCoeff() <= 1e-12 * factors.vectorD().maxCoeff()) continue;
      const Vector solved = factors.solve(right);
      if (solved.minCoeff() < 0.0) continue;
      for (Index i = 0; i < size; ++i) force[members[static_cast<std::size_t>(i)]] = solved[i];
    }
    const Vector apart = delassus * force + b;
    bool good = true;
    for (Index i = 0; i < k; ++i) good = good && ((subset >> i & 1U) || apart[i] >= -1e-12 * scale);
    if (good) return force;
  }
  return std::nullopt;
}

}  // namespace saltus
