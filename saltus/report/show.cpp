#include "saltus/report/show.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "saltus/expr/print.hpp"
#include "saltus/expr/substitute.hpp"
#include "saltus/report/text_table.hpp"

namespace saltus {
namespace {

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
