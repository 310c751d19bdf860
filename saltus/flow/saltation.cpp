#include "saltus/flow/saltation.hpp"

namespace saltus {

Matrix saltation(const EventJet& at) {
  const double ds_along_flow = at.ds_dt + at.ds_dx.dot(at.F_minus);
  const Vector jump = at.F_plus - at.dR_dx * at.F_minus - at.dR_dt;
  return at.dR_dx + jump * at.ds_dx.transpose() / ds_along_flow;
}

Matrix carried_over(const EventJet& at, const Matrix& tangent) {
  const Eigen::Index varied = at.ds_dp.size();
  const double ds_along_flow = at.ds_dt + at.ds_dx.dot(at.F_minus);
  Eigen::RowVectorXd delay = -(at.ds_dx.transpose() * tangent) / ds_along_flow;
  delay.tail(varied) -= at.ds_dp.transpose() / ds_along_flow;
  Matrix after = at.dR_dx * tangent + (at.dR_dx * at.F_minus + at.dR_dt - at.F_plus) * delay;
  after.rightCols(varied) += at.dR_dp;
  return after;
}

}  // namespace saltus
