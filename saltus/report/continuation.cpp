#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "saltus/analysis/motions/multipliers.hpp"
#include "saltus/base/setting.hpp"
#include "saltus/base/text.hpp"
#include "saltus/driver/continuation_stop.hpp"
#include "saltus/driver/continuation_wishes.hpp"
#include "saltus/driver/extreme.hpp"
#include "saltus/driver/numbers.hpp"
#include "saltus/report/continuation.hpp"
#include "saltus/report/continuation_special.hpp"
#include "saltus/report/drift.hpp"
#include "saltus/report/text_table.hpp"

namespace saltus {

std::string in_words(SpecialKind kind) {
  switch (kind) {
    case SpecialKind::none: return "";
    case SpecialKind::fold: return "fold";
    case SpecialKind::branch_point: return "branch point";
    case SpecialKind::period_doubling: return "period doubling";
    case SpecialKind::torus: return "Neimark-Sacker";
    case SpecialKind::grazing: return "grazing";
    case SpecialKind::sliding: return "sliding begins or ends";
    case SpecialKind::hopf: return "Hopf bifurcation";
    case SpecialKind::wanted: return "wanted";
    case SpecialKind::cusp: return "cusp";
    case SpecialKind::resonance_11: return "1:1 resonance";
    case SpecialKind::resonance_12: return "1:2 resonance";
    case SpecialKind::resonance_13: return "1:3 resonance";
    case SpecialKind::resonance_14: return "1:4 resonance";
    case SpecialKind::fold_flip: return "fold-flip";
    case SpecialKind::generalized_doubling: return "generalized period doubling";
    case SpecialKind::degenerate_torus: return "degenerate Neimark-Sacker";
    case SpecialKind::fold_torus: return "fold with Neimark-Sacker";
    case SpecialKind::flip_torus: return "period doubling with Neimark-Sacker";
    case SpecialKind::generalized_hopf: return "generalized Hopf (Bautin)";
    case SpecialKind::zero_hopf: return "zero-Hopf";
    case SpecialKind::double_hopf: return "Hopf-Hopf";
  }
  return "";
}

namespace {

bool is_two(const ContinueResult& result) { return result.ranges.size() == 2; }

/// An end that needs no remedy, or the short form of one that does.
std::string end_in_words(const ContinueResult& result, const BranchEnd& end) {
  switch (end.reason) {
    case CurveEnd::bound: return "bound";
    case CurveEnd::closed: return "closed, back where it began";
    case CurveEnd::vertical:
      return end.words.empty()
                 ? "a vertical branch: a family of orbits at one value of the parameter; ⟨family⟩ follows it"
                 : end.words;
    case CurveEnd::hopf:
    case CurveEnd::homoclinic:
    case CurveEnd::heteroclinic:
    case CurveEnd::stopped:
    case CurveEnd::special: return end.words;
    case CurveEnd::most_points:
      return end.words.empty() ? fmt::format("stopped after {} points", result.request.most_points) : end.words;
    case CurveEnd::no_convergence:
      return end.words.empty() ? "Newton's method does not converge; why is not understood" : end.words;
    case CurveEnd::refused: return "the orbit loses its sequence of events";
    case CurveEnd::singular: return "the equations of the orbit are singular";
    case CurveEnd::interrupted: return "interrupted";
  }
  return "";
}

std::string end_line(const ContinueResult& result, std::size_t k) {
  const BranchEnd& end = result.branch.ends[k];
  if (result.branch.points.empty()) return end.words;
  return said(fmt::format("{}: {}", place_of(result, point_at_end(result, k)), end_in_words(result, end)));
}

/// Where stability changes without a special point.
std::vector<std::string> unexplained_lines(const ContinueResult& result) {
  constexpr std::size_t most_lines = 3;
  const std::string& name = result.ranges.front().name;
  const std::vector<double>& values = result.branch.unexplained;
  const std::string what = said(
      "the number of unstable multipliers changes, or the branch turns back, and no special point was found there; "
      "try a smaller ⟨step⟩, or a tighter ⟨rtol⟩");
  if (values.size() > most_lines) {
    const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
    return {fmt::format("{} = {:.10g} to {:.10g}, at {} places: {}", name, *lowest, *highest, values.size(), what)};
  }
  std::vector<std::string> lines;
  for (const double value : values) lines.push_back(fmt::format("{} = {:.10g}: {}", name, value, what));
  return lines;
}

Json parameter_json(const ContinueResult& result, const BranchPoint& point) {
  const std::vector<double> values = values_of(point);
  return is_two(result) ? json_numbers(values) : json_number(values.front());
}

Json point_json(const ContinueResult& result, std::size_t i) {
  const BranchPoint& point = result.branch.points[i];
  return {{"point", i + 1},
          {"p", parameter_json(result, point)},
          {"x", json_numbers(numbers_of(point.x()))},
          {"period", json_number(point.period)},
          {"drift", drift_json(*result.prepared.model, point.drift)},
          {"returns", point.returns.size()},
          {"multipliers", multipliers_json(point)},
          {"stable", point.stable},
          {"stability", name_of(point.stability)},
          {"converged", result.missing.empty()},
          {"label", point.label.empty() ? Json(nullptr) : Json(point.label)},
          {"sequence", result.branch.sequences[point.sequence]},
          {"observed", json_numbers(result.observed[i])}};
}

/// As --point counts: from 1.
std::size_t number_of(const ContinueResult& result, const BranchPoint& point) {
  return static_cast<std::size_t>(&point - result.branch.points.data()) + 1;
}

Json special_json(const ContinueResult& result, const BranchPoint& point) {
  const Branch& branch = result.branch;
  Json null_vector = Json::array();
  for (const std::complex<double>& entry : point.null_vector)
    null_vector.push_back({{"re", json_number(entry.real())}, {"im", json_number(entry.imag())}});
  const bool changes = point.passage != Passage::none;
  return {
      {"label", point.label},
      {"point", number_of(result, point)},
      {"kind", label_of(point.special)},
      {"multiplicity", point.multiplicity},
      {"p", parameter_json(result, point)},
      {"x", json_numbers(numbers_of(point.x()))},
      {"period", json_number(point.period)},
      {"multipliers", multipliers_json(point)},
      {"stability", name_of(point.stability)},
      {"sequence", branch.sequences[point.sequence]},
      {"sequence_beyond",
       changes && point.passage != Passage::disappears ? Json(branch.sequences[point.sequence_beyond]) : Json(nullptr)},
      {"passage", changes ? Json(name_of(point.passage)) : Json(nullptr)},
      {"note", point.note.empty() ? Json(nullptr) : Json(point.note)},
      {"null_vector", null_vector},
      {"orbit", to_json(point.orbit)}};
}

/// What --fix holds, without the value that is wanted.
std::string fixed_name(const ContinueResult& result) {
  const auto fixed = fixed_quantity(result.request, result.prepared);
  return fixed ? fixed->held.name : result.request.fix;
}

Json fixed_json(const ContinueResult& result) {
  if (!result.branch.held) return nullptr;
  return {{"quantity", fixed_name(result)}, {"value", json_number(*result.branch.held)}};
}

Json end_json(const ContinueResult& result, std::size_t k) {
  const BranchEnd& end = result.branch.ends[k];
  Json json = {{"reason", name_of(end.reason)}, {"words", end_line(result, k)}};
  json["frequency"] = end.frequency ? json_number(*end.frequency) : Json(nullptr);
  json["limit"] = end.limit ? json_number(end.limit->value) : Json(nullptr);
  json["limit_error"] = end.limit ? json_number(end.limit->error) : Json(nullptr);
  json["saddles"] = Json::array();
  json["eigenvalues"] = Json::array();
  for (const Equilibrium& saddle : end.saddles) {
    json["saddles"].push_back(json_numbers(numbers_of(saddle.x)));
    Json eigenvalues = Json::array();
    for (const std::complex<double>& each : saddle.eigenvalues) eigenvalues.push_back(json_complex(each));
    json["eigenvalues"].push_back(std::move(eigenvalues));
  }
  return json;
}

}  // namespace

std::string to_text(const ContinueResult& result) {
  const Branch& branch = result.branch;
  if (!result.missing.empty()) return "";
  const auto stable = std::count_if(branch.points.begin(), branch.points.end(), [](const auto& p) { return p.stable; });
  std::vector<Labelled> blocks;
  if (is_two(result))
    blocks.push_back(
        {"curve",
         {fmt::format("{}in {} and {}: {}",
                      branch.along == SpecialKind::none ? "" : fmt::format("of {} ", in_words(branch.along)),
                      result.ranges[0].name, result.ranges[1].name,
                      counted(static_cast<long>(branch.points.size()), "orbit", "orbits"))}});
  else
    blocks.push_back({"branch",
                      {fmt::format("in {}: {}, {} of them stable", result.ranges[0].name,
                                   counted(static_cast<long>(branch.points.size()), "orbit", "orbits"), stable)}});
  if (branch.held) blocks.push_back({"fixed", {fmt::format("{} = {:.10g}", fixed_name(result), *branch.held)}});
  blocks.push_back({"sequences", branch.sequences});
  std::vector<std::vector<std::string>> rows;
  for (const BranchPoint* point : special_points(result)) {
    std::string words = in_words(point->special);
    if (!point->note.empty()) words += ": " + point->note;
    rows.push_back({point->label, place_of(result, *point), words});
  }
  blocks.push_back({"special", aligned(rows)});
  if (!rows.empty()) blocks.push_back({"floquet", multiplier_lines(result)});
  std::vector<std::string> ends;
  for (std::size_t k = 0; k < branch.ends.size(); ++k)
    if (const std::string line = end_line(result, k); ends.empty() || ends.back() != line) ends.push_back(line);
  blocks.push_back({"ends", ends});
  if (const auto unmet = unmet_wishes(result); !unmet.empty())
    blocks.push_back({"not met", {fmt::format("{}", fmt::join(unmet, ", "))}});
  if (!branch.unexplained.empty()) blocks.push_back({"warning", unexplained_lines(result)});
  return labelled_text(blocks);
}

Json to_json(const ContinueResult& result) {
  const PreparedModel& prepared = result.prepared;
  const std::string message = stop_message(result);
  std::vector<std::string> names;
  for (const VariedRange& range : result.ranges) names.push_back(range.name);
  Json points = Json::array();
  for (std::size_t i = 0; i < result.branch.points.size(); ++i) points.push_back(point_json(result, i));
  Json special = Json::array();
  for (const BranchPoint* point : special_points(result)) special.push_back(special_json(result, *point));
  Json ends = Json::array();
  for (std::size_t k = 0; k < result.branch.ends.size(); ++k) ends.push_back(end_json(result, k));
  return {{"command", "continue"},
          {"model", prepared.file},
          {"case", prepared.case_name.empty() ? Json(nullptr) : Json(prepared.case_name)},
          {"title", prepared.model->title},
          {"section", result.section.empty() ? Json("strobe") : Json(result.section)},
          {"parameters", names},
          {"fixed", fixed_json(result)},
          {"points", points},
          {"special", special},
          {"sequences", result.branch.sequences},
          {"ends", ends},
          {"unmet", unmet_wishes(result)},
          {"unexplained", json_numbers(result.branch.unexplained)},
          {"complete", result.complete()},
          {"message", message.empty() ? Json(nullptr) : Json(message)},
          {"recipe", to_json(result.recipe)},
          {"diagnostics", json_diagnostics(result.warnings())}};
}

namespace {

/// What was varied, and its values along the branch.
void add_parameters(ResultFile& file, const ContinueResult& result) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < result.ranges.size(); ++i) {
    const std::string& name = result.ranges[i].name;
    std::vector<double> values;
    for (const BranchPoint& point : result.branch.points) values.push_back(values_of(point)[i]);
    file.variables.push_back({"value_" + name, "parameter " + name, "", {"point"}, values});
    names.push_back(name);
  }
  file.variables.push_back({"parameter", "varied parameters", "", {"parameter"}, names});
}

