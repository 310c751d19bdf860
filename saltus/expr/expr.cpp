#include "saltus/expr/expr.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <numbers>
#include <optional>
#include <set>

#include "saltus/expr/even_root.hpp"
#include "saltus/expr/fold.hpp"
#include "saltus/expr/whole_number.hpp"

namespace saltus {
namespace {

constexpr int largest_integer_power = 64;

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  std::uint64_t z = a * 0x9E3779B97F4A7C15U + b + 0x632BE59BD9B4E019U;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

std::uint64_t hash_of_name(std::string_view name) {
  std::uint64_t hash = 0xCBF29CE484222325U;  // FNV-1a: the same on every machine, unlike std::hash
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return hash;
}

/// The order of terms and factors: constants first, then by structure. Equal hashes of different nodes are
/// possible in principle; the id then keeps the order total.
bool canonical_less(const Expr& a, const Expr& b) {
  if (a.is_constant() != b.is_constant()) return a.is_constant();
  const std::uint64_t hash_a = a.graph().node(a.id()).hash;
  const std::uint64_t hash_b = b.graph().node(b.id()).hash;
  return hash_a != hash_b ? hash_a < hash_b : a.id() < b.id();
}

std::vector<std::uint32_t> ids_of(std::span<const Expr> args) {
  std::vector<std::uint32_t> ids;
  ids.reserve(args.size());
  for (const Expr& arg : args) ids.push_back(arg.id());
  return ids;
}

/// The number in front: of 3 x y it is 3.
double coefficient_of(Expr e) {
  if (e.is_constant()) return e.value();
  return e.op() == Op::product && e.arg(0).is_constant() ? e.arg(0).value() : 1.0;
}

/// A sum with a negative first term, or a product with a negative number: −e is then the canonical form, so that
/// sin(a − b) and sin(b − a) share one node.
bool leads_negative(Expr e) {
  if (e.op() == Op::sum) {
    const std::size_t first = e.arg(0).is_constant() ? 1 : 0;
    return coefficient_of(e.arg(first)) < 0.0;
  }
  return coefficient_of(e) < 0.0;
}

bool is_odd(Op op) {
  return op == Op::sin || op == Op::tan || op == Op::asin || op == Op::atan || op == Op::sinh || op == Op::tanh ||
         op == Op::sign;
}

bool is_even(Op op) { return op == Op::cos || op == Op::cosh || op == Op::abs; }

/// −e of a sum, term by term. The terms are ordered by their cores, so they keep their places.
Expr negated_sum(Expr e) {
  std::vector<Expr> terms;
  for (std::size_t i = 0; i < e.arity(); ++i) terms.push_back(-e.arg(i));
  return e.graph().sum(terms);
}

/// Collects like things: the number that goes with each core, cores in order of first appearance.
class Collector {
 public:
  void add(Expr core, double amount) {
    const auto [place, is_new] = index_.try_emplace(core.id(), entries_.size());
    if (is_new) {
      entries_.push_back({amount, core});
    } else {
      entries_[place->second].coefficient += amount;
    }
  }
  const std::vector<Term>& entries() const { return entries_; }

