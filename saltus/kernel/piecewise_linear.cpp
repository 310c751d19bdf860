#include "saltus/kernel/piecewise_linear.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "saltus/base/text.hpp"
#include "saltus/expr/print.hpp"

namespace saltus {
namespace {

/// What a node is in every mode, from the simplest on.
enum class Kind { constant, linear_in_time, function_of_time, linear_in_state, other };

constexpr std::size_t longest_text = 80;

/// Kinds of all nodes below some roots; a branch counts as what its branches are.
class Kinds {
 public:
  explicit Kinds(const Model& model) : graph_(*model.graph) {
    for (const auto* symbols : {&model.q, &model.v, &model.z})
      for (const Expr& symbol : *symbols) kinds_[symbol.id()] = Kind::linear_in_state;
    kinds_[model.t.id()] = Kind::linear_in_time;
  }

  /// The first node below `root` that is worse than `worst` allows although its arguments are not.
  std::optional<Expr> first_above(Expr root, Kind worst) {
    const Expr roots[] = {root};
    std::vector<std::uint32_t> ids = reachable(roots);
    std::sort(ids.begin(), ids.end());  // arguments first, else in the order of the text
    for (const std::uint32_t id : ids)
      if (kind(id) == Kind::other) return graph_.at(id);
    if (kind(root.id()) <= worst) return std::nullopt;
    for (const std::uint32_t id : ids)
      if (kind(id) > worst) return graph_.at(id);
    return root;
  }

  /// The first node below `root` that has pieces of its own.
  std::optional<Expr> first_kink(Expr root) {
    const Expr roots[] = {root};
    for (const std::uint32_t id : reachable(roots)) {
      const Op op = graph_.node(id).op;
      const bool pieces = op == Op::abs || op == Op::sign || op == Op::min || op == Op::max || op == Op::select;
      if (pieces && kind(id) != Kind::constant) return graph_.at(id);
    }
    return std::nullopt;
  }

 private:
  Kind kind(std::uint32_t id) {
    if (const auto known = kinds_.find(id); known != kinds_.end()) return known->second;
    const Expr node = graph_.at(id);
    std::vector<Kind> of;
    for (std::size_t i = 0; i < node.arity(); ++i) of.push_back(kind(node.arg(i).id()));
    return kinds_[id] = of.empty() ? Kind::constant : combined(node, of);
  }

  static Kind combined(Expr node, const std::vector<Kind>& of) {
    const Kind worst = *std::max_element(of.begin(), of.end());
    if (worst == Kind::constant || worst == Kind::other) return worst;
    switch (node.op()) {
      case Op::sum:
      case Op::hold:
      case Op::abs:
      case Op::min:
      case Op::max: return worst;
      case Op::sign:
      case Op::positive:
      case Op::nonnegative:
      case Op::both:
      case Op::either:
      case Op::negation: return Kind::constant;  // within a mode; what decides is looked at among the switches
      case Op::select: return std::max(of[1], of[2]);
      case Op::product: return product(of, worst);
      case Op::power: return power(node, of, worst);
      case Op::sin:
      case Op::cos: return worst == Kind::linear_in_time ? Kind::function_of_time : Kind::other;
      default: return Kind::other;
    }
  }

  static Kind product(const std::vector<Kind>& of, Kind worst) {
    const auto changing = std::count_if(of.begin(), of.end(), [](Kind kind) { return kind != Kind::constant; });
    if (changing == 1) return worst;
    return worst == Kind::linear_in_state ? Kind::other : Kind::function_of_time;
  }

  static Kind power(Expr node, const std::vector<Kind>& of, Kind worst) {
    const bool times = is_integer_power(node) && node.arg(1).value() > 0.0;
    return times && of[1] == Kind::constant && worst < Kind::linear_in_state ? Kind::function_of_time : Kind::other;
  }

  Graph& graph_;
  std::unordered_map<std::uint32_t, Kind> kinds_;
};

/// The part of a line's span in which the expression is written as it is printed, blanks aside; else all of it.
SourceSpan narrowed(const SourceSpan& span, const std::string& expression) {
  if (!span.source || span.line == 0) return span;
  const std::string_view text = characters(span.source->line(span.line), span.first - 1, span.last);
  std::string bare;
  std::vector<int> places;
  int place = 0;
  for (const char c : text) {
    if (c != ' ') {
      bare += c;
      places.push_back(place);
    }
    if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) ++place;
  }
  std::string wanted = expression;
  wanted.erase(std::remove(wanted.begin(), wanted.end(), ' '), wanted.end());
  const std::size_t at = bare.find(wanted);
  if (at == std::string::npos || wanted.empty()) return span;
  return {span.source, span.line, span.first + places[at], span.first + places[at + wanted.size() - 1]};
}

class Search {
 public:
  explicit Search(const Model& model) : model_(model), kinds_(model) {}

  std::optional<Nonlinearity> first() {
    for (std::size_t i = 0; i < model_.mass.size(); ++i)
      if (auto found = above(model_.mass[i], Kind::constant, mass_name(i), "is not constant")) return found;
    for (std::size_t i = 0; i < model_.force.size(); ++i)
      if (auto found = state(model_.force[i], fmt::format("the force of '{}'", model_.coordinates[i]))) return found;
    for (std::size_t i = 0; i < model_.rates.size(); ++i)
      if (auto found = state(model_.rates[i], fmt::format("the rate of '{}'", model_.states[i]))) return found;
    for (const Contact& contact : model_.contacts)
      if (auto found = state(contact.gap, fmt::format("the gap of contact '{}'", contact.name))) return found;
    for (const Switch& surface : model_.switches) {
      const std::string where = fmt::format("the switch at {} = 0", surface.text);
      if (auto found = state({surface.s, surface.span}, where)) return found;
      if (const auto kink = kinds_.first_kink(surface.s)) return made(*kink, surface.span, where, "has pieces itself");
    }
    return std::nullopt;
  }

 private:
  std::string mass_name(std::size_t i) const {
    const std::size_t n = model_.n();
    return fmt::format("the mass matrix at '{}', '{}'", model_.coordinates[i / n], model_.coordinates[i % n]);
  }

  std::optional<Nonlinearity> state(const Located& located, const std::string& where) {
    return above(located, Kind::linear_in_state, where,
                 "is neither linear in the state with constant coefficients nor a harmonic or polynomial of t");
  }

  std::optional<Nonlinearity> above(const Located& located, Kind worst, const std::string& where, const char* why) {
    const auto found = kinds_.first_above(located.expr, worst);
    if (!found) return std::nullopt;
    return made(*found, located.span, where, why);
  }

  static Nonlinearity made(Expr found, const SourceSpan& span, const std::string& where, const std::string& why) {
    const std::string text = printed(found, longest_text);
    return {text, where, why, narrowed(span, text)};
  }

  const Model& model_;
  Kinds kinds_;
};

}  // namespace

std::optional<Nonlinearity> first_nonlinearity(const Model& model) {
  if (model.coordinates.empty() && model.states.empty()) return std::nullopt;
  return Search(model).first();
}

Diagnostic diagnostic_of(const Nonlinearity& found) {
  Diagnostic diagnostic;
  diagnostic.span = found.span;
  diagnostic.message = fmt::format("method 'exact' needs a model that is linear in every mode, and {} in {} {}",
                                   found.expression, found.where, found.why);
  diagnostic.expected =
      "constant mass, forces and gaps linear in the state with constant coefficients, and harmonic, polynomial or "
      "constant "
      "forcing";
  diagnostic.suggestion = "use method 'rk', which takes any model";
  return diagnostic;
}

}  // namespace saltus
