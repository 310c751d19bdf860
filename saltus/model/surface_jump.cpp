#include "saltus/model/surface_jump.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "saltus/base/text.hpp"
#include "saltus/expr/differentiate.hpp"
#include "saltus/expr/evaluate.hpp"
#include "saltus/expr/print.hpp"
#include "saltus/model/switches.hpp"

namespace saltus {
namespace {

using Point = std::map<std::string, double>;

/// The surface beside a function s in it that decides between pieces.
class Crossings {
 public:
  Crossings(Expr surface, Expr s, const std::function<double(const std::string&)>& value_of)
      : surface_(surface), s_(s), value_of_(value_of) {}

  /// The surface on both sides of s = 0, met from a point along one variable, if it jumps there.
  std::optional<std::pair<double, double>> jump_from(Point point, Expr along) const {
    const auto place = zero_from(point, along);
    if (!place) return std::nullopt;
    const auto with = [&](double y) {
      Point moved = point;
      moved[along.name()] = y;
      return moved;
    };
    const auto bracket = sides_of(*place, [&](double y) { return at(s_, with(y)) > 0.0; });
    if (!bracket) return std::nullopt;
    const auto [a, b] = *bracket;
    const double below = at(surface_, with(a)), above = at(surface_, with(b));
    // A continuous surface differs between neighbouring numbers by what it changes within a little way, in proportion.
    const double way = 1e-3 * (std::abs(*place) + std::abs(point.at(along.name()) - *place) + 1e-300);
    const double size = std::max({std::abs(below), std::abs(above), std::abs(at(surface_, with(a - way)) - below),
                                  std::abs(at(surface_, with(b + way)) - above)});
    if (!std::isfinite(below) || !std::isfinite(above) || !(std::abs(above - below) > 1e-6 * size)) return std::nullopt;
    return std::pair(below, above);
  }

 private:
  double at(Expr e, const Point& point) const {
    return evaluate(e, [&](const std::string& name) {
      const auto found = point.find(name);
      return found == point.end() ? value_of_(name) : found->second;
    });
  }

  /// By Newton's method: of a function that is linear in the variable at once, however far.
  std::optional<double> zero_from(Point point, Expr along) const {
    const Expr slope = differentiate(s_, along);
    double& y = point[along.name()];
    for (int count = 0; count < 60; ++count) {
      const double step = at(s_, point) / at(slope, point);
      if (!std::isfinite(step)) return std::nullopt;
      y -= step;
      if (std::abs(step) <= 1e-14 * std::abs(y)) return y;
    }
    return std::nullopt;
  }

  /// Numbers next to each other, about y, between which a truth changes.
  template <class Truth>
  static std::optional<std::pair<double, double>> sides_of(double y, const Truth& truth) {
    for (double width = 1e-15 * std::abs(y) + 1e-300; width <= 1e-6 * std::abs(y) + 1e-12; width *= 8.0) {
      double a = y - width, b = y + width;
      const bool before = truth(a);
      if (truth(b) == before) continue;
      for (double middle = 0.5 * (a + b); middle > a && middle < b; middle = 0.5 * (a + b))
        (truth(middle) == before ? a : b) = middle;
      // One further on each side: s = 0 itself belongs to s > 0 or to s ≥ 0, as the condition is written.
      return std::pair(std::nextafter(a, -INFINITY), std::nextafter(b, INFINITY));
    }
    return std::nullopt;
  }

  Expr surface_, s_;
  const std::function<double(const std::string&)>& value_of_;
};

/// Random, the same at every call: some points near the given one, some far away.
Point scattered(const std::vector<Expr>& variables, const std::function<double(const std::string&)>& value_of,
                std::mt19937& random) {
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const double size = std::pow(10.0, 3.0 * unit(random));
  Point point;
  for (const Expr& variable : variables) point[variable.name()] = value_of(variable.name()) + size * unit(random);
  return point;
}

}  // namespace

std::optional<SurfaceJump> surface_jump(Expr surface, const Model& model,
                                        const std::function<double(const std::string&)>& value_of) {
  constexpr int trials = 40;
  const std::vector<Expr> variables = variables_of(model);
  const Expr roots[] = {surface};
  for (const std::uint32_t id : reachable(roots)) {
    const Expr node = surface.graph().at(id);
    const bool may_jump = node.is_condition() || node.op() == Op::sign || node.op() == Op::floor;
    const auto s = may_jump ? deciding_function(node) : std::nullopt;
    if (!s) continue;
    const Crossings crossings(surface, *s, value_of);
    std::mt19937 random(20261);
    for (int trial = 0; trial < trials; ++trial) {
      const Point point = scattered(variables, value_of, random);
      for (const Expr& along : variables) {
        if (!depends_on(*s, along)) continue;
        if (const auto jump = crossings.jump_from(point, along))
          return SurfaceJump{node.op() == Op::floor ? node.arg(0) : *s, jump->first, jump->second,
                             node.op() == Op::floor};
      }
    }
  }
  return std::nullopt;
}

std::string in_words(const SurfaceJump& jump) {
  constexpr std::size_t longest = 60;
  return fmt::format("jumps where {} {}, from {} to {}", printed(jump.where, longest),
                     jump.whole ? "is a whole number" : "= 0", six_digits(jump.from), six_digits(jump.to));
}

std::string advice(const SurfaceJump& jump) {
  return jump.whole
             ? "of a surface that repeats give the period: x with the modulus 2*pi is zero in every turn"
             : "a jump over zero is no crossing; write branches that meet, or the condition itself as the surface";
}

}  // namespace saltus