 private:
  std::unordered_map<std::uint32_t, std::size_t> index_;
  std::vector<Term> entries_;
};

void collect_terms(Expr e, double factor, double& constant, Collector& terms) {
  if (e.is_constant()) {
    constant += factor * e.value();
  } else if (e.op() == Op::sum) {
    for (std::size_t i = 0; i < e.arity(); ++i) collect_terms(e.arg(i), factor, constant, terms);
  } else {
    const Term term = as_term(e);
    terms.add(term.core, factor * term.coefficient);
  }
}

void collect_factors(Expr e, double& constant, Collector& factors) {
  if (e.is_constant()) {
    constant *= e.value();
  } else if (e.op() == Op::product) {
    for (std::size_t i = 0; i < e.arity(); ++i) collect_factors(e.arg(i), constant, factors);
  } else if (is_integer_power(e)) {
    factors.add(e.arg(0), e.arg(1).value());
  } else if (e.op() == Op::sum && leads_negative(e)) {
    constant = -constant;  // x (b − a) = −x (a − b)
    factors.add(negated_sum(e), 1.0);
  } else {
    factors.add(e, 1.0);
  }
}

/// Forms that show where a function has kinks, or none where it has none.
std::optional<Expr> simpler_function(Op op, Expr x) {
  if (op == Op::sqrt) return power_of_even_powers(x, 0.5);
  if (op == Op::exp) return exponential_of_logarithm(x);
  if (op == Op::floor) return simpler_floor(x);
  if (op == Op::abs && (x.op() == Op::abs || x.op() == Op::sqrt || x.op() == Op::exp || x.op() == Op::cosh)) return x;
  return std::nullopt;
}

/// base^exponent may have become something else than a power of its base, as sqrt(x)² = x does: then it may have to be
/// collected with other factors.
bool is_power_of(Expr e, Expr base) {
  if (e == base) return !is_integer_power(base);
  return e.op() == Op::power && e.arg(0) == base;
}

}  // namespace

bool is_condition(Op op) { return op >= Op::truth && op <= Op::negation; }

std::string_view name_of(Op op) {
  static constexpr std::string_view names[] = {
      "constant", "symbol",   "sum",         "product", "power", "sqrt", "exp",  "log",  "sin",  "cos", "tan",
      "asin",     "acos",     "atan",        "atan2",   "sinh",  "cosh", "tanh", "abs",  "sign", "min", "max",
      "truth",    "positive", "nonnegative", "and",     "or",    "not",  "if",   "hold", "floor"};
  return names[static_cast<std::size_t>(op)];
}

Op Expr::op() const { return graph_->node(id_).op; }
std::size_t Expr::arity() const { return graph_->node(id_).args.size(); }
Expr Expr::arg(std::size_t i) const { return {*graph_, graph_->node(id_).args[i]}; }
double Expr::value() const { return graph_->node(id_).value; }
const std::string& Expr::name() const { return graph_->node(id_).name; }

Expr Graph::intern(Op op, double value, std::string_view name, std::vector<std::uint32_t> args) {
  std::uint64_t hash = mixed(static_cast<std::uint64_t>(op), std::bit_cast<std::uint64_t>(value));
  if (op == Op::symbol) hash = mixed(hash, hash_of_name(name));
  int depth = 0;
  for (const std::uint32_t arg : args) {
    hash = mixed(hash, nodes_[arg].hash);
    depth = std::max(depth, nodes_[arg].depth + 1);
  }
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    const Node& known = nodes_[it->second];
    const bool same_value = std::bit_cast<std::uint64_t>(known.value) == std::bit_cast<std::uint64_t>(value);
    if (known.op == op && same_value && known.args == args && known.name == name) return {*this, it->second};
  }
  argument_count_ += args.size();
  if (nodes_.size() >= limits_.nodes || argument_count_ > limits_.arguments)
    throw GraphLimit(ExitCode::model, "the model's expressions are too large");
  if (depth > limits_.depth) throw GraphLimit(ExitCode::model, "the model's expressions nest too deeply");
  const auto id = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({op, depth, value, hash, std::move(args), std::string(name)});
  by_hash_.emplace(hash, id);
  return {*this, id};
}

Expr Graph::constant(double value) {
  return intern(Op::constant, value == 0.0 ? 0.0 : value, "", {});  // −0 and 0 are one number
}

Expr Graph::symbol(std::string_view name) { return intern(Op::symbol, 0.0, name, {}); }

Expr Graph::truth(bool value) { return intern(Op::truth, value ? 1.0 : 0.0, "", {}); }

/// c · core, where core has no number in front.
Expr Graph::scaled(double c, Expr core) {
  if (c == 1.0) return core;
  const Expr factors[] = {constant(c), core};
  return product(factors);
}

Expr Graph::sum(std::span<const Expr> terms) {
  double total = 0.0;
  Collector collected;
  for (const Expr& term : terms) collect_terms(term, 1.0, total, collected);
  std::vector<Term> kept;
  bool nested = false;
  for (const Term& term : collected.entries()) {
    if (term.coefficient == 0.0) continue;
    kept.push_back(term);
    nested = nested || (term.core.op() == Op::sum && std::abs(term.coefficient) == 1.0);
  }
  // The order is that of the cores, so that a sum and its negative list their terms alike.
  std::sort(kept.begin(), kept.end(), [](const Term& a, const Term& b) { return canonical_less(a.core, b.core); });
  std::vector<Expr> args;
  if (total != 0.0) args.push_back(constant(total));
  for (const Term& term : kept) args.push_back(scaled(term.coefficient, term.core));
  if (args.empty()) return constant(0.0);
  if (args.size() == 1) return args.front();
  if (nested) return sum(args);  // 3 (a + b) − 2 (a + b) left a bare a + b among the terms
  return intern(Op::sum, 0.0, "", ids_of(args));
}

Expr Graph::product(std::span<const Expr> factors) {
  double number = 1.0;
  Collector collected;
  for (const Expr& factor : factors) collect_factors(factor, number, collected);
  if (number == 0.0) return constant(0.0);
  std::vector<Expr> args;
  bool all_powers = true;
  for (const Term& factor : collected.entries()) {
    if (factor.coefficient == 0.0) continue;
    args.push_back(power(factor.core, constant(factor.coefficient)));
    all_powers = all_powers && is_power_of(args.back(), factor.core);
  }
  if (!all_powers) {
    args.push_back(constant(number));
    return product(args);
  }
  if (args.empty()) return constant(number);
  if (number == -1.0 && args.size() == 1 && args.front().op() == Op::sum) return negated_sum(args.front());
  std::sort(args.begin(), args.end(), canonical_less);
  if (number != 1.0) args.insert(args.begin(), constant(number));
  if (args.size() == 1) return args.front();
  return intern(Op::product, 0.0, "", ids_of(args));
}

