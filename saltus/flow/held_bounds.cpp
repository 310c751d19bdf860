#include "saltus/flow/held_bounds.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/numerics/hull.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

constexpr int most_splits = 400;
constexpr double edge = 1e-9;  // of the gauge: that near to 1 zero is on the edge of the hull
constexpr double narrow = 1e-7;  // part of a step in which an end is located by true steps
constexpr double clock = 1e-14;  // of the time: nothing happens between
constexpr double rounding = 1e-12;  // of R, relative to its largest side

}  // namespace

HeldBounds::HeldBounds(const Kernels& kernels) : kernels_(kernels), layout_(kernels.layout()) {}

bool HeldBounds::applies() const {
  const Mode& mode = field_->corners().front();
  for (std::size_t k = 0; k < mode.switches().size(); ++k)
    if (mode.slides_alone(k)) return false;
  if (mode.any_closed() && layout_.has_roots(curve_->parameters.data())) return false;
  const auto moving = curve_->coefficients.begin() + static_cast<std::ptrdiff_t>(layout_.N());
  return !layout_.has_roots(curve_->parameters.data()) ||
         std::all_of(moving, curve_->coefficients.end(), [](double c) { return c == 0.0; });
}

std::optional<HeldBounds::Finding> HeldBounds::first_end(const Curve& curve, const HeldField& field) {
  constexpr double rounding_of_gauge = 1e-12;
  curve_ = &curve;
  field_ = &field;
  if (!applies()) return std::nullopt;
  if (!dynamics_) {
    dynamics_ = kernels_.inverse_dynamics_bounds(1);
    t_box_.resize(2);
    x_box_.resize(2 * layout_.N());
    X_box_.resize(6 * layout_.N());
    out_.resize(2 * InverseDynamicsLayout(layout_).size());
  }
  const double begin = gauge_at(0.0);
  const bool on_edge = !(begin < 1.0 - edge);
  if (!(begin < 1.0 + edge) || (!on_edge && !stays({0.0, 0.0}))) return std::nullopt;
  beyond_ = 1.0 + (on_edge ? edge : rounding_of_gauge);
  splits_ = 0;
  const Finding found = search({0.0, 1.0});
  if (found.kind == Finding::Kind::open && on_edge) return std::nullopt;
  return found;
}

/// From left to right, in parts that are split in eight where bounds do not decide.
HeldBounds::Finding HeldBounds::search(Part part) {
  if (stays(part)) return {};
  const double width = part.upper - part.lower;
  if (width <= narrow)
    if (const auto end = end_in(part)) return *end;
  if (width * std::abs(curve_->h) <= clock * (std::abs(curve_->t) + std::abs(curve_->h))) return {};
  if (++splits_ > most_splits) return {Finding::Kind::open, part.lower, part.upper};
  const double eighth = 0.125 * width;
  for (int i = 0; i < 8; ++i) {
    const double lower = part.lower + i * eighth;
    const Finding found = search({lower, i < 7 ? lower + eighth : part.upper});
    if (found.kind != Finding::Kind::none) return found;
  }
  return {};
}

Vector HeldBounds::state_at(double theta) const {
  const Index N = index(layout_.N());
  const Index terms = index(curve_->coefficients.size()) / N;
  Vector x = Vector::Zero(N);
  for (Index k = terms; k-- > 0;)
    for (Index i = 0; i < N; ++i) x[i] = x[i] * theta + curve_->coefficients[static_cast<std::size_t>(k * N + i)];
  return x;
}

double HeldBounds::gauge_at(double theta) const {
  return field_->gauge(curve_->t + theta * curve_->h, state_at(theta));
}

/// Is the motion let go, or a contact left, at the end of a narrow part?
std::optional<HeldBounds::Finding> HeldBounds::end_in(Part part) const {
  const double t = curve_->t + part.upper * curve_->h;
  const Vector x = state_at(part.upper);
  Finding end{Finding::Kind::crossing, part.lower, part.upper};
  if (field_->gauge(t, x) > beyond_) return end;
  if (pushes_.contacts().empty()) return std::nullopt;
  const Vector force = field_->at(t, x).force;
  for (const std::size_t i : pushes_.contacts())
    if (force[index(i)] < 0.0) {
      end.contact = i;
      return end;
    }
  return std::nullopt;
}