/// The most multipliers and returns of a point.
std::pair<std::size_t, std::size_t> widths_of(const Branch& branch) {
  std::size_t most = 1;
  std::size_t returns = 1;
  for (const BranchPoint& point : branch.points) {
    most = std::max(most, point.multipliers.size());
    returns = std::max(returns, point.returns.size());
  }
  return {most, returns};
}

}  // namespace

ResultFile result_file(const ContinueResult& result) {
  const Branch& branch = result.branch;
  ResultFile file{.recipe = result.recipe,
                  .title = result.prepared.model->title,
                  .outcome = result.complete() ? "reached_end" : "stopped",
                  .complete = result.complete()};
  const std::size_t points = branch.points.size();
  const std::size_t N = result.prepared.model->dimension();
  const auto [most, returns] = widths_of(branch);
  std::vector<double> number, x, period, stable, count, re(points * most, nothing), im(points * most, nothing),
      log(points * most, nothing), observed(points * returns, nothing);
  const std::vector<double> converged(points, result.missing.empty() ? 1.0 : 0.0);
  std::vector<std::string> label, sequence;
  for (std::size_t i = 0; i < points; ++i) {
    const BranchPoint& point = branch.points[i];
    number.push_back(static_cast<double>(i + 1));
    for (const double value : numbers_of(point.x())) x.push_back(value);
    period.push_back(point.period);
    stable.push_back(point.stable ? 1.0 : 0.0);
    count.push_back(static_cast<double>(point.returns.size()));
    label.push_back(point.label);
    sequence.push_back(branch.sequences[point.sequence]);
    for (std::size_t k = 0; k < point.multipliers.size(); ++k) {
      re[i * most + k] = point.multipliers[k].real();
      im[i * most + k] = point.multipliers[k].imag();
      log[i * most + k] = log_abs(point, k);
    }
    for (std::size_t k = 0; k < result.observed[i].size(); ++k) observed[i * returns + k] = result.observed[i][k];
  }
  file.axes = {{"point", points},
               {"component", N},
               {"multiplier", most},
               {"return", returns},
               {"parameter", result.ranges.size()}};
  add_parameters(file, result);
  file.variables.insert(
      file.variables.end(),
      {{"point", said("number of the point, as for ⟨point⟩"), "1", {"point"}, number},
       {"period", "duration of the orbit", "", {"point"}, period},
       {"returns", "returns to the strobe or section in one period", "1", {"point"}, count},
       {"stable", "1: all multipliers inside the unit circle", "1", {"point"}, stable},
       {"converged", "0: no orbit, but where the search for the first one ended", "1", {"point"}, converged},
       {"label", "special points", "", {"point"}, label},
       {"sequence", "sequence of events", "", {"point"}, sequence},
       {"x", "state on the strobe or section", "", {"point", "component"}, x},
       {"component", "component of the state", "", {"component"}, result.prepared.model->component_names()},
       {"multiplier_re", "real part of the multipliers", "1", {"point", "multiplier"}, re},
       {"multiplier_im", "imaginary part of the multipliers", "1", {"point", "multiplier"}, im},
       {"multiplier_log", "natural logarithm of their moduli", "1", {"point", "multiplier"}, log},
       {"observed",
        result.observed_name + (extreme_in(result.observed_name) ? " over the orbit" : " at the returns"),
        "",
        {"point", "return"},
        observed}});
  add_special_points(file, result, most);
  return file;
}

}  // namespace saltus