Expr Graph::power(Expr base, Expr exponent) {
  if (exponent.is_constant(0.0)) return constant(1.0);
  if (exponent.is_constant(1.0)) return base;
  if (base.is_constant(1.0)) return base;
  if (base.is_constant() && exponent.is_constant()) return constant(folded_power(base.value(), exponent.value()));
  if (exponent.is_constant(0.5)) return sqrt(base);
  if (exponent.is_constant(-0.5)) return power(sqrt(base), constant(-1.0));
  const double k = exponent.is_constant() ? exponent.value() : 0.5;
  const bool whole = k == std::floor(k) && std::abs(k) <= largest_integer_power;
  if (whole && is_integer_power(base) && std::abs(k * base.arg(1).value()) <= largest_integer_power)
    return power(base.arg(0), constant(k * base.arg(1).value()));
  if (whole && base.op() == Op::sqrt && std::fmod(k, 2.0) == 0.0) return power(base.arg(0), constant(k / 2.0));
  if (whole && base.op() == Op::product) {
    std::vector<Expr> factors;
    for (std::size_t i = 0; i < base.arity(); ++i) factors.push_back(power(base.arg(i), exponent));
    return product(factors);
  }
  if (whole && base.op() == Op::sum && leads_negative(base)) {
    const Expr factors[] = {constant(std::fmod(k, 2.0) == 0.0 ? 1.0 : -1.0), power(negated_sum(base), exponent)};
    return product(factors);
  }
  if (whole && base.op() == Op::abs && std::fmod(k, 2.0) == 0.0) return power(base.arg(0), exponent);
  if (!whole && exponent.is_constant())
    if (const auto rooted = power_of_even_powers(base, k)) return *rooted;
  return intern(Op::power, 0.0, "", {base.id(), exponent.id()});
}

Expr Graph::function(Op op, std::span<const Expr> args) {
  std::vector<Expr> ordered(args.begin(), args.end());
  if (std::all_of(args.begin(), args.end(), [](const Expr& a) { return a.is_constant(); }))
    return constant(folded(op, args[0].value(), args.size() > 1 ? args[1].value() : 0.0));
  if (const auto simpler = simpler_function(op, args[0])) return *simpler;
  if (is_even(op) && leads_negative(args[0])) ordered[0] = -args[0];
  if (is_odd(op) && leads_negative(args[0])) {
    ordered[0] = -args[0];
    return -function(op, ordered);
  }
  if (op == Op::min || op == Op::max) {
    if (args[0] == args[1]) return args[0];
    std::sort(ordered.begin(), ordered.end(), canonical_less);
  }
  return intern(op, 0.0, "", ids_of(ordered));
}

Expr Graph::condition(Op op, std::span<const Expr> args) {
  const Expr a = args[0];
  const Expr b = args.size() > 1 ? args[1] : a;
  switch (op) {
    case Op::positive:
    case Op::nonnegative: {
      if (a.is_constant()) return truth(op == Op::positive ? a.value() > 0.0 : a.value() >= 0.0);
      if (!leads_negative(a)) break;
      const Expr opposite[] = {-a};
      const Expr inner = intern(op == Op::positive ? Op::nonnegative : Op::positive, 0.0, "", ids_of(opposite));
      return intern(Op::negation, 0.0, "", {inner.id()});
    }
    case Op::negation:
      if (a.op() == Op::truth) return truth(a.value() == 0.0);
      if (a.op() == Op::negation) return a.arg(0);
      break;
    case Op::both:
    case Op::either: {
      const double decisive = op == Op::both ? 0.0 : 1.0;
      if (a.op() == Op::truth) return a.value() == decisive ? a : b;
      if (b.op() == Op::truth) return b.value() == decisive ? b : a;
      if (a == b) return a;
      const bool in_order = canonical_less(a, b);
      return intern(op, 0.0, "", {(in_order ? a : b).id(), (in_order ? b : a).id()});
    }
    default: assert(false);
  }
  return intern(op, 0.0, "", {a.id()});
}

Expr Graph::select(Expr condition, Expr if_true, Expr if_false) {
  if (condition.op() == Op::truth) return condition.value() != 0.0 ? if_true : if_false;
  if (if_true == if_false) return if_true;
  if (condition.op() == Op::negation) return select(condition.arg(0), if_false, if_true);
  return intern(Op::select, 0.0, "", {condition.id(), if_true.id(), if_false.id()});
}

