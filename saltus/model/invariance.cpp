#include "saltus/model/invariance.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "saltus/expr/differentiate.hpp"
#include "saltus/model/model.hpp"

namespace saltus {
namespace {

using Coefficients = std::map<std::size_t, Expr>;

/// The period of a function of one argument; 0: it has none.
double period_of(Op op) {
  switch (op) {
    case Op::sin:
    case Op::cos: return 2.0 * std::numbers::pi;
    case Op::tan: return std::numbers::pi;
    default: return 0.0;
  }
}

/// Collects the forms that expressions contain.
class Collector {
 public:
  explicit Collector(const Model& model) : graph_(*model.graph), one_(graph_.constant(1.0)) {
    for (std::size_t i = 0; i < model.q.size(); ++i) moved_[model.q[i].id()] = i;
    for (std::size_t i = 0; i < model.z.size(); ++i) moved_[model.z[i].id()] = 2 * model.n() + i;
    for (const Parameter& parameter : model.parameters) given_.insert(parameter.symbol.id());
  }

  /// What must hold for `e` not to change.
  void hold(Expr e) {
    if (!is_moved(e) || !held_.insert(e.id()).second) return;
    const double period = period_of(e.op());
    if (period > 0.0) {
      add(linear_part(e.arg(0)), period);
      return;
    }
    switch (e.op()) {
      case Op::symbol:
      case Op::sum:
      case Op::product:
      case Op::floor:
      case Op::hold: add(linear_part(e), 0.0); return;
      default:
        for (std::size_t i = 0; i < e.arity(); ++i) hold(e.arg(i));
    }
  }

  std::vector<LinearForm> forms;

 private:
  /// Depends on what a translation moves.
  bool is_moved(Expr e) {
    if (const auto known = is_moved_.find(e.id()); known != is_moved_.end()) return known->second;
    bool moved = moved_.contains(e.id());
    for (std::size_t i = 0; i < e.arity() && !moved; ++i) moved = is_moved(e.arg(i));
    return is_moved_[e.id()] = moved;
  }

  /// Depends on parameters alone.
  bool is_given(Expr e) {
    if (const auto known = is_given_.find(e.id()); known != is_given_.end()) return known->second;
    bool given = e.op() != Op::symbol || given_.contains(e.id());
    for (std::size_t i = 0; i < e.arity() && given; ++i) given = is_given(e.arg(i));
    return is_given_[e.id()] = given;
  }

  /// e = Σ cᵢ xᵢ + what is held: returns the cᵢ. Terms cᵢ xᵢ m with the same m, which is held, are forms of their own.
  Coefficients linear_part(Expr e) {
    std::unordered_map<std::uint32_t, Coefficients> parts;  // by the id of m
    split(e, one_, parts);
    Coefficients linear;
    for (auto& [m, coefficients] : parts) {
      if (m == one_.id()) {
        linear = std::move(coefficients);
        continue;
      }
      add(coefficients, 0.0);
      hold(graph_.at(m));
    }
    return linear;
  }

  /// Adds the terms of `factor` · e, where `factor` is given.
  void split(Expr e, Expr factor, std::unordered_map<std::uint32_t, Coefficients>& parts) {
    if (!is_moved(e)) return;
    switch (e.op()) {
      case Op::hold: split(e.arg(0), factor, parts); return;
      case Op::sum:
        for (std::size_t i = 0; i < e.arity(); ++i) split(e.arg(i), factor, parts);
        return;
      case Op::symbol:
      case Op::floor: put(e, factor, parts[one_.id()]); return;
      case Op::product: split_product(e, factor, parts); return;
      default: hold(e);
    }
  }

