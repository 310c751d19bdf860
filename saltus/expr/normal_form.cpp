#include "saltus/expr/normal_form.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>

#include "saltus/expr/angle_sums.hpp"
#include "saltus/expr/factoring.hpp"

namespace saltus {
namespace {

constexpr std::size_t most_compared = 20'000'000;   // nodes visited to compare arguments; then they stay as they are

int operations(Expr e) {
  const Expr roots[] = {e};
  return operation_count(roots);
}

/// Which powers of sums are multiplied out. (x − x₀)³ is cheap and accurate as it stands; (l₁ cos a a' + …)² hides
/// cos² + sin². Which is better for the whole is found by trying both.
enum class Powers { all, of_sines_and_cosines };

class Normalizer {
 public:
  Normalizer(Graph& graph, Powers powers) : graph_(graph), powers_(powers), expansion_(graph) {}

  Expr of(Expr root) {
    const Expr roots[] = {root};
    for (const std::uint32_t id : reachable(roots)) visit(graph_.at(id));
    return root.is_condition() ? conditions_.at(root.id()) : factored(root);
  }

 private:
  void visit(Expr e) {
    if (e.is_condition()) {
      conditions_.emplace(e.id(), e.op() == Op::truth ? e : rebuilt(e));
    } else {
      polynomials_.emplace(e.id(), expanded(e));
    }
  }

  Polynomial expanded(Expr e) {
    switch (e.op()) {
      case Op::constant: return expansion_.constant(e.value());
      case Op::symbol: return expansion_.shallow(e);
      case Op::sum: return with_angle_sums(graph_, sum(e));
      case Op::product:
        if (auto p = product(e)) return *std::move(p);
        break;
      case Op::power:
        if (auto p = power(e)) return *std::move(p);
        break;
      default: break;
    }
    return expansion_.shallow(rebuilt(e));
  }

  const Polynomial& polynomial(Expr e) const { return polynomials_.at(e.id()); }

  Polynomial sum(Expr e) const {
    std::vector<const Polynomial*> terms;
    for (std::size_t i = 0; i < e.arity(); ++i) terms.push_back(&polynomial(e.arg(i)));
    return expansion_.sum(terms);
  }

  std::optional<Polynomial> product(Expr e) {
    std::optional<Polynomial> p = expansion_.constant(1.0);
    for (std::size_t i = 0; i < e.arity() && p; ++i) p = expansion_.product(*p, polynomial(e.arg(i)));
    return p;
  }

  std::optional<Polynomial> power(Expr e) {
    if (!is_integer_power(e)) return std::nullopt;
    const Polynomial& base = polynomial(e.arg(0));
    if (base.size() > 1 && powers_ == Powers::of_sines_and_cosines && !has_sine_or_cosine(base)) return std::nullopt;
    return expansion_.power(base, static_cast<int>(e.arg(1).value()));
  }

  bool has_sine_or_cosine(const Polynomial& p) const {
    return std::any_of(p.begin(), p.end(), [&](const auto& entry) {
      return std::any_of(entry.first.begin(), entry.first.end(), [&](const Factor& f) {
        const Op op = graph_.at(f.atom).op();
        return op == Op::sin || op == Op::cos;
      });
    });
  }

  /// The node with its arguments in normal form.
  Expr rebuilt(Expr e) {
    std::vector<Expr> args;
    for (std::size_t i = 0; i < e.arity(); ++i)
      args.push_back(e.arg(i).is_condition() ? conditions_.at(e.arg(i).id()) : cheaper(e.arg(i)));
    return graph_.make(e.op(), args);
  }

  Expr cheaper(Expr e) {
    if (e.arity() == 0) return e;
    const auto [place, is_new] = chosen_.try_emplace(e.id(), e);
    compared_ += e.id();  // that many nodes are walked through
    if (!is_new || compared_ > most_compared) return place->second;
    const Expr f = factored(e);
    if (operations(f) <= operations(e)) place->second = f;
    return place->second;
  }

  Expr factored(Expr e) const {
    return saltus::factored(graph_, with_squared_sines(graph_, with_angle_sums(graph_, polynomial(e))));
  }

  Graph& graph_;
  Powers powers_;
  Expansion expansion_;
  std::unordered_map<std::uint32_t, Polynomial> polynomials_;
  std::unordered_map<std::uint32_t, Expr> conditions_;
  std::unordered_map<std::uint32_t, Expr> chosen_;
  std::size_t compared_ = 0;
};

/// Multiplications of x^k by repeated squaring, and one division.
int operations_of_power(Expr e) {
  if (!is_integer_power(e)) return 10;
  const auto k = static_cast<unsigned>(std::abs(e.arg(1).value()));
  return static_cast<int>(std::bit_width(k)) - 1 + std::popcount(k) - 1 + (e.arg(1).value() < 0.0 ? 1 : 0);
}

}  // namespace

Expr normal_form(Expr e) {
  Expr best = e;
  int least = operations(e);
  for (const Powers powers : {Powers::of_sines_and_cosines, Powers::all}) {
    const Expr candidate = Normalizer(e.graph(), powers).of(e);
    const int count = operations(candidate);
    if (count > least || (powers == Powers::all && count == least)) continue;
    best = candidate;
    least = count;
  }
  return best;
}

int operation_count(std::span<const Expr> roots) {
  int count = 0;
  const std::vector<std::uint32_t> ids = reachable(roots);
  std::vector<bool> angles(ids.empty() ? 0 : ids.back(), false);  // those whose sine or cosine is computed already
  for (const std::uint32_t id : ids) {
    const Expr e = roots.front().graph().at(id);
    const auto joins = static_cast<int>(e.arity()) - 1;
    switch (e.op()) {
      case Op::constant:
      case Op::symbol:
      case Op::truth:
      case Op::hold: break;
      case Op::sum: count += joins; break;
      case Op::product: count += e.arg(0).is_constant(-1.0) ? joins - 1 : joins; break;
      case Op::power: count += operations_of_power(e); break;
      case Op::sin:
      case Op::cos:
        count += angles[e.arg(0).id()] ? 2 : 10;
        angles[e.arg(0).id()] = true;
        break;
      case Op::sqrt:
      case Op::abs:
      case Op::sign:
      case Op::floor:
      case Op::min:
      case Op::max:
      case Op::select: count += 1; break;
      default: count += e.is_condition() ? 1 : 10;
    }
  }
  return count;
}

}  // namespace saltus
