#include "saltus/kernel/model_terms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "saltus/expr/differentiate.hpp"
#include "saltus/expr/substitute.hpp"
#include "saltus/kernel/piecewise.hpp"
#include "saltus/model/domain.hpp"

namespace saltus {

ExprVector along(const ExprVector& roots, const Direction& direction) {
  if (roots.empty()) return {};
  Graph& graph = roots.front().graph();
  ExprVector result(roots.size(), graph.constant(0.0));
  for (std::size_t j = 0; j < direction.symbols.size(); ++j) {
    const ExprVector partial = differentiate(roots, direction.symbols[j]);
    for (std::size_t i = 0; i < roots.size(); ++i) result[i] = result[i] + direction.weights[j] * partial[i];
  }
  return result;
}

ModelTerms::ModelTerms(const Model& model, const KernelOptions& options)
    : graph(std::make_shared<Graph>()), zero(graph->constant(0.0)), one(graph->constant(1.0)) {
  layout.n = model.n();
  layout.first_order = model.states.size();
  layout.contacts = model.contacts.size();
  layout.switches = model.switches.size();
  layout.parameters = model.parameters.size();
  layout.surfaces = options.surfaces.size();
  layout.observables = options.observables.size();
  layout.state_columns = options.state_columns.value_or(layout.N());
  layout.varied = options.varied;
  make_symbols();
  make_followers(model, options);
  import(model, options);
  derive_gaps();
}

ExprVector ModelTerms::symbols(Slot slot, std::size_t first, std::size_t count) const {
  ExprVector result;
  for (std::size_t i = 0; i < count; ++i)
    result.push_back(graph->symbol(input_name({slot, static_cast<std::uint32_t>(first + i)})));
  return result;
}

ExprVector ModelTerms::placeholders(const std::string& stem, std::size_t count) const {
  ExprVector result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(graph->symbol(fmt::format("#{}{}", stem, i)));
  return result;
}

void ModelTerms::make_symbols() {
  const Layout& l = layout;
  t = symbols(Slot::time, 0, 1).front();
  q = symbols(Slot::state, 0, l.n);
  v = symbols(Slot::state, l.n, l.n);
  z = symbols(Slot::state, 2 * l.n, l.first_order);
  x = concatenated({q, v, z});
  p = symbols(Slot::parameter, 0, l.parameters);
  masks = symbols(Slot::mode, l.contact_mask(0), l.contacts);
  signs = symbols(Slot::mode, l.sign(0), l.switches);
  filippov = symbols(Slot::mode, l.filippov_mask(0), l.switches);
  elasticity = symbols(Slot::mode, l.elasticity(0), l.contacts);
}

/// Parameters whose expression contains a varied one, directly or through others, move with it.
void ModelTerms::make_followers(const Model& model, const KernelOptions& options) {
  for (std::size_t c = 0; c < layout.varied.size(); ++c) {
    std::vector<bool> moves(model.parameters.size(), false);
    moves[layout.varied[c]] = true;
    Direction direction{{p[layout.varied[c]]}, {one}};
    for (std::size_t j = layout.varied[c] + 1; j < model.parameters.size(); ++j) {
      if (!options.followed.empty() && !options.followed[j]) continue;
      for (std::size_t i = 0; i < j; ++i)
        if (moves[i] && depends_on(model.parameters[j].value, model.parameters[i].symbol)) moves[j] = true;
      if (!moves[j]) continue;
      const std::size_t index = layout.parameter_inputs();
      layout.followers.push_back({c, j});
      direction.symbols.push_back(p[j]);
      direction.weights.push_back(symbols(Slot::parameter, index, 1).front());
    }
    varied.push_back(std::move(direction));
  }
}

/// Everything the kernels need from the model, rebuilt with the kernels' symbols.
void ModelTerms::import(const Model& model, const KernelOptions& options) {
  const auto bare = [](const std::vector<Located>& located) {
    ExprVector result;
    for (const Located& item : located) result.push_back(item.expr);
    return result;
  };
  ExprVector gaps;
  ExprVector restitutions;
  ExprVector switches;
  for (const Contact& contact : model.contacts) gaps.push_back(contact.gap.expr);
  for (const Contact& contact : model.contacts) restitutions.push_back(contact.restitution.expr);
  for (const Switch& each : model.switches) switches.push_back(each.s);
  M = translated(model, bare(model.mass));
  h = translated(model, gaps);
  restitution = translated(model, restitutions);
  s = translated(model, switches);
  surfaces = translated(model, options.surfaces);
  observables = translated(model, options.observables);
  f = translated(model, model.pieced_force);
  r = translated(model, model.pieced_rates);
  // A switching function may be piecewise itself, by other switches: within a mode it is smooth as well.
  s = branches_by_sign(s, s, signs);
  if (!s.empty()) {
    const std::vector<std::uint32_t> ids = reachable(s);
    const std::unordered_set<std::uint32_t> inside(ids.begin(), ids.end());
    for (const Expr& sign : signs) layout.nested_switches = layout.nested_switches || inside.contains(sign.id());
  }
  note_clocks();
  note_roots(model, switches);
}

/// Event functions into which no state enters. Within a mode the sides of other switches are numbers.
void ModelTerms::note_clocks() {
  ExprVector functions = h;
  functions.insert(functions.end(), s.begin(), s.end());
  functions.insert(functions.end(), surfaces.begin(), surfaces.end());
  for (const Expr& function : functions) {
    const auto enters = [&](const Expr& symbol) { return depends_on(function, symbol); };
    layout.of_time_alone.push_back(std::none_of(x.begin(), x.end(), enters) ? 1 : 0);
  }
}

void ModelTerms::note_roots(const Model& model, const ExprVector& switches) {
  const auto note = [&](Expr expression, std::optional<std::size_t> of_switch) {
    for (const Expr& r : exponents_of_roots(expression)) {
      const auto is_r = [&](const Parameter& parameter) { return parameter.symbol == r; };
      const auto own = std::find_if(model.parameters.begin(), model.parameters.end(), is_r);
      const auto changes = [&](const ExprVector& all) {
        return std::any_of(all.begin(), all.end(), [&](const Expr& symbol) { return depends_on(r, symbol); });
      };
      if (changes({model.t}) || changes(model.q) || changes(model.v) || changes(model.z)) continue;
      Layout::Root root{of_switch, {}};
      if (own != model.parameters.end()) root.exponent = static_cast<std::size_t>(own - model.parameters.begin());
      layout.roots.push_back(root);
    }
  };
  for (const Expr& force : model.pieced_force) note(force, {});
  for (const Expr& rate : model.pieced_rates) note(rate, {});
  for (std::size_t k = 0; k < switches.size(); ++k) note(switches[k], k);
}

ExprVector ModelTerms::translated(const Model& model, const ExprVector& roots) const {
  if (roots.empty()) return {};
  ExprVector from = {model.t};
  ExprVector to = {t};
  const auto pair = [&](const ExprVector& theirs, const ExprVector& ours) {
    from.insert(from.end(), theirs.begin(), theirs.end());
    to.insert(to.end(), ours.begin(), ours.end());
  };
  pair(model.q, q);
  pair(model.v, v);
  pair(model.z, z);
  for (std::size_t i = 0; i < model.parameters.size(); ++i) pair({model.parameters[i].symbol}, {p[i]});
  for (std::size_t k = 0; k < model.switches.size(); ++k) pair({model.switches[k].side}, {signs[k]});
  return substitute(roots, *graph, [&](Expr e) -> std::optional<Expr> {
    const auto found = std::find(from.begin(), from.end(), e);
    if (found == from.end()) return std::nullopt;
    return to[static_cast<std::size_t>(found - from.begin())];
  });
}

void ModelTerms::derive_gaps() {
  for (const Expr& gap : h) {
    ExprVector n;
    for (const Expr& each : q) n.push_back(differentiate(gap, each));
    const Expr rate = product(n, v) + differentiate(gap, t);
    Expr rest = differentiate(rate, t);
    for (std::size_t j = 0; j < q.size(); ++j) rest = rest + differentiate(rate, q[j]) * v[j];
    normal.push_back(std::move(n));
    gamma.push_back(rate);
    kappa.push_back(rest);
  }
}

ExprVector ModelTerms::filled(const ExprVector& roots, const ExprVector& names, const ExprVector& values) const {
  if (roots.empty()) return {};
  ExprVector result = substitute(roots, *graph, [&](Expr e) -> std::optional<Expr> {
    const auto found = std::find(names.begin(), names.end(), e);
    if (found == names.end()) return std::nullopt;
    return values[static_cast<std::size_t>(found - names.begin())];
  });
  for (Expr& e : result) e = hold(e);
  return result;
}

std::vector<Direction> ModelTerms::directions(const ExprVector& symbols) const {
  std::vector<Direction> all;
  for (const Expr& symbol : symbols) all.push_back({{symbol}, {one}});
  all.insert(all.end(), varied.begin(), varied.end());
  return all;
}

}  // namespace saltus