  void split_product(Expr e, Expr factor, std::unordered_map<std::uint32_t, Coefficients>& parts) {
    std::vector<Expr> moved, others;
    for (std::size_t i = 0; i < e.arity(); ++i) {
      const Expr arg = e.arg(i);
      if (is_moved(arg)) moved.push_back(arg);
      else if (is_given(arg)) factor = factor * arg;
      else others.push_back(arg);
    }
    if (moved.size() == 1 && others.empty()) return split(moved.front(), factor, parts);
    std::optional<std::size_t> symbol;
    for (std::size_t i = 0; i < moved.size(); ++i)
      if (moved[i].op() == Op::symbol || (moved[i].op() == Op::floor && !symbol)) symbol = i;
    if (!symbol) {
      for (const Expr& each : moved) hold(each);
      return;
    }
    for (std::size_t i = 0; i < moved.size(); ++i)
      if (i != *symbol) others.push_back(moved[i]);
    put(moved[*symbol], factor, parts[graph_.product(others).id()]);
  }

  /// A symbol, or ⌊u⌋: that moves as u does, if u moves by a whole number. So mod(x, a) = x − a⌊x/a⌋ stays when x moves by
  /// a multiple of a.
  void put(Expr moved, Expr coefficient, Coefficients& form) {
    if (moved.op() == Op::symbol) return put(moved_.at(moved.id()), coefficient, form);
    const Coefficients inner = linear_part(moved.arg(0));
    add(inner, 1.0);
    for (const auto& [component, slope] : inner) put(component, coefficient * slope, form);
  }

  void put(std::size_t component, Expr coefficient, Coefficients& form) {
    const auto [place, is_new] = form.emplace(component, coefficient);
    if (is_new) return;
    const Expr sum = place->second + coefficient;
    // a · (1/a) is 1 up to rounding: what remains of 1 − a (1/a) is nothing.
    constexpr double rounding = 8.0 * std::numeric_limits<double>::epsilon();
    const bool vanishes = sum.op() != Op::sum && std::abs(size_of(sum)) <= rounding * std::abs(size_of(coefficient));
    if (vanishes) form.erase(place);
    else place->second = sum;
  }

  /// Its number in front.
  static double size_of(Expr e) { return e.is_constant() ? e.value() : as_term(e).coefficient; }

  void add(const Coefficients& coefficients, double period) {
    if (!coefficients.empty()) forms.push_back({coefficients, period});
  }

  Graph& graph_;
  Expr one_;
  std::unordered_map<std::uint32_t, std::size_t> moved_;  // symbol → component of x
  std::unordered_set<std::uint32_t> given_, held_;
  std::unordered_map<std::uint32_t, bool> is_moved_, is_given_;
};

/// What decides the motion. Energies as they are written, not what is derived from them: multiplied out, a force of (q1 − q2)³
/// would not show that it depends on the difference alone.
std::vector<Expr> deciding_expressions(const Model& model) {
  std::vector<Expr> all;
  const auto add = [&](const std::vector<Located>& list) {
    for (const Located& each : list) all.push_back(each.expr);
  };
  if (model.energies) {
    all.push_back(model.energies->kinetic.expr);
    for (const Expr& q : model.q) all.push_back(differentiate(model.energies->potential.expr, q));
    if (model.energies->dissipation) all.push_back(model.energies->dissipation->expr);
    add(model.energies->applied);
  } else {
    add(model.mass);
    add(model.force);
  }
  add(model.rates);
  for (const Contact& contact : model.contacts) all.push_back(contact.gap.expr);
  return all;
}

}  // namespace

Invariance invariance_of(const Model& model) {
  Collector collector(model);
  for (const Expr& each : deciding_expressions(model)) collector.hold(each);
  Invariance result;
  result.graph = model.graph;
  for (const Parameter& parameter : model.parameters) result.parameters.push_back(parameter.name);
  for (std::size_t i = 0; i < model.n(); ++i) result.components.push_back(i);
  for (std::size_t i = 0; i < model.states.size(); ++i) result.components.push_back(2 * model.n() + i);
  result.forms = std::move(collector.forms);
  return result;
}

}  // namespace saltus