/// Is zero in the hull of all sides over the part, wherever in their boxes they are?
bool HeldBounds::stays(Part part) {
  fill(part);
  const double theta = 0.5 * (part.lower + part.upper);
  const Vector off = layout_.has_roots(curve_->parameters.data())
                         ? field_->across(curve_->t + theta * curve_->h, state_at(theta))
                         : Vector();
  const std::vector<Mode>& sides = field_->corners();
  const Index rows = index(InverseDynamicsLayout(layout_).rows);
  Matrix middle(rows, index(sides.size()));
  Vector radius = Vector::Zero(rows);
  pushes_.begin(sides.front(), InverseDynamicsLayout(layout_).rows, sides.size());
  for (std::size_t c = 0; c < sides.size(); ++c) {
    Vector m(rows), r(rows);
    look(c, off, m, r);
    middle.col(index(c)) = m;
    radius = radius.cwiseMax(r);
  }
  return middle.allFinite() && radius.allFinite() && surrounds(middle, radius);
}

/// R of one side over the boxes. Where forces have roots of the held functions it is the mean of those on both sides, as in HeldField.
void HeldBounds::look(std::size_t side, const Vector& off, Vector& middle, Vector& radius) {
  const InverseDynamicsLayout at(layout_);
  const std::vector<double> mode = mode_inputs(field_->corners()[side]);
  middle.setZero();
  radius.setZero();
  const auto add = [&](double way, double share) {
    for (Index i = 0; i < off.size(); ++i) x_box_[static_cast<std::size_t>(2 * i)] += way * off[i];
    dynamics_(t_box_.data(), x_box_.data(), curve_->parameters.data(), mode.data(), X_box_.data(), out_.data());
    for (std::size_t j = 0; j < at.rows; ++j) {
      middle[index(j)] += share * out_[2 * at.residual(j)];
      radius[index(j)] += share * out_[2 * at.residual(j) + 1];
    }
  };
  if (off.size() == 0) {
    add(0.0, 1.0);
    return pushes_.take(side, at, out_.data());
  }
  const LaneArray x = x_box_;
  add(1.0, 0.5);
  add(-2.0, 0.5);
  x_box_ = x;
}

/// Does the hull of the points, the columns, contain the box about zero?
bool HeldBounds::surrounds(const Matrix& middle, const Vector& radius) const {
  const double h = std::abs(curve_->h);
  const Vector size = middle.cwiseAbs().rowwise().maxCoeff();
  Vector unit(size.size());  // 0: a row that does nothing
  for (Index j = 0; j < size.size(); ++j)
    unit[j] =
        (size[j] + radius[j]) * h <= curve_->slack[static_cast<std::size_t>(j)] ? 0.0 : 1.0 / (size[j] + radius[j]);
  if (unit.isZero(0.0)) return true;
  Matrix scaled = unit.asDiagonal() * middle;
  Vector reach = unit.cwiseProduct(radius);
  if (!pushes_.take_off(unit, scaled, reach)) return false;
  const Matrix directions = directions_of_hull(scaled);
  if (directions.cols() == 0) return false;
  const Matrix points = directions.transpose() * scaled;
  const Vector box = directions.cwiseAbs().transpose() * (reach + Vector::Constant(reach.size(), rounding));
  if (box.size() == 1) return points.minCoeff() + box[0] < 0.0 && points.maxCoeff() - box[0] > 0.0;
  for (std::size_t code = 0; code < std::size_t{1} << static_cast<std::size_t>(box.size()); ++code) {
    Vector corner = box;
    for (Index i = 0; i < box.size(); ++i)
      if ((code >> static_cast<std::size_t>(i) & 1) != 0) corner[i] = -corner[i];
    if (!(gauge_of_zero(points.colwise() + corner) < 1.0)) return false;
  }
  return true;
}

void HeldBounds::fill(Part part) {
  const std::size_t N = layout_.N();
  const double m = 0.5 * (part.lower + part.upper);
  const double w = 0.5 * (part.upper - part.lower);
  const std::size_t terms = curve_->coefficients.size() / N;
  t_box_[0] = curve_->t + m * curve_->h;
  t_box_[1] = w * std::abs(curve_->h);
  for (std::size_t i = 0; i < N; ++i) {
    shifted_.assign(terms, 0.0);
    for (std::size_t k = 0; k < terms; ++k) shifted_[k] = curve_->coefficients[k * N + i];
    const PolynomialBox box = box_of_polynomial(shifted_, part, curve_->h);
    const auto put = [&](LaneArray& boxes, std::size_t entry, std::size_t order) {
      boxes[2 * entry] = box.middle[order];
      boxes[2 * entry + 1] = box.radius[order];
    };
    put(x_box_, i, 0);
    put(X_box_, i, 1);
    put(X_box_, N + i, 2);
    X_box_[2 * (2 * N + i)] = X_box_[2 * (2 * N + i) + 1] = 0.0;
  }
}

}  // namespace saltus
