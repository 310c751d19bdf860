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
  }

  Vector field(std::size_t side, const Vector& x) const { return mechanism_.field(t_, x, modes_[side]).rate; }

  /// r, if both sides are approached as said.
  std::optional<double> root(const Vector& x) const {
    const Vector gradient =
        mechanism_.jets(t_, x, modes_[0]).row(row_ + index(mechanism_.layout().contacts)).head(x.size()).transpose();
    const double steep = gradient.norm();
    if (!(steep > 0.0)) return std::nullopt;
    const double s = mechanism_.events(t_, x, Vector::Zero(x.size()), modes_[0]).value[row_];
    const Vector unit = gradient / steep;
    std::optional<double> found;
    for (const std::size_t side : {0, 1}) {
      std::array<double, ways.size()> speeds{};
      for (std::size_t i = 0; i < ways.size(); ++i) speeds[i] = speed(side, x - s / steep * unit, unit, ways[i]);
      if (speeds[0] == 0.0 && speeds[1] == 0.0 && speeds[2] == 0.0) continue;
      const auto exponent = exponent_of(speeds);
      if (!exponent) return std::nullopt;
      found = exponent;
    }
    return found;
  }

 private:
  static constexpr std::array<double, 3> ways = {1e-8, 1e-11,
                                                 1e-14};  // off the surface, each a thousandth of the one before

  /// Towards the surface.
  double speed(std::size_t side, const Vector& on_surface, const Vector& unit, double way) const {
    const double sign = side == 0 ? -1.0 : 1.0;
    const Vector x = on_surface + sign * way * (on_surface.cwiseAbs().maxCoeff() + 1e-3) * unit;
    return -sign * mechanism_.events(t_, x, field(side, x), modes_[side]).rate[row_];
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
};

}  // namespace

std::optional<double> root_of_rest(const Mechanism& mechanism, const Mode& mode, std::size_t which, double t,
                                   const Vector& x) {
  constexpr double part_of_time = 1e-4;
  if (!mechanism.layout().roots || mode.is_masked()) return std::nullopt;
  const Sides sides(mechanism, mode, which, t);
  const auto root = sides.root(x);
  if (!root) return std::nullopt;
  // Nor may the motion along the surface lead to where it is otherwise.
  for (const std::size_t side : {0, 1}) {
    const Vector F = sides.field(side, x);
    const double speed = F.cwiseAbs().maxCoeff();
    const double time = speed > 0.0 ? part_of_time * (x.cwiseAbs().maxCoeff() + 1e-3) / speed : 0.0;
    if (!sides.root(x + time * F)) return std::nullopt;
  }
  return root;
}

}  // namespace saltus