Expr Graph::make(Op op, std::span<const Expr> args) {
  if (op == Op::sum) return sum(args);
  if (op == Op::product) return product(args);
  if (op == Op::power) return power(args[0], args[1]);
  if (op == Op::select) return select(args[0], args[1], args[2]);
  return saltus::is_condition(op) ? condition(op, args) : function(op, args);
}

Expr operator+(Expr a, Expr b) {
  const Expr terms[] = {a, b};
  return a.graph().sum(terms);
}
Expr operator*(Expr a, Expr b) {
  const Expr factors[] = {a, b};
  return a.graph().product(factors);
}
Expr operator-(Expr a) { return -1.0 * a; }
Expr operator-(Expr a, Expr b) { return a + (-b); }
Expr operator/(Expr a, Expr b) { return a * pow(b, -1); }
Expr operator+(Expr a, double b) { return a + a.graph().constant(b); }
Expr operator+(double a, Expr b) { return b + a; }
Expr operator-(Expr a, double b) { return a + (-b); }
Expr operator-(double a, Expr b) { return a + (-b); }
Expr operator*(double a, Expr b) { return b.graph().constant(a) * b; }
Expr operator/(Expr a, double b) { return a * a.graph().constant(1.0 / b); }
Expr operator/(double a, Expr b) { return a * pow(b, -1); }

Expr pow(Expr base, int exponent) { return base.graph().power(base, base.graph().constant(exponent)); }
Expr pow(Expr base, Expr exponent) { return base.graph().power(base, exponent); }

Expr apply(Op op, Expr x) {
  const Expr args[] = {x};
  return x.graph().make(op, args);
}
Expr apply(Op op, Expr x, Expr y) {
  const Expr args[] = {x, y};
  return x.graph().make(op, args);
}
Expr sqrt(Expr x) { return apply(Op::sqrt, x); }
Expr sin(Expr x) { return apply(Op::sin, x); }
Expr cos(Expr x) { return apply(Op::cos, x); }
Expr greater(Expr a, Expr b) { return apply(Op::positive, a - b); }
Expr greater_equal(Expr a, Expr b) { return apply(Op::nonnegative, a - b); }
Expr hold(Expr x) {
  const bool single = x.arity() == 0 || x.op() == Op::hold;
  return single ? x : apply(Op::hold, x);
}
Expr select(Expr condition, Expr if_true, Expr if_false) {
  return condition.graph().select(condition, if_true, if_false);
}

Term as_term(Expr e) {
  if (e.is_constant()) return {e.value(), e.graph().constant(1.0)};
  if (e.op() != Op::product || !e.arg(0).is_constant()) return {1.0, e};
  if (e.arity() == 2) return {e.arg(0).value(), e.arg(1)};
  std::vector<Expr> rest;
  for (std::size_t i = 1; i < e.arity(); ++i) rest.push_back(e.arg(i));
  return {e.arg(0).value(), e.graph().product(rest)};
}

bool is_integer_power(Expr e) {
  if (e.op() != Op::power || !e.arg(1).is_constant()) return false;
  const double k = e.arg(1).value();
  return k == std::floor(k) && std::abs(k) <= largest_integer_power;
}

bool is_even_power(Expr e) { return is_integer_power(e) && std::fmod(e.arg(1).value(), 2.0) == 0.0; }

std::vector<std::uint32_t> reachable(std::span<const Expr> roots) {
  if (roots.empty()) return {};
  const Graph& graph = roots.front().graph();
  std::uint32_t top = 0;
  for (const Expr& root : roots) top = std::max(top, root.id());
  std::vector<bool> used(top + 1U, false);
  for (const Expr& root : roots) used[root.id()] = true;
  for (std::uint32_t id = top + 1; id-- > 0;) {
    if (!used[id]) continue;
    for (const std::uint32_t arg : graph.node(id).args) used[arg] = true;
  }
  std::vector<std::uint32_t> ids;
  for (std::uint32_t id = 0; id <= top; ++id)
    if (used[id]) ids.push_back(id);
  return ids;
}

bool depends_on(Expr e, Expr symbol) {
  const Expr roots[] = {e};
  const std::vector<std::uint32_t> ids = reachable(roots);
  return std::binary_search(ids.begin(), ids.end(), symbol.id());
}

std::vector<Expr> symbols_of(std::span<const Expr> roots) {
  std::vector<Expr> symbols;
  for (const std::uint32_t id : reachable(roots)) {
    const Expr e = roots.front().graph().at(id);
    if (e.op() == Op::symbol) symbols.push_back(e);
  }
  std::sort(symbols.begin(), symbols.end(), [](const Expr& a, const Expr& b) { return a.name() < b.name(); });
  return symbols;
}

}  // namespace saltus
