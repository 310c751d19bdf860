// The field of the triple pendulum with its tangent, 42 equations, as one writes it with Eigen: fixed-size matrices,
// LDLT for M, hand-coded Jacobian.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <cmath>

#include "triple_pendulum.hpp"

namespace peers {

using TangentMatrix = Eigen::Matrix<double, 6, 6>;

struct EigenSlopes {
  Eigen::Vector3d vdot;
  TangentMatrix X_dot;
};

class EigenField {
 public:
  explicit EigenField(const TriplePendulum<double>& p) : p_(p), beta_(1.0, p.beta2, p.beta3), mu_(1.0, p.mu2, p.mu3) {
    nu_ << 0, p.nu12, p.nu13, p.nu12, 0, p.nu23, p.nu13, p.nu23, 0;
    C_ << p.c1 + p.c2, -p.c2, 0, -p.c2, p.c2 + p.c3, -p.c3, 0, -p.c3, p.c3;
  }

  /// v̇ = M⁻¹ f and Ẋ = F_x X with M δv̇ = (∂f/∂q − ∂M/∂q v̇) δq + ∂f/∂v δv.
  EigenSlopes operator()(const Eigen::Vector3d& q, const Eigen::Vector3d& v, const TangentMatrix& X, double t) const {
    const Eigen::Vector3d s = q.array().sin(), c = q.array().cos();
    // νᵢⱼ cos(qᵢ − qⱼ) and νᵢⱼ sin(qᵢ − qⱼ) from the sines and cosines of the three angles.
    const Eigen::Matrix3d coupling = nu_.cwiseProduct(c * c.transpose() + s * s.transpose());
    const Eigen::Matrix3d N = nu_.cwiseProduct(s * c.transpose() - c * s.transpose());
    const Eigen::Vector3d v_squared = v.cwiseAbs2();
    const Eigen::Matrix3d M = coupling + Eigen::Matrix3d(beta_.asDiagonal());
    const Eigen::LDLT<Eigen::Matrix3d> factored(M);

    Eigen::Vector3d f = -N * v_squared - C_ * v - mu_.cwiseProduct(s);
    f[0] += p_.q1 * std::cos(p_.omega * t);
    EigenSlopes slopes;
    slopes.vdot = factored.solve(f);

    Eigen::Matrix3d Jq = coupling * v_squared.asDiagonal() - N * slopes.vdot.asDiagonal();
    Jq.diagonal() = -Jq.rowwise().sum() - mu_.cwiseProduct(c);
    const Eigen::Matrix3d Jv = -2.0 * N * v.asDiagonal() - C_;
    slopes.X_dot.topRows<3>() = X.bottomRows<3>();
    slopes.X_dot.bottomRows<3>() = factored.solve(Jq * X.topRows<3>() + Jv * X.bottomRows<3>());
    return slopes;
  }

 private:
  TriplePendulum<double> p_;
  Eigen::Vector3d beta_, mu_;
  Eigen::Matrix3d nu_, C_;
};

}  // namespace peers
