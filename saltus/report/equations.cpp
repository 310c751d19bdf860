#include "saltus/report/equations.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "saltus/base/text.hpp"
#include "saltus/expr/differentiate.hpp"
#include "saltus/expr/print.hpp"
#include "saltus/expr/substitute.hpp"
#include "saltus/report/text_table.hpp"

namespace saltus {
namespace {

// ---- text ----------------------------------------------------------------------------------------------------------

/// Upper triangle; an entry off the diagonal stands for both.
std::vector<std::string> mass_lines(const Model& model) {
  std::vector<std::vector<std::string>> rows;
  const std::size_t n = model.n();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i; j < n; ++j) {
      const std::string name =
          i == j ? fmt::format("M[{0},{0}]", i + 1) : fmt::format("M[{0},{1}] = M[{1},{0}]", i + 1, j + 1);
      rows.push_back({name, "= " + printed(model.mass[i * n + j].expr)});
    }
  }
  return aligned(rows);
}

std::vector<std::string> numbered(const std::string& name, const std::vector<Located>& values) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < values.size(); ++i)
    rows.push_back({fmt::format("{}[{}]", name, i + 1), "= " + printed(values[i].expr)});
  return aligned(rows);
}

std::vector<std::string> gap_lines(const Contact& contact, Expr rate) {
  return aligned({{"h", "= " + printed(contact.gap.expr)},
                  {"h'", "= " + printed(rate)},
                  {"restitution", "= " + printed(contact.restitution_as_written().expr)}});
}

std::vector<std::string> numbered_switches(const Model& model) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t k = 0; k < model.switches.size(); ++k)
    rows.push_back({fmt::format("s[{}]", k + 1), "= " + printed(model.switches[k].s)});
  return aligned(rows);
}

std::vector<std::string> energy_lines(const Model& model) {
  if (!model.energies) return {};
  const Energies& energies = *model.energies;
  std::vector<std::vector<std::string>> rows = {{"kinetic", "= " + printed(energies.kinetic.expr)},
                                                {"potential", "= " + printed(energies.potential.expr)}};
  if (energies.dissipation) rows.push_back({"dissipation", "= " + printed(energies.dissipation->expr)});
  for (std::size_t i = 0; i < energies.applied.size(); ++i)
    rows.push_back({fmt::format("applied[{}]", i + 1), "= " + printed(energies.applied[i].expr)});
  return aligned(rows);
}

std::vector<std::string> value_lines(const PreparedModel& prepared) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < prepared.model->parameters.size(); ++i)
    rows.push_back({prepared.model->parameters[i].name, "= " + six_digits(prepared.setup.parameters[i])});
  return aligned(rows);
}

std::string block(const std::string& heading, const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  std::string text = "\n" + heading + "\n";
  for (const std::string& line : lines) text += "  " + line + "\n";
  return text;
}

std::string hill_text(const Hill& hill) {
  const std::string damping = hill.damping ? "a x' + " : "";
  std::vector<std::vector<std::string>> rows = {{"g", "= " + printed(hill.g.expr)}};
  if (hill.damping) rows.push_back({"a", "= " + printed(hill.damping->expr)});
  rows.push_back({"period", "= " + printed(hill.period.expr)});
  rows.push_back({"restitution", "= " + printed(hill.restitution.expr)});
  return fmt::format("x'' + {}g(t) x = 0,  x >= 0\n", damping) + block("where", aligned(rows));
}

std::string mechanics_text(const EquationsResult& result) {
  const Model& model = *result.prepared.model;
  const std::string forces = model.contacts.empty() ? "" : " + contact forces";
  const std::string rates = model.states.empty() ? "" : fmt::format(",  z' = r,  z = ({})", listed(model.states, 100));
  std::string text = fmt::format("M v' = f{},  q' = v,  q = ({}){}\n", forces, listed(model.coordinates, 100), rates);
  text += block("energies, as given", energy_lines(model));
  text += block("mass matrix", mass_lines(model)) + block("force", numbered("f", model.force)) +
          block("rates of the states", numbered("r", model.rates));
  for (std::size_t i = 0; i < model.contacts.size(); ++i)
    text += block(fmt::format("contact '{}': h >= 0", model.contacts[i].name),
                  gap_lines(model.contacts[i], result.gap_rates[i]));
  return text + block("switching surfaces", numbered_switches(model));
}

// ---- LaTeX ---------------------------------------------------------------------------------------------------------

/// A column, or with `columns` entries in each row a matrix. `array`, because a pmatrix has at most ten columns.
std::string latex_matrix(const std::vector<std::string>& entries, std::size_t columns) {
  std::string text = fmt::format("\\left(\\begin{{array}}{{{}}}\n", std::string(columns, 'c'));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const bool ends_row = (i + 1) % columns == 0;
    text += "    " + entries[i] + (ends_row ? (i + 1 < entries.size() ? " \\\\\n" : "\n") : " &\n");
  }
  return text + "  \\end{array}\\right)";
}

std::vector<std::string> in_latex(const std::vector<Located>& values) {
  std::vector<std::string> texts;
  for (const Located& value : values) texts.push_back(latex(value.expr));
  return texts;
}

std::vector<std::string> in_latex(const std::vector<Expr>& values) {
  std::vector<std::string> texts;
  for (const Expr& value : values) texts.push_back(latex(value));
  return texts;
}

