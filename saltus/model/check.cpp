#include "saltus/model/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "saltus/expr/evaluate.hpp"
#include "saltus/expr/print.hpp"
#include "saltus/model/domain.hpp"
#include "saltus/model/hidden_kinks.hpp"
#include "saltus/model/scope.hpp"
#include "saltus/model/switches.hpp"

namespace saltus {
namespace {

constexpr std::size_t longest_shown = 60;  // characters of an expression in a message

bool depends_on_any(Expr e, const std::vector<Expr>& symbols) {
  const Expr roots[] = {e};
  std::unordered_set<std::uint32_t> wanted;
  for (const Expr& symbol : symbols) wanted.insert(symbol.id());
  const std::vector<std::uint32_t> ids = reachable(roots);
  return std::any_of(ids.begin(), ids.end(), [&](std::uint32_t id) { return wanted.contains(id); });
}

std::string_view as_written(Op op) { return is_condition(op) ? "if" : name_of(op); }

void require_smooth(const Located& e, const std::string& what, const Model& model, std::vector<Diagnostic>& found) {
  const Expr roots[] = {e.expr};
  const auto node = kink(with_kinks_shown(roots).front(), variables_of(model));
  if (!node) return;
  const auto s = deciding_function(*node);
  add_error(found, e.span,
            fmt::format("{} is not smooth: '{}' switches where {} = 0", what, as_written(node->op()),
                        printed(oriented_surface(*s, variables_of(model)), longest_shown)),
            "a smooth expression", "pieces are possible in force, applied, potential, dissipation and rates only");
}

/// A number for each symbol that has no special place: between 0.5 and 1.5, different for each `round`.
double somewhere(const std::string& name, int round) {
  std::uint32_t hash = 2166136261U + static_cast<std::uint32_t>(round) * 7919U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return 0.5 + static_cast<double>(hash % 10007U) / 10007.0;
}

void require_symmetric(const Model& model, std::vector<Diagnostic>& found) {
  const std::size_t n = model.n();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Located& below = model.mass[i * n + j];
      const Located& above = model.mass[j * n + i];
      if (below.expr == above.expr || equal_somewhere(below.expr, above.expr).value_or(true)) continue;
      Diagnostic& error = add_error(
          found, below.span,
          fmt::format("the mass matrix is not symmetric: entry ({}, {}) is {}, entry ({}, {}) is {}", i + 1, j + 1,
                      printed(below.expr, longest_shown), j + 1, i + 1, printed(above.expr, longest_shown)),
          "equal entries on both sides of the diagonal");
      error.notes.push_back({Severity::note, above.span, "the other entry is here", "", "", {}});
    }
  }
}

void require_quadratic(const Model& model, std::vector<Diagnostic>& found) {
  const auto quadratic = [&](const Located& entry) { return !depends_on_any(entry.expr, model.v); };
  if (std::all_of(model.mass.begin(), model.mass.end(), quadratic)) return;
  add_error(found, model.energies->kinetic.span, "the kinetic energy is not quadratic in the velocities",
            "a sum of products of two velocities, of one velocity and of none");
}

void require_inertia(const Model& model, std::vector<Diagnostic>& found) {
  const std::size_t n = model.n();
  for (std::size_t i = 0; i < n; ++i) {
    if (!model.mass[i * n + i].expr.is_constant(0.0)) continue;
    const std::string what = model.energies ? "the kinetic energy gives" : "the mass matrix has";
    add_error(found, model.mass[i * n + i].span,
              fmt::format("{} no inertia to the coordinate '{}'", what, model.coordinates[i]),
              "a positive mass for every coordinate");
  }
}

void check_section(const Model& model, std::vector<Diagnostic>& found) {
  if (!model.section || depends_on_any(model.section->surface.expr, variables_of(model))) return;
  add_error(found, model.section->surface.span, "the surface of the section never changes",
            "an expression of coordinates, velocities, states or the time t");
}

bool is_linear(Expr e) {
  if (e.op() != Op::sum) return as_term(e).core.arity() == 0;
  for (std::size_t i = 0; i < e.arity(); ++i)
    if (!is_linear(e.arg(i))) return false;
  return true;
}

