#include "saltus/model/decision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "saltus/expr/print.hpp"
#include "saltus/expr/substitute.hpp"
#include "saltus/expr/whole_number.hpp"
#include "saltus/model/domain.hpp"
#include "saltus/model/hidden_kinks.hpp"
#include "saltus/model/switches.hpp"

namespace saltus {
namespace {

constexpr std::size_t longest_text = 200;
constexpr std::size_t most_switches = 2000;  // some things are done for every pair of them
constexpr int most_parts = 64;  // of one condition of the model; what remains is not taken apart further

Expr both(Expr a, Expr b) { return apply(Op::both, a, b); }
Expr either(Expr a, Expr b) { return apply(Op::either, a, b); }
Expr negated(Expr a) { return apply(Op::negation, a); }
Expr chosen(Expr c, Expr if_true, Expr if_false) { return either(both(c, if_true), both(negated(c), if_false)); }
Expr sine_of_turns(Expr u) { return sin(2.0 * std::numbers::pi * u); }

/// f(u) > 0 just where u > 0.
bool has_the_sign_of_its_argument(Op op) {
  return op == Op::sqrt || op == Op::sinh || op == Op::tanh || op == Op::atan || op == Op::asin || op == Op::sign ||
         op == Op::hold;
}
/// A continuous function that is ⌊u⌋ over the first halves of its stairs and climbs to the next number over the second ones. It arrives
/// there without a slope: where u has come to a whole number but for rounding, it has the value and the rate of ⌊u⌋ just behind.
/// And not along a line: on the line, surfaces made of these stairs and of those shifted by a half would often vanish together.
/// With n = ⌊u + ¼⌋ it is u + (1 − m²)(n − u) − 0.12 m² cos 2πu, where m = max(−sin 2πu, 0) is zero over the first halves. n jumps where m
/// is 1, half way up: so bounds of value and rate are as narrow as u is known, also where a motion stands on a number and rounding leaves
/// open on which side. Of ⌊u⌋ + c(u − ⌊u⌋), which jumps at the numbers themselves, bounds there know no more than a whole step. The last
/// term makes the climb less steep there than u is, or mod(u, 1) would be at rest half way up, and round at its end.
Expr stairs(Expr u) {
  const Expr place = hold(u);  // (n − u) + u is n to the last digit
  const Expr m = hold(apply(Op::max, -sine_of_turns(place), u.graph().constant(0.0)));
  const Expr bend = 0.12 * m * m * cos(2.0 * std::numbers::pi * place);
  return hold(place + (1.0 - m * m) * (floor(place + 0.25) - place) - bend);
}

}  // namespace

// ⌊u⌋ is a whole number n until u passes a whole number, up or down. sin(2πu) is zero there, and once more half way between, where
// nothing happens: its side σ tells in which half u is, and u itself tells n, known to within less than one:
//   σ > 0:  n = ⌊u + ¼⌋ for n − ¼ < u < n + ¾,   σ < 0:  n = ⌊u − ¼⌋ for n + ¼ < u < n + 5/4.
// A step may thus try a quarter beyond the surface and still find the n of its own side; n is a whole number exactly, for any u below
// 2^52; nothing has to be remembered but σ; and the surface is smooth, crossed at full speed and in error by the rounding of u alone,
// however large u is. Two others were thought of: u − n with an n of its own needs a memory that runs, restarts and orbits carry along;
// sin(πu), whose side tells the parity of n, does without the half ways, but repeats after two units, while mod(t, T) does after one:
// where time is counted within a forcing period T, its side would be wrong in every second period.
Decision::WholeParts Decision::whole_parts(Expr u, Expr value) {
  // A u that is made of steps itself, as ⌊x⌋/2 + sign(y), may stand on a whole number for a while. A little above it has the same ⌊u⌋.
  const double little = moves_in_steps(u) ? 1e-9 : 0.0;
  return {sine_of_turns(u + little), floor(value + (little + 0.25)), floor(value + (little - 0.25))};
}

/// True if e changes by jumps alone, or is made of stairs, which stay where they are just as long.
bool Decision::moves_in_steps(Expr e) {
  if (!changes(e) || e.op() == Op::sign || e.op() == Op::floor || e.op() == Op::hold) return true;
  if (e.arity() == 0) return false;
  for (std::size_t i = e.op() == Op::select ? 1 : 0; i < e.arity(); ++i)
    if (!moves_in_steps(e.arg(i))) return false;
  return true;
}

Decision::Decision(Graph& graph, std::vector<Expr> variables) : graph_(graph), variables_(std::move(variables)) {
  for (const Expr& variable : variables_) changes_[variable.id()] = true;
}

bool Decision::changes(Expr e) {
  const auto known = changes_.find(e.id());
  if (known != changes_.end()) return known->second;
  bool result = false;
  for (std::size_t i = 0; i < e.arity(); ++i) result = changes(e.arg(i)) || result;
  return changes_[e.id()] = result;
}

Expr Decision::above(Expr s) {
  parts_ = 0;
  return positive(s, Zero::out);
}

Expr Decision::condition(Expr c) {
  parts_ = 0;
  return on_sides(c);
}

Expr Decision::on_sides(Expr c) {
  if (!changes(c)) return c;
  switch (c.op()) {
    case Op::positive: return positive(c.arg(0), Zero::out);
    case Op::nonnegative: return positive(c.arg(0), Zero::in);
    case Op::negation: return negated(on_sides(c.arg(0)));
    default: break;
  }
  const std::uint64_t key = 2U * c.id();
  const auto known = decided_.find(key);
  if (known != decided_.end()) return known->second;
  const Expr result = apply(c.op(), on_sides(c.arg(0)), on_sides(c.arg(1)));
  decided_.emplace(key, result);
  return result;
}

/// s > 0, or s ≥ 0.
Expr Decision::positive(Expr s, Zero zero) {
  if (!changes(s)) return apply(zero == Zero::in ? Op::nonnegative : Op::positive, s);
  const std::uint64_t key = 2U * s.id() + (zero == Zero::in ? 1U : 0U);
  const auto known = decided_.find(key);
  if (known != decided_.end()) return known->second;
  const auto decide = [&]() -> Expr {
    // Whole numbers are compared half way between them: n > 0 where n > ½, n ≥ 0 where n > −½.
    if (is_whole_number(s)) return positive(s + (zero == Zero::in ? 0.5 : -0.5), Zero::out);
    const Term term = as_term(s);
    if (term.coefficient == 1.0) return decided(s, zero);
    if (term.coefficient > 0.0) return positive(term.core, zero);
    return negated(positive(term.core, opposite(zero)));
  };
  const Expr result = decide();
  decided_.emplace(key, result);
  return result;
}

/// u ≠ 0: always, but for a u that is zero for a while.
Expr Decision::not_zero(Expr u) {
  const Expr above = positive(u, Zero::out);
  const Expr below = positive(-u, Zero::out);
  return below == negated(above) ? graph_.truth(true) : either(above, below);
}

/// The same for an s without a number in front.
Expr Decision::decided(Expr s, Zero zero) {
  if (s.op() == Op::sqrt && zero == Zero::in) return graph_.truth(true);
  if (has_the_sign_of_its_argument(s.op())) return positive(s.arg(0), zero);
  if (s.op() == Op::exp || s.op() == Op::cosh) return graph_.truth(true);
  if (s.op() == Op::abs || is_even_power(s)) return zero == Zero::in ? graph_.truth(true) : not_zero(s.arg(0));
  switch (s.op()) {
    case Op::sum: return of_sum(s, zero);
    case Op::product: return zero == Zero::out ? of_product(s) : negated(of_product(-s));
    case Op::power: return positive(s.arg(0), zero);
    case Op::log: return positive(s.arg(0) - 1.0, zero);
    case Op::max: return either(positive(s.arg(0), zero), positive(s.arg(1), zero));
    case Op::min: return both(positive(s.arg(0), zero), positive(s.arg(1), zero));
    case Op::select: return chosen(on_sides(s.arg(0)), positive(s.arg(1), zero), positive(s.arg(2), zero));
    default: return of_jump(s, zero);
  }
}

/// a b … > 0
Expr Decision::of_product(Expr s) {
  Expr above = graph_.truth(true);  // of the factors so far
  Expr below = graph_.truth(false);
  Expr constant = graph_.constant(1.0);  // in time
  for (std::size_t i = 0; i < s.arity(); ++i) {
    const Expr factor = s.arg(i);
    if (!changes(factor)) {
      constant = constant * factor;
      continue;
    }
    const Expr base = is_integer_power(factor) ? factor.arg(0) : factor;
    const Expr up = is_even_power(factor) ? not_zero(base) : positive(base, Zero::out);
    const Expr down = is_even_power(factor) ? graph_.truth(false) : positive(-base, Zero::out);
    const Expr both_signs[] = {either(both(above, up), both(below, down)), either(both(above, down), both(below, up))};
    above = both_signs[0];
    below = both_signs[1];
  }
  return by_sign_of(constant, above, below);
}

Expr Decision::of_sum(Expr s, Zero zero) {
  if (parts_ < most_parts) {
    ++parts_;
    if (const auto result = of_extreme_term(s, zero)) return *result;
    if (const auto result = of_floor_term(s, zero)) return *result;
    if (const auto result = of_even_powers(s, zero)) return *result;
    if (const auto result = of_root(s, zero)) return *result;
  }
  return of_jump(s, zero);
}

Expr Decision::by_sign_of(Expr p, Expr if_positive, Expr if_negative) {
  if (p.is_constant()) return p.value() > 0.0 ? if_positive : if_negative;
  return chosen(apply(Op::positive, p), if_positive, if_negative);
}

/// The first term of a sum that is p · core with a p that does not change and a core that is wanted.
template <class Wanted>
std::optional<Decision::Part> Decision::part(Expr s, Wanted wanted) {
  for (std::size_t i = 0; i < s.arity(); ++i) {
    const Expr term = s.arg(i);
    if (!changes(term)) continue;
    if (wanted(term)) return Part{graph_.constant(1.0), term, s - term};
    if (term.op() != Op::product) continue;
    Expr p = graph_.constant(1.0);
    std::optional<Expr> core;
    bool single = true;
    for (std::size_t j = 0; j < term.arity(); ++j) {
      if (!changes(term.arg(j))) p = p * term.arg(j);
      else if (core) single = false;
      else core = term.arg(j);
    }
    if (single && wanted(*core)) return Part{p, *core, s - term};
  }
  return std::nullopt;
}

/// rest + p max(a, b) > 0 where one of rest + p a and rest + p b is, for p > 0; both, for p < 0.
std::optional<Expr> Decision::of_extreme_term(Expr s, Zero zero) {
  const auto found = part(s, [](Expr e) { return e.op() == Op::abs || e.op() == Op::max || e.op() == Op::min; });
  if (!found) return std::nullopt;
  const auto& [p, core, rest] = *found;
  const Expr a = positive(rest + p * core.arg(0), zero);
  const Expr b = positive(core.op() == Op::abs ? rest - p * core.arg(0) : rest + p * core.arg(1), zero);
  const bool largest = core.op() != Op::min;
  return by_sign_of(p, largest ? either(a, b) : both(a, b), largest ? both(a, b) : either(a, b));
}

/// ⌊w⌋ against a level that does not change, and w − ⌊w⌋ against one.
std::optional<Expr> Decision::of_floor_term(Expr s, Zero zero) {
  const auto found = part(s, [](Expr e) { return e.op() == Op::floor; });
  if (!found) return std::nullopt;
  const auto& [p, core, rest] = *found;
  const Expr w = core.arg(0);
  if (split(w)) return std::nullopt;
  if (!changes(rest)) {  // ⌊w⌋ > y where w ≥ ⌊y⌋ + 1,  ⌊w⌋ ≥ y where w ≥ ⌈y⌉
    const Expr y = -rest / p;
    const auto reaches = [&](Zero at) {
      return positive(w - (at == Zero::out ? floor(y) + 1.0 : ceiling(y)), Zero::in);
    };
    return by_sign_of(p, reaches(zero), negated(reaches(opposite(zero))));
  }
  const Expr level = rest + p * w;
  if (changes(level)) return std::nullopt;
  const Expr d = level / p;  // s = p (d − (w − ⌊w⌋))
  const Expr first = side_of(whole_parts(w).surface);  // half of the way from one whole number to the next
  const Expr second = negated(side_of(whole_parts(w - d).surface));
  const Expr within = chosen(apply(Op::positive, 0.5 - d), both(first, second), either(first, second));
  const Expr below = either(apply(Op::nonnegative, d - 1.0), both(apply(Op::positive, d), within));
  return by_sign_of(p, below, negated(below));
}

/// u^2k against a level that does not change, and against v^2k.
std::optional<Expr> Decision::of_even_powers(Expr s, Zero zero) {
  const auto found = part(s, [](Expr e) { return is_even_power(e) && e.arg(1).value() > 0.0; });
  if (!found) return std::nullopt;
  const auto& [p, core, rest] = *found;
  const Expr u = core.arg(0);
  const double exponent = 1.0 / core.arg(1).value();
  const auto root = [&](Expr y) { return pow(y, graph_.constant(exponent)); };
  if (!changes(rest)) {
    const Expr y = -rest / p;
    const Expr w = root(is_nonnegative(y, {}) ? y : apply(Op::max, y, graph_.constant(0.0)));
    const auto outside = [&](Zero at) { return either(positive(u - w, at), positive(-u - w, at)); };
    return by_sign_of(p, outside(zero), negated(outside(opposite(zero))));
  }
  const Term other = as_term(rest);
  const bool alike = is_even_power(other.core) && other.core.arg(1) == core.arg(1);
  if (!alike || !p.is_constant() || p.value() * other.coefficient >= 0.0) return std::nullopt;
  const Expr a = std::pow(std::abs(p.value()), exponent) * u;
  const Expr b = std::pow(std::abs(other.coefficient), exponent) * other.core.arg(0);
  return positive((p.value() > 0.0 ? a - b : b - a) * (a + b), zero);
}

/// sqrt(g) and other roots and powers of what is not negative, against a level that does not change.
std::optional<Expr> Decision::of_root(Expr s, Zero zero) {
  const auto exponent = [](Expr e) {
    if (e.op() == Op::sqrt) return 0.5;
    return is_partial(e) && e.op() == Op::power && e.arg(1).is_constant() ? e.arg(1).value() : 0.0;
  };
  const auto found = part(s, [&](Expr e) { return exponent(e) > 0.0; });
  if (!found || changes(found->rest)) return std::nullopt;
  const auto& [p, core, rest] = *found;
  const Expr y = -rest / p;
  const Expr level =
      pow(is_nonnegative(y, {}) ? y : apply(Op::max, y, graph_.constant(0.0)), graph_.constant(1.0 / exponent(core)));
  const auto above = [&](Zero at) { return either(apply(Op::positive, -y), positive(core.arg(0) - level, at)); };
  return by_sign_of(p, above(zero), negated(above(opposite(zero))));
}

/// What is below s, arguments first, without what decides inside it and without stairs.
std::vector<Expr> Decision::inside(Expr s) {
  std::set<std::uint32_t> seen = {s.id()};
  std::vector<Expr> open = {s};
  while (!open.empty()) {
    const Expr e = open.back();
    open.pop_back();
    if (e.op() == Op::hold) continue;
    for (std::size_t i = e.op() == Op::select ? 1 : 0; i < e.arity(); ++i)
      if (changes(e.arg(i)) && seen.insert(e.arg(i).id()).second) open.push_back(e.arg(i));
  }
  std::vector<Expr> result;
  for (const std::uint32_t id : seen) result.push_back(graph_.at(id));
  return result;
}

std::optional<Decision::Split> Decision::split(Expr e) {
  const auto either_way = [&](Expr node, Expr condition, Expr above, Expr below) {
    const Expr from[] = {node};
    const Expr to[] = {above, below};
    return Split{condition, substitute(e, from, std::span(to, 1)), substitute(e, from, std::span(to + 1, 1))};
  };
  for (const Expr& node : inside(e)) {
    const auto arg = [&](std::size_t i) { return node.arg(i); };
    switch (node.op()) {
      case Op::select:
        if (!changes(arg(0))) break;
        return either_way(node, on_sides(arg(0)), arg(1), arg(2));
      case Op::sign: {
        const Expr zero_or_below = select(apply(Op::nonnegative, arg(0)), graph_.constant(0.0), graph_.constant(-1.0));
        const bool stays = not_zero(arg(0)).op() != Op::truth;
        return either_way(node, side_of(arg(0)), graph_.constant(1.0), stays ? zero_or_below : graph_.constant(-1.0));
      }
      case Op::max: return either_way(node, side_of(arg(0) - arg(1)), arg(0), arg(1));
      case Op::min: return either_way(node, side_of(arg(0) - arg(1)), arg(1), arg(0));
      default: break;
    }
  }
  return std::nullopt;
}

/// A part of s that jumps is replaced by its values on both sides, and so are max and min, which may stay at a zero of s for a while.
/// Without such a part, s is a surface.
Expr Decision::of_jump(Expr s, Zero zero) {
  if (parts_ >= most_parts) return surface(s);
  ++parts_;
  std::optional<Split> parts = split(s);
  const std::vector<Expr> nodes = inside(s);
  const auto whole = std::find_if(nodes.begin(), nodes.end(), [](const Expr& e) { return e.op() == Op::floor; });
  if (!parts && whole != nodes.end()) {
    const Expr u = whole->arg(0);
    const Expr from[] = {*whole};
    const Expr to[] = {stairs(u), stairs(u - 0.5)};
    for (const Expr& each : to) named_stairs_.emplace(each.id(), *whole);
    parts = Split{side_of(whole_parts(u).surface), substitute(s, from, std::span(to, 1)),
                  substitute(s, from, std::span(to + 1, 1))};
  }
  if (!parts) return surface(s);
  return chosen(parts->condition, positive(parts->above, zero), positive(parts->below, zero));
}

/// Surfaces of the kinks that stay inside s.
std::vector<std::size_t> Decision::switches_inside(Expr s) {
  std::set<std::size_t> found;
  const auto note = [&](Expr c) {
    const Expr roots[] = {c};
    for (const Expr& symbol : symbols_of(roots))
      for (std::size_t k = 0; k < switches_.size(); ++k)
        if (switches_[k].side == symbol) found.insert(k);
  };
  for (const Expr& e : inside(s)) {
    if (e.op() == Op::floor) note(side_of(whole_parts(e.arg(0)).surface));
    else if (e.op() == Op::select) note(on_sides(e.arg(0)));
    else if (const auto decides = deciding_function(e)) note(side_of(*decides));
  }
  return {found.begin(), found.end()};
}

/// Surfaces that differ by a number in front are one.
static Expr with_first_coefficient_one(Expr s) {
  if (s.op() != Op::sum) return s;
  const double first = std::abs(as_term(s.arg(s.arg(0).is_constant() ? 1 : 0)).coefficient);
  std::vector<Expr> terms;
  for (std::size_t i = 0; i < s.arity(); ++i) {
    const Term term = as_term(s.arg(i));
    terms.push_back((term.coefficient / first) * term.core);
  }
  return s.graph().sum(terms);
}

/// With floor(u) in place of its stairs: for the reader the surface made of both halves is one.
std::string Decision::as_written(Expr s) const {
  const Expr roots[] = {s};
  const auto name = [&](Expr e) -> std::optional<Expr> {
    const auto known = named_stairs_.find(e.id());
    return known == named_stairs_.end() ? std::nullopt : std::optional(known->second);
  };
  return printed(substitute(roots, graph_, name).front(), longest_text);
}

Expr Decision::surface(Expr s) {
  const Expr oriented = oriented_surface(s, variables_);
  const std::uint32_t key = with_first_coefficient_one(oriented).id();
  auto known = surface_index_.find(key);
  if (known == surface_index_.end()) {
    std::vector<std::size_t> depends = switches_inside(s);
    const std::size_t k = switches_.size();
    if (k == most_switches)
      throw GraphLimit(ExitCode::model, fmt::format("the model has more than {} switches", most_switches));
    known = surface_index_.emplace(key, k).first;
    switches_.push_back({continued_everywhere(with_straight_triangles(oriented)), as_written(oriented), span_,
                         graph_.symbol(fmt::format("#side{}", k)), std::move(depends)});
  }
  const Expr above = apply(Op::positive, switches_[known->second].side);
  return oriented == s ? above : negated(above);
}

std::optional<Expr> Decision::fact(Expr condition) const {
  const bool below = condition.op() == Op::negation;
  const Expr literal = below ? condition.arg(0) : condition;
  if (literal.op() != Op::positive) return std::nullopt;
  for (const Switch& each : switches_)
    if (each.side == literal.arg(0)) return below ? -each.s : each.s;
  return std::nullopt;
}

}  // namespace saltus