/// The name of a contact inside \text{}.
std::string latex_text(const std::string& name) {
  std::string text;
  for (const char c : name)
    text += std::string_view("_&%$#{}").find(c) == std::string_view::npos ? std::string(1, c) : std::string("\\") + c;
  return fmt::format("\\text{{{}}}", text);
}

std::vector<std::string> hill_latex(const Hill& hill) {
  const std::string damping = hill.damping ? latex(hill.damping->expr) : "";
  const std::string term = hill.damping ? fmt::format(" + \\left({}\\right) \\dot{{x}}", damping) : "";
  return {fmt::format("&\\ddot{{x}}{} + g(t)\\, x = 0, \\qquad x \\ge 0", term), "g &= " + latex(hill.g.expr),
          "T &= " + latex(hill.period.expr),
          fmt::format("\\dot{{x}}^+ &= -\\varepsilon\\, \\dot{{x}}^-, \\qquad \\varepsilon = {}",
                      latex(hill.restitution.expr))};
}

std::vector<std::string> mechanics_latex(const EquationsResult& result) {
  const Model& model = *result.prepared.model;
  const std::string forces = model.contacts.empty() ? "" : " + \\sum_i \\nabla h_i \\lambda_i";
  std::vector<std::string> lines = {
      fmt::format("M \\dot{{v}} &= f{}", forces), "q &= " + latex_matrix(in_latex(model.q), 1),
      "M &= " + latex_matrix(in_latex(model.mass), model.n()), "f &= " + latex_matrix(in_latex(model.force), 1)};
  if (!model.states.empty()) {
    lines.push_back("z &= " + latex_matrix(in_latex(model.z), 1));
    lines.push_back("\\dot{z} &= " + latex_matrix(in_latex(model.rates), 1));
  }
  for (std::size_t i = 0; i < model.contacts.size(); ++i) {
    const Contact& contact = model.contacts[i];
    const std::string name = fmt::format("{{{}}}", latex_text(contact.name));
    lines.push_back(fmt::format("h_{} &= {} \\ge 0", name, latex(contact.gap.expr)));
    lines.push_back(fmt::format("\\dot{{h}}_{} &= {}", name, latex(result.gap_rates[i])));
    lines.push_back(fmt::format("e_{} &= {}", name, latex(contact.restitution_as_written().expr)));
  }
  for (std::size_t k = 0; k < model.switches.size(); ++k)
    lines.push_back(fmt::format("s_{{{}}} &= {}", k + 1, latex(model.switches[k].s)));
  return lines;
}

std::string latex_text_of(const EquationsResult& result) {
  const Model& model = *result.prepared.model;
  const std::vector<std::string> lines = model.hill ? hill_latex(*model.hill) : mechanics_latex(result);
  return fmt::format("\\begin{{align*}}\n  {}\n\\end{{align*}}\n", fmt::join(lines, " \\\\\n  "));
}

// ---- JSON ----------------------------------------------------------------------------------------------------------

Json texts(const std::vector<Located>& values) {
  Json list = Json::array();
  for (const Located& value : values) list.push_back(printed(value.expr));
  return list;
}

Json mass_json(const Model& model) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < model.n(); ++i) {
    Json row = Json::array();
    for (std::size_t j = 0; j < model.n(); ++j) row.push_back(printed(model.mass[i * model.n() + j].expr));
    rows.push_back(std::move(row));
  }
  return rows;
}

Json gaps_json(const EquationsResult& result) {
  Json gaps = Json::array();
  const std::vector<Contact>& contacts = result.prepared.model->contacts;
  for (std::size_t i = 0; i < contacts.size(); ++i)
    gaps.push_back({{"contact", contacts[i].name},
                    {"gap", printed(contacts[i].gap.expr)},
                    {"rate", printed(result.gap_rates[i])},
                    {"restitution", printed(contacts[i].restitution_as_written().expr)}});
  return gaps;
}

Json surfaces_json(const Model& model) {
  Json list = Json::array();
  for (const Switch& s : model.switches) list.push_back(printed(s.s));
  return list;
}

Json hill_json(const std::optional<Hill>& hill) {
  if (!hill) return nullptr;
  return {{"g", printed(hill->g.expr)},
          {"period", printed(hill->period.expr)},
          {"restitution", printed(hill->restitution.expr)},
          {"damping", hill->damping ? Json(printed(hill->damping->expr)) : Json(nullptr)}};
}

}  // namespace

std::string to_text(const EquationsResult& result) {
  const Model& model = *result.prepared.model;
  if (result.notation == Notation::latex) return latex_text_of(result);
  const std::string title = model.title.empty() ? result.prepared.file : model.title;
  return title + "\n\n" + (model.hill ? hill_text(*model.hill) : mechanics_text(result)) +
         block("parameters", value_lines(result.prepared));
}

Json to_json(const EquationsResult& result) {
  const Model& model = *result.prepared.model;
  Json parameters = Json::object();
  for (std::size_t i = 0; i < model.parameters.size(); ++i)
    parameters[model.parameters[i].name] = json_number(result.prepared.setup.parameters[i]);
  return {{"command", "equations"},
          {"model", result.prepared.file},
          {"title", model.title},
          {"coordinates", model.coordinates},
          {"states", model.states},
          {"mass", mass_json(model)},
          {"force", texts(model.force)},
          {"rates", texts(model.rates)},
          {"gaps", gaps_json(result)},
          {"switches", surfaces_json(model)},
          {"hill", hill_json(model.hill)},
          {"parameters", std::move(parameters)},
          {"diagnostics", json_diagnostics(result.prepared.warnings)}};
}

}  // namespace saltus
