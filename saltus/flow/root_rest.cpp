#include "saltus/flow/root_rest.hpp"

#include <array>
#include <cmath>

#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

/// The sides of one switch around a place on its surface.
class Sides {
 public:
  Sides(const Mechanism& mechanism, const Mode& mode, std::size_t which, double t)
      : mechanism_(mechanism), row_(index(mechanism.layout().contacts + which)), t_(t), modes_{mode, mode} {
    modes_[0].pass(which, -1.0);
    modes_[1].pass(which, 1.0);
    // Behind a surface that is a root of this one the motion slides along another: what it does there is for the hold to say.
    for (std::size_t k = 0; k < mode.switches().size(); ++k)
      if (mode.slides_alone(k) && mechanism.layout().has_root(k, mechanism.parameters()))
        only_ = mode.side(which) > 0.0 ? 1 : 0;
  }

  Vector field(std::size_t side, const Vector& x) const { return mechanism_.field(t_, x, modes_[side]).rate; }

  /// The law of both sides, if they have one.
  std::optional<RootOfRest> root(const Vector& x) const {
    const Vector gradient = normal_of(row_, x);
    const double steep = gradient.norm();
    if (!(steep > 0.0)) return std::nullopt;
    const double s = value_of(row_, x);
    const Vector unit = gradient / steep;
    std::optional<RootOfRest> found;
    int approached = 0;
    int left = 0;
    for (const std::size_t side : {0, 1}) {
      if (only_ && *only_ != side) continue;
      std::array<double, ways.size()> speeds{};
      for (std::size_t i = 0; i < ways.size(); ++i) speeds[i] = speed(side, x - s / steep * unit, unit, ways[i]);
      if (speeds[0] == 0.0 && speeds[1] == 0.0 && speeds[2] == 0.0) continue;
      const bool leaves = speeds[0] < 0.0;
      for (double& each : speeds) each = leaves ? -each : each;
      const auto exponent = exponent_of(speeds);
      if (!exponent) return std::nullopt;
      ++(leaves ? left : approached);
      found = {*exponent, left > 0};
    }
    return approached > 0 ? found : std::nullopt;
  }

 private:
  static constexpr std::array<double, 3> ways = {1e-8, 1e-11,
                                                 1e-14};  // off the surface, each a thousandth of the one before

  /// Towards the surface.
  double speed(std::size_t side, const Vector& on_surface, const Vector& unit, double way) const {
    const double sign = side == 0 ? -1.0 : 1.0;
    const Vector x =
        along_slides(side, on_surface + sign * way * (on_surface.cwiseAbs().maxCoeff() + 1e-3) * unit, unit);
    return -sign * mechanism_.events(t_, x, field(side, x), modes_[side]).rate[row_];
  }

  double value_of(Index row, const Vector& x) const {
    return mechanism_.events(t_, x, Vector::Zero(x.size()), modes_[0]).value[row];
  }
  Vector normal_of(Index row, const Vector& x) const {
    const Index contacts = index(mechanism_.layout().contacts);
    return mechanism_.jets(t_, x, modes_[0]).row(row + contacts).head(x.size()).transpose();
  }

  /// Onto the surfaces that the motion slides along, without a change of s.
  Vector along_slides(std::size_t side, Vector x, const Vector& unit) const {
    const Mode& mode = modes_[side];
    const Index contacts = index(mechanism_.layout().contacts);
    for (int count = 0; count < 4; ++count)
      for (std::size_t k = 0; k < mode.switches().size(); ++k) {
        if (!mode.slides_alone(k)) continue;
        const Index row = contacts + index(k);
        const double s = mechanism_.events(t_, x, Vector::Zero(x.size()), mode).value[row];
        Vector normal = mechanism_.jets(t_, x, mode).row(row + contacts).head(x.size()).transpose();
        normal -= normal.dot(unit) * unit;
        if (normal.squaredNorm() > 0.0) x -= s / normal.squaredNorm() * normal;
      }
    return x;
  }

  static std::optional<double> exponent_of(const std::array<double, 3>& speeds) {
    constexpr double alike = 0.02;  // exponents of the same law
    if (!(speeds[0] > 0.0 && speeds[1] > 0.0 && speeds[2] > 0.0)) return std::nullopt;
    const double first = std::log(speeds[0] / speeds[1]) / std::log(ways[0] / ways[1]);
    const double second = std::log(speeds[1] / speeds[2]) / std::log(ways[1] / ways[2]);
    if (!(std::abs(first - second) < alike && first > alike && first < 1.0 - alike)) return std::nullopt;
    return first;
  }

  const Mechanism& mechanism_;
  Index row_;
  double t_;
  std::array<Mode, 2> modes_;
  std::optional<std::size_t> only_;  // the side that can be looked at
};

}  // namespace

std::optional<RootApproach> root_approach(double s_before, double rate_before, double s, double rate) {
  constexpr double least = 0.02;  // exponents nearer to 0 or 1 are not told from them
  if (!(s > 0.0 && s < s_before && rate < 0.0 && rate_before < rate)) return std::nullopt;
  const double exponent = std::log(rate_before / rate) / std::log(s_before / s);
  if (!(exponent > least && exponent < 1.0 - least)) return std::nullopt;
  return RootApproach{exponent, s / (-rate * (1.0 - exponent))};
}

std::optional<RootOfRest> root_of_rest(const Mechanism& mechanism, const Mode& mode, std::size_t which, double t,
                                       const Vector& x) {
  constexpr double part_of_time = 1e-4;
  if (!mechanism.has_roots() || mode.any_held()) return std::nullopt;
  const Sides sides(mechanism, mode, which, t);
  const auto root = sides.root(x);
  if (!root) return std::nullopt;
  // Nor may the motion along the surface lead to where it is otherwise.
  for (const std::size_t side : {0, 1}) {
    const Vector F = sides.field(side, x);
    if (!F.allFinite()) continue;
    const double speed = F.cwiseAbs().maxCoeff();
    const double time = speed > 0.0 ? part_of_time * (x.cwiseAbs().maxCoeff() + 1e-3) / speed : 0.0;
    if (!sides.root(x + time * F)) return std::nullopt;
  }
  return root;
}

}  // namespace saltus
