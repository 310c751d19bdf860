#include "saltus/driver/show.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "saltus/base/text.hpp"
#include "saltus/expr/print.hpp"
#include "saltus/expr/substitute.hpp"
#include "saltus/kernel/equations.hpp"
#include "saltus/kernel/inputs.hpp"
#include "saltus/result/text_table.hpp"

namespace saltus {
namespace {

// ---- what there is to show -----------------------------------------------------------------------------------------

class Collector {
 public:
  void add(const std::string& name, const Located& item) { shown_.push_back({name, item.expr, item.span}); }
  void add(const std::string& name, const std::optional<Located>& item) {
    if (item) add(name, *item);
  }
  std::vector<ShownExpr> shown() { return std::move(shown_); }

 private:
  std::vector<ShownExpr> shown_;
};

void add_mechanics(const Model& model, Collector& all) {
  for (std::size_t i = 0; i < model.mass.size(); ++i)
    all.add(fmt::format("mass[{},{}]", i / model.n() + 1, i % model.n() + 1), model.mass[i]);
  for (std::size_t i = 0; i < model.force.size(); ++i) all.add("force on " + model.coordinates[i], model.force[i]);
  for (std::size_t i = 0; i < model.rates.size(); ++i) all.add("rate of " + model.states[i], model.rates[i]);
  for (const Contact& contact : model.contacts) {
    all.add("gap of " + contact.name, contact.gap);
    all.add("restitution of " + contact.name, contact.restitution_as_written());
  }
  for (const Switch& s : model.switches) all.add("switch", Located{s.s, s.span});
}

std::vector<ShownExpr> expressions_of(const Model& model) {
  Collector all;
  for (const Parameter& parameter : model.parameters)
    all.add("parameter " + parameter.name, Located{parameter.value, parameter.span});
  add_mechanics(model, all);
  if (model.hill) {
    all.add("g", model.hill->g);
    all.add("period", model.hill->period);
    all.add("restitution", model.hill->restitution);
    all.add("damping", model.hill->damping);
  }
  all.add("forcing period", model.forcing_period);
  if (model.section) {
    all.add("section", model.section->surface);
    all.add("section modulo", model.section->modulo);
  }
  const std::vector<std::string> names = model.component_names();
  for (std::size_t i = 0; i < model.initial.size(); ++i) all.add("start of " + names[i], model.initial[i]);
  for (const Observable& observable : model.observables) all.add("observable " + observable.name, observable.value);
  return all.shown();
}

std::vector<ShownKernel> kernels_of(const Model& model, const std::string& chosen) {
  KernelOptions options;
  for (const Observable& observable : model.observables) options.observables.push_back(observable.value.expr);
  if (model.section) options.surfaces.push_back(model.section->surface.expr);
  const Equations equations = equations_of(model, options);
  std::vector<ShownKernel> kernels;
  std::vector<std::string> names;
  for (const Equations::Named& kernel : equations.kernels) {
    names.push_back(kernel.name);
    if (chosen.empty() || chosen == kernel.name)
      kernels.push_back({kernel.name, reachable(kernel.outputs).size(), lower(kernel.outputs, input_of)});
  }
  if (kernels.empty()) {
    const std::string hint = did_you_mean(chosen, names);
    throw Error(ExitCode::usage, fmt::format("unknown kernel '{}'\n  expected one of {}{}", printable(chosen),
                                             listed(names, 20), hint.empty() ? "" : "\n  " + hint));
  }
  return kernels;
}

// ---- text ----------------------------------------------------------------------------------------------------------

std::string place_of(const SourceSpan& span) {
  return span.line > 0 ? fmt::format("{}:{}", span.line, span.first) : std::string("-");
}

std::string model_text(const ShowResult& result) {
  std::vector<std::vector<std::string>> rows;
  for (const ShownExpr& shown : result.expressions)
    rows.push_back({place_of(shown.span), shown.name, "= " + printed(shown.expr)});
  return fmt::format("{}\n", fmt::join(aligned(rows), "\n"));
}

std::vector<Expr> roots_of(const ShowResult& result) {
  std::vector<Expr> roots;
  for (const ShownExpr& shown : result.expressions) roots.push_back(shown.expr);
  return roots;
}

/// The expressions with a name, #1, #2, …, for every sub-expression that is used more than once.
struct NamedParts {
  std::vector<std::string> definitions;  // of #1, #2, …
  std::vector<std::string> roots;
};

NamedParts named_parts(const std::vector<Expr>& roots) {
  std::map<std::uint32_t, int> uses;
  for (const Expr& root : roots) ++uses[root.id()];
  for (const std::uint32_t id : reachable(roots))
    for (const std::uint32_t arg : roots.front().graph().node(id).args) ++uses[arg];
  Graph scratch;
  NamedParts parts;
  const std::vector<Expr> rewritten =
      rewrite(roots, scratch, [&](Expr node, std::span<const Expr> args) -> std::optional<Expr> {
        if (args.empty() || node.is_condition() || uses[node.id()] < 2) return std::nullopt;
        parts.definitions.push_back(printed(scratch.make(node.op(), args)));
        return scratch.symbol(fmt::format("#{}", parts.definitions.size()));
      });
  for (const Expr& root : rewritten) parts.roots.push_back(printed(root));
  return parts;
}

int depth_of(const std::vector<Expr>& roots) {
  int depth = 0;
  for (const Expr& root : roots) depth = std::max(depth, root.graph().node(root.id()).depth);
  return depth;
}

std::map<std::string, std::size_t> counts_by_operation(const std::vector<Expr>& roots) {
  std::map<std::string, std::size_t> counts;
  if (roots.empty()) return counts;
  for (const std::uint32_t id : reachable(roots)) ++counts[std::string(name_of(roots.front().graph().node(id).op))];
  return counts;
}

std::string expr_text(const ShowResult& result) {
  const std::vector<Expr> roots = roots_of(result);
  if (roots.empty()) return "no expressions\n";
  const NamedParts parts = named_parts(roots);
  std::string text =
      fmt::format("{} expressions, {} nodes, {} deep\n", roots.size(), reachable(roots).size(), depth_of(roots));
  for (const auto& [op, count] : counts_by_operation(roots)) text += fmt::format("  {:<12}{}\n", op, count);
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < parts.definitions.size(); ++i)
    rows.push_back({fmt::format("#{}", i + 1), "= " + parts.definitions[i]});
  for (std::size_t i = 0; i < parts.roots.size(); ++i)
    rows.push_back({result.expressions[i].name, "= " + parts.roots[i]});
  return text + fmt::format("\n{}\n", fmt::join(aligned(rows), "\n"));
}

std::string kernel_text(const ShowResult& result) {
  std::vector<std::vector<std::string>> rows = {{"kernel", "nodes", "instructions", "inputs", "outputs"}};
  for (const ShownKernel& kernel : result.kernels)
    rows.push_back({kernel.name, std::to_string(kernel.nodes), std::to_string(kernel.program.code.size()),
                    std::to_string(kernel.program.inputs.size()), std::to_string(kernel.program.outputs.size())});
  std::string text = fmt::format("{}\n", fmt::join(aligned(rows), "\n"));
  for (const ShownKernel& kernel : result.kernels)
    text += fmt::format("\n{}\n{}", kernel.name, listing(kernel.program));
  return text;
}

// ---- JSON ----------------------------------------------------------------------------------------------------------

Json expressions_json(const ShowResult& result) {
  Json list = Json::array();
  for (const ShownExpr& shown : result.expressions)
    list.push_back({{"name", shown.name},
                    {"expression", printed(shown.expr)},
                    {"line", shown.span.line},
                    {"column", shown.span.first}});
  return list;
}

Json statistics_json(const std::vector<Expr>& roots) {
  return {{"nodes", roots.empty() ? 0 : reachable(roots).size()},
          {"depth", depth_of(roots)},
          {"by_operation", counts_by_operation(roots)}};
}

Json kernels_json(const ShowResult& result) {
  Json list = Json::array();
  for (const ShownKernel& kernel : result.kernels)
    list.push_back({{"name", kernel.name},
                    {"nodes", kernel.nodes},
                    {"instructions", kernel.program.code.size()},
                    {"inputs", kernel.program.inputs.size()},
                    {"outputs", kernel.program.outputs.size()},
                    {"hash", fmt::format("{:016x}", hash_of(kernel.program))},
                    {"listing", listing(kernel.program)}});
  return list;
}

std::string_view name_of(Stage stage) {
  switch (stage) {
    case Stage::model: return "model";
    case Stage::expr: return "expr";
    case Stage::kernel: return "kernel";
  }
  return "";
}

}  // namespace

ShowResult run(const ShowRequest& request) {
  ShowResult result{prepared(request), request.stage, {}, {}};
  const Model& model = *result.prepared.model;
  if (request.stage != Stage::kernel) {
    result.expressions = expressions_of(model);
  } else if (model.hill) {
    throw Error(ExitCode::usage, "a [hill] model has no kernels\n  expected a model with [mechanics]");
  } else {
    result.kernels = kernels_of(model, request.kernel);
  }
  return result;
}

std::string to_text(const ShowResult& result) {
  switch (result.stage) {
    case Stage::model: return model_text(result);
    case Stage::expr: return expr_text(result);
    case Stage::kernel: return kernel_text(result);
  }
  return "";
}

Json to_json(const ShowResult& result) {
  Json json = {{"command", "show"}, {"model", result.prepared.file}, {"stage", name_of(result.stage)}};
  if (result.stage == Stage::kernel) {
    json["kernels"] = kernels_json(result);
  } else {
    json["expressions"] = expressions_json(result);
    if (result.stage == Stage::expr) json["graph"] = statistics_json(roots_of(result));
  }
  json["diagnostics"] = json_diagnostics(result.prepared.warnings);
  return json;
}

}  // namespace saltus