/// What an atan2, asin or acos does for which no switch can be made; empty if it does nothing or nobody sees it.
std::string jump_or_kink(Expr node, bool inside_sine) {
  const auto text = [](Expr e) { return printed(e, longest_shown); };
  if (node.op() == Op::atan2 && !inside_sine && !is_nonnegative(node.arg(1), {}))
    return fmt::format("'atan2' jumps by 2*pi where {} = 0 and {} < 0", text(node.arg(0)), text(node.arg(1)));
  const bool inverse = node.op() == Op::asin || node.op() == Op::acos;
  if (inverse && !triangle_of(node) && !is_linear(node.arg(0)))
    return fmt::format("'{}' has a kink if {} turns back at 1 or -1", name_of(node.op()), text(node.arg(0)));
  return "";
}

void warn_of_kinks_without_a_switch(const Located& field, const std::vector<Expr>& variables,
                                    std::vector<Diagnostic>& found) {
  const Expr shown[] = {field.expr};
  const std::vector<Expr> roots = with_kinks_shown(shown);
  Graph& graph = field.expr.graph();
  std::unordered_set<std::uint32_t> bare = {roots.front().id()};  // used otherwise than in a sine or cosine
  const std::vector<std::uint32_t> ids = reachable(roots);
  for (const std::uint32_t id : ids)
    for (const std::uint32_t arg : graph.node(id).args)
      if (graph.node(id).op != Op::sin && graph.node(id).op != Op::cos) bare.insert(arg);
  for (const std::uint32_t id : ids) {
    const Expr node = graph.at(id);
    const std::string message = jump_or_kink(node, !bare.contains(id));
    if (message.empty() || !depends_on_any(node, variables)) continue;
    found.push_back({Severity::warning,
                     field.span,
                     message + ", and no switch is made there",
                     "",
                     "a motion that passes there loses accuracy; write the pieces with if(condition, a, b)",
                     {}});
  }
}

void warn_of_kinks_without_a_switch(const Model& model, std::vector<Diagnostic>& found) {
  const std::vector<Expr> variables = variables_of(model);
  for (const auto* fields : {&model.force, &model.rates})
    for (const Located& field : *fields) warn_of_kinks_without_a_switch(field, variables, found);
}

}  // namespace

std::optional<bool> equal_somewhere(Expr a, Expr b) {
  constexpr int rounds = 5;
  constexpr double tolerance = 1e-9;
  const Expr both[] = {a, b};
  std::optional<bool> verdict;
  for (int round = 0; round < rounds; ++round) {
    const auto values = evaluate(both, [&](const std::string& name) { return somewhere(name, round); });
    if (!std::isfinite(values[0]) || !std::isfinite(values[1])) continue;
    const double size = std::max({1.0, std::abs(values[0]), std::abs(values[1])});
    verdict = verdict.value_or(true) && std::abs(values[0] - values[1]) <= tolerance * size;
  }
  return verdict;
}

std::optional<Expr> kink(Expr e, const std::vector<Expr>& variables) {
  const Expr roots[] = {e};
  std::unordered_set<std::uint32_t> changing;
  for (const Expr& variable : variables) changing.insert(variable.id());
  for (const std::uint32_t id : reachable(roots)) {
    const auto& args = e.graph().node(id).args;
    if (std::none_of(args.begin(), args.end(), [&](std::uint32_t arg) { return changing.contains(arg); })) continue;
    changing.insert(id);
    const Expr node = e.graph().at(id);
    if (deciding_function(node)) return node;
  }
  return std::nullopt;
}

std::vector<Diagnostic> check(const Model& model) {
  std::vector<Diagnostic> found;
  if (model.energies) {
    require_smooth(model.energies->kinetic, "the kinetic energy", model, found);
    if (found.empty()) require_quadratic(model, found);
  } else {
    for (const Located& entry : model.mass) require_smooth(entry, "the mass matrix", model, found);
    require_symmetric(model, found);
  }
  if (found.empty()) require_inertia(model, found);
  for (const Contact& contact : model.contacts) {
    require_smooth(contact.gap, fmt::format("the gap of contact '{}'", contact.name), model, found);
    if (depends_on_any(contact.gap.expr, model.q)) continue;
    add_error(found, contact.gap.span, fmt::format("the gap of contact '{}' contains no coordinate", contact.name),
              "a distance that changes with the motion");
  }
  check_section(model, found);
  if (!has_errors(found)) warn_of_kinks_without_a_switch(model, found);
  return found;
}

}  // namespace saltus
