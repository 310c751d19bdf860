#include "saltus/model/hidden_kinks.hpp"

#include <cmath>
#include <numbers>

#include "saltus/expr/substitute.hpp"
#include "saltus/expr/whole_number.hpp"

namespace saltus {
namespace {

using std::numbers::pi;

/// c + d core, if e is such a sum of two terms with a number c.
struct Line {
  double c, d;
  Expr core;
};
std::optional<Line> as_line(Expr e) {
  if (e.op() != Op::sum || e.arity() != 2 || !e.arg(0).is_constant()) return std::nullopt;
  const Term term = as_term(e.arg(1));
  return Line{e.arg(0).value(), term.coefficient, term.core};
}

bool is_square_of(Expr e, Op function) {
  return is_integer_power(e) && e.arg(1).value() == 2.0 && e.arg(0).op() == function;
}

/// u with e = u², if the sum e is a square: of a sine or cosine, or of a sum of two terms.
std::optional<Expr> root_of_trigonometric(Expr e) {
  const auto line = as_line(e);
  if (!line || line->c <= 0.0 || std::abs(line->d) != line->c) return std::nullopt;
  const Expr core = line->core;
  const bool minus = line->d < 0.0;
  if (minus && is_square_of(core, Op::cos)) return std::sqrt(line->c) * sin(core.arg(0).arg(0));
  if (minus && is_square_of(core, Op::sin)) return std::sqrt(line->c) * cos(core.arg(0).arg(0));
  const double size = std::sqrt(2.0 * line->c);
  if (core.op() == Op::cos) return size * (minus ? sin(0.5 * core.arg(0)) : cos(0.5 * core.arg(0)));
  // 1 − sin u = 1 − cos(u − π/2)
  const Expr half = core.op() == Op::sin ? 0.5 * core.arg(0) - 0.25 * pi : core;
  if (core.op() == Op::sin) return size * (minus ? sin(half) : cos(half));
  return std::nullopt;
}

/// a, if the term is a².
std::optional<Expr> root_of_term(Expr term) {
  const Term parts = as_term(term);
  if (parts.coefficient <= 0.0) return std::nullopt;
  const double number = std::sqrt(parts.coefficient);
  if (term.is_constant()) return term.graph().constant(number);
  const Expr root = sqrt(parts.core);  // |u| of u², |u| |v| of u² v²
  const auto bare = [](Expr e) { return e.op() == Op::abs ? e.arg(0) : e; };
  if (root.op() == Op::abs) return number * bare(root);
  if (root.op() != Op::product) return std::nullopt;
  std::vector<Expr> factors;
  for (std::size_t i = 0; i < root.arity(); ++i) {
    if (root.arg(i).op() != Op::abs) return std::nullopt;
    factors.push_back(bare(root.arg(i)));
  }
  return number * term.graph().product(factors);
}

std::optional<Expr> root_of_binomial(Expr e) {
  if (e.op() != Op::sum || e.arity() != 3) return std::nullopt;
  for (std::size_t middle = 0; middle < 3; ++middle) {
    const auto a = root_of_term(e.arg((middle + 1) % 3));
    const auto b = root_of_term(e.arg((middle + 2) % 3));
    if (!a || !b) continue;
    if (e.arg(middle) == 2.0 * (*a * *b)) return *a + *b;
    if (e.arg(middle) == -2.0 * (*a * *b)) return *a - *b;
  }
  return std::nullopt;
}

/// Turns of the angle u, counted from the middle of a turn: u − period ⌊u/period + ½⌋ lies in ±period/2.
Expr wrapped(Expr u, double period) { return u - period * rounded(u / period); }

std::optional<Expr> shown(Expr e, std::span<const Expr> args) {
  const bool is_root = e.op() == Op::sqrt || (e.op() == Op::power && e.arg(1).is_constant() && !is_integer_power(e));
  if (is_root) {
    auto root = root_of_trigonometric(args[0]);
    if (!root) root = root_of_binomial(args[0]);
    if (!root) return std::nullopt;
    const double exponent = e.op() == Op::sqrt ? 0.5 : e.arg(1).value();
    return pow(apply(Op::abs, *root), e.graph().constant(2.0 * exponent));
  }
  if (e.op() == Op::atan && args[0].op() == Op::tan) return wrapped(args[0].arg(0), pi);
  if (e.op() == Op::atan2 && args[0].op() == Op::sin && args[1].op() == Op::cos && args[0].arg(0) == args[1].arg(0))
    return wrapped(args[0].arg(0), 2.0 * pi);
  return std::nullopt;
}

}  // namespace

std::vector<Expr> with_kinks_shown(std::span<const Expr> roots) {
  if (roots.empty()) return {};
  return rewrite(roots, roots.front().graph(), shown);
}

Expr with_straight_triangles(Expr root) {
  const Expr roots[] = {root};
  return substitute(roots, root.graph(),
                    [](Expr e) -> std::optional<Expr> {
                      const auto triangle = triangle_of(e);
                      if (!triangle) return std::nullopt;
                      return triangle->offset + triangle->slope * apply(Op::abs, wrapped(triangle->angle, 2.0 * pi));
                    })
      .front();
}

std::optional<Triangle> triangle_of(Expr e) {
  if (e.op() != Op::acos && e.op() != Op::asin) return std::nullopt;
  const Term term = as_term(e.arg(0));
  const bool of_cosine = term.core.op() == Op::cos;
  if (std::abs(term.coefficient) != 1.0 || (!of_cosine && term.core.op() != Op::sin)) return std::nullopt;
  const Expr u = term.core.arg(0);
  // acos(cos u) = T(u), acos(sin u) = T(u − π/2), acos(−y) = π − acos(y), asin(y) = π/2 − acos(y).
  Triangle result = of_cosine ? Triangle{u, sin(u), 0.0, 1.0} : Triangle{u - 0.5 * pi, -cos(u), 0.0, 1.0};
  if (term.coefficient < 0.0) {
    result.offset = pi;
    result.slope = -1.0;
  }
  if (e.op() == Op::asin) {
    result.offset = 0.5 * pi - result.offset;
    result.slope = -result.slope;
  }
  return result;
}

}  // namespace saltus
