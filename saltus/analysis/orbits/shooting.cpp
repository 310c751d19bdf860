#include "saltus/analysis/orbits/shooting.hpp"

#include <algorithm>
#include <cmath>

namespace saltus {
namespace {

constexpr double deepest_node = 1e-9;  // a node this far inside an obstacle, relative to the state, is refused

/// A gap is measured by what it changes with components of these sizes.
bool inside_obstacle(const Kernels& kernels, const ParameterPoint& p, double t, const Vector& x, const Mode& mode,
                     const Vector& sizes) {
  if (kernels.layout().contacts == 0) return false;
  const Mechanism mechanism(kernels, p.inputs);
  const Vector h = mechanism.contact(t, x, mode).h;
  const Vector size = gap_sizes(mechanism, t, x, sizes);
  for (std::size_t i = 0; i < mode.contacts().size(); ++i)
    if (!mode.is_closed(i) && h[index(i)] < -deepest_node * size[index(i)]) return true;
  return false;
}

/// |defect| of a segment, component by component: in units of its size, or of what rounding of its start makes of its end. Where that is no
/// longer small beside the size, any motion would seem to be closed.
double defect_error(const Vector& defect, const Arc& arc, const Vector& start, const Vector& sizes) {
  constexpr double rounding = 2e-5;  // eps / 1e-11
  constexpr double most = 1e3;  // 1e-8 / 1e-11
  const Vector noise = (rounding * (arc.dx_dx.cwiseAbs() * start.cwiseAbs())).cwiseMin(most * sizes);
  return defect.cwiseAbs().cwiseQuotient(sizes.cwiseMax(noise)).maxCoeff();
}

/// Takes the conditions of closure in the rows from `row` on up to a drift, and holds the components that tell it.
void allow_drift(const ShootingMesh& mesh, const Vector& x, Index row, ShootingValue& value) {
  const Translations& translations = mesh.translations;
  const Index N = x.size();
  const Vector drift = translations.drift(value.residual.segment(row, N));
  value.gain = mesh.gain + translations.cyclic() * drift;
  value.residual.segment(row, N) -= translations.cyclic() * drift;
  for (std::size_t k = 0; k < translations.drifts(); ++k) {
    const Index held = translations.held()[k];
    const auto direction = translations.cyclic().col(index(k));
    const Eigen::RowVectorXd by_unknowns = value.jacobian.row(row + held);
    const Eigen::RowVectorXd by_parameter = value.by_parameter.row(row + held);
    value.jacobian.middleRows(row, N) -= direction * by_unknowns;
    value.by_parameter.middleRows(row, N) -= direction * by_parameter;
    value.jacobian.row(row + held) = Eigen::RowVectorXd::Unit(value.jacobian.cols(), held);
    value.by_parameter.row(row + held).setZero();
    value.residual[row + held] = x[held] - mesh.held_at[index(k)];
  }
}

}  // namespace

double period_part(double x) {
  const double part = x - std::floor(x);
  return 1.0 - part < 1e-13 ? 0.0 : part;
}

Index Shooting::unknowns() const {
  return index(kernels_.layout().N() * mesh_.nodes.size()) + (mesh_.autonomous() ? 1 : 0);
}

Vector Shooting::state(const Vector& u, std::size_t node) const {
  const Index N = index(kernels_.layout().N());
  return u.segment(N * index(node), N);
}

double Shooting::period(const Vector& u, const ParameterPoint& p) const {
  return mesh_.autonomous() ? u[u.size() - 1] : static_cast<double>(mesh_.periods) * p.period;
}

double Shooting::part(std::size_t node) const {
  const std::vector<ShootingNode>& nodes = mesh_.nodes;
  return node + 1 < nodes.size() ? nodes[node + 1].place - nodes[node].place
                                 : 1.0 + nodes.front().place - nodes[node].place;
}

Arc Shooting::segment(const Vector& u, const ParameterPoint& p, std::size_t node) const {
  const ShootingNode& at = mesh_.nodes[node];
  const double unit = mesh_.autonomous() ? u[u.size() - 1] : static_cast<double>(mesh_.periods);
  const double phase = mesh_.autonomous() ? 0.0 : period_part(unit * at.place);
  return arc(kernels_, options_, p, {state(u, node), phase, at.mode, at.fastest}, unit * part(node));
}

ShootingValue Shooting::operator()(const Vector& u, const ParameterPoint& p) const {
  const std::size_t m = mesh_.nodes.size();
  const Index N = index(kernels_.layout().N());
  const Index size = unknowns();
  ShootingValue value;
  value.residual = Vector::Zero(size);
  value.jacobian = Matrix::Zero(size, size);
  value.by_parameter = Matrix::Zero(size, index(kernels_.layout().varied.size()));
  for (std::size_t i = 0; i < m; ++i) {
    const ShootingNode& node = mesh_.nodes[i];
    const double phase = period_part(static_cast<double>(mesh_.periods) * node.place) * p.period;
    if (!inside_obstacle(kernels_, p, phase, state(u, i), node.mode, mesh_.sizes)) continue;
    value.penetrated = i;
    return value;
  }
  for (std::size_t i = 0; i < m; ++i) {
    value.arcs.push_back(segment(u, p, i));
    const Arc& arc = value.arcs.back();
    if (!arc.whole() || !arc.x.allFinite() || !arc.dx_dx.allFinite()) {
      value.stopped = i;
      return value;
    }
    const Index row = N * index(i);
    const bool last = i + 1 == m;
    const Index next = last ? 0 : row + N;
    Vector defect = arc.x - u.segment(next, N);
    if (last) defect -= mesh_.gain;
    value.residual.segment(row, N) = defect;
    if (last) defect = mesh_.translations.without_drift(defect);
    value.jacobian.block(row, row, N, N) += arc.dx_dx;
    value.jacobian.block(row, next, N, N) -= Matrix::Identity(N, N);
    value.by_parameter.middleRows(row, N) = arc.dx_dp;
    if (mesh_.autonomous()) value.jacobian.block(row, size - 1, N, 1) = part(i) * arc.F_end;
    value.error = std::max(value.error, defect_error(defect, arc, state(u, i), mesh_.sizes));
  }
  value.gain = mesh_.gain;
  if (mesh_.translations.drifts() > 0) allow_drift(mesh_, state(u, 0), N * index(m - 1), value);
  if (mesh_.autonomous()) {
    value.residual[size - 1] = mesh_.direction.dot(state(u, 0) - mesh_.anchor);
    value.jacobian.row(size - 1).head(N) = mesh_.direction.transpose();
    value.error = std::max(value.error, std::abs(value.residual[size - 1]));
  }
  return value;
}

bool modes_agree(const ShootingMesh& mesh, const ShootingValue& value) {
  for (std::size_t i = 0; i < value.arcs.size(); ++i)
    if (!(value.arcs[i].end.mode == mesh.nodes[(i + 1) % mesh.nodes.size()].mode)) return false;
  return true;
}

std::vector<Event> orbit_events(const ShootingValue& value) {
  std::vector<Event> events;
  double t = 0.0;
  for (const Arc& arc : value.arcs) {
    for (Event event : arc.events) {
      event.t += t;
      events.push_back(std::move(event));
    }
    t += arc.duration;
  }
  return events;
}

TangentFactor tangent_factor(const Arc& arc) {
  const bool held = arc.start_mode.annihilates() || arc.end.mode.annihilates();
  const bool stops = std::any_of(arc.events.begin(), arc.events.end(), [](const Event& event) {
    const bool without_rebound = event.kind == EventKind::impact && event.gamma_plus == 0.0;
    return event.kind == EventKind::slide_start || event.kind == EventKind::filippov_start || without_rebound;
  });
  return {arc.dx_dx, held || stops};
}

std::vector<Multiplier> orbit_multipliers(const ShootingMesh& mesh, const ShootingValue& value, double error) {
  std::vector<TangentFactor> factors;
  for (const Arc& arc : value.arcs) factors.push_back(tangent_factor(arc));
  if (error > 0.0)
    for (TangentFactor& factor : factors)
      factor.matrix = mesh.sizes.cwiseInverse().asDiagonal() * factor.matrix * mesh.sizes.asDiagonal();
  std::vector<Multiplier> found = multipliers(factors, error);
  mark_trivial(found, mesh.autonomous(), mesh.translations.drifts());
  return found;
}

}  // namespace saltus
