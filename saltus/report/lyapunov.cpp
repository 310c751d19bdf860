#include "saltus/report/lyapunov.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "saltus/base/text.hpp"
#include "saltus/driver/numbers.hpp"
#include "saltus/report/drift.hpp"
#include "saltus/report/text_table.hpp"

namespace saltus {
namespace {

bool is_whole(const LyapunovSpectrum& spectrum) { return !spectrum.exponents.values.empty(); }

// ---- text ----------------------------------------------------------------------------------------------------------

std::string rounded(double value) { return std::isinf(value) ? "-inf" : fmt::format("{:.4f}", value + 0.0); }

std::string verdict_line(const LyapunovSpectrum& spectrum) {
  const Verdict& verdict = spectrum.verdict;
  std::string kind(name_of(verdict.kind));
  if (verdict.period > 0) kind += fmt::format(", period {}", verdict.period);
  if (verdict.frequencies > 0) kind += fmt::format(" with {} frequencies", verdict.frequencies);
  return fmt::format("{}: {}", kind, verdict.reason);
}

/// Like the papers' tables; the trivial zero stands apart, at the end.
std::vector<std::string> exponent_lines(const LyapunovSpectrum& spectrum, double unit) {
  std::vector<std::vector<std::string>> rows(3);
  for (std::size_t i = 0; i < spectrum.exponents.values.size(); ++i) {
    const double value = spectrum.exponents.values[i];
    rows[0].push_back(fmt::format("{:>8}", i + 1));
    rows[1].push_back(fmt::format("{:>8}", rounded(value / unit)));
    rows[2].push_back(std::isinf(value)
                          ? fmt::format("{:>8}", "")
                          : fmt::format("{:>8}", fmt::format("±{:.4f}", spectrum.exponents.standard_errors[i] / unit)));
  }
  if (spectrum.trivial_zero) {
    rows[0].push_back(fmt::format("{:>8}", "time"));
    rows[1].push_back(fmt::format("{:>8}", "0"));
  }
  std::vector<std::string> lines = aligned(rows);
  for (std::string& line : lines) line.erase(line.find_last_not_of(' ') + 1);
  if (lines.back().empty()) lines.pop_back();  // nothing but -inf has no errors
  return lines;
}

std::vector<Labelled> spectrum_blocks(const LyapunovSpectrum& spectrum, const LyapunovResult& result) {
  const double unit = unit_of(result.request.base);
  const std::string residual = spectrum.sum_rule_residual ? fmt::format("{:.1e}", *spectrum.sum_rule_residual / unit)
                                                          : "none: contact annihilates directions, the sum is -inf";
  std::vector<Labelled> blocks = {{"motion", {verdict_line(spectrum)}}};
  const std::string drift = drift_text(*result.prepared.model, spectrum.verdict.drift);
  if (!drift.empty()) blocks.push_back({"drift", {drift}});
  blocks.insert(
      blocks.end(),
      {{"exponents", exponent_lines(spectrum, unit)},
       {"unit",
        {fmt::format("{} per unit time, over t = {}",
                     result.request.base == LogBase::two ? "bits" : "natural logarithms", six_digits(spectrum.time))}},
       {"Kaplan-Yorke",
        {fmt::format("{:.3f}", spectrum.kaplan_yorke) + (spectrum.trivial_zero ? ", the time counted" : "")}},
       {"impacts", {fmt::format("{:.4f} per unit time", spectrum.impacts_per_unit_time)}},
       {"sliding", {fmt::format("{:.2f} % of the time", 100.0 * spectrum.sliding_fraction)}},
       {"sum rule", {residual}}});
  return blocks;
}

std::string state_text(const LyapunovResult& result, std::size_t start) {
  const std::vector<std::string> names = result.prepared.model->component_names();
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < names.size(); ++i)
    parts.push_back(fmt::format("{} = {}", names[i], six_digits(result.states[start][static_cast<Eigen::Index>(i)])));
  return listed(parts);
}

std::string attractors_text(const LyapunovResult& result) {
  std::string text =
      fmt::format("{} start{} reached {} attractor{}\n", result.states.size(), result.states.size() == 1 ? "" : "s",
                  result.attractors.size(), result.attractors.size() == 1 ? "" : "s");
  for (std::size_t i = 0; i < result.attractors.size(); ++i) {
    const Attractor& attractor = result.attractors[i];
    std::vector<Labelled> blocks = {
        {fmt::format("attractor {}", i + 1),
         {fmt::format("{} of {} starts, for instance {}", attractor.starts.size(), result.states.size(),
                      state_text(result, attractor.representative))}}};
    for (Labelled& block : spectrum_blocks(result.spectra[attractor.representative], result))
      blocks.push_back(std::move(block));
    text += "\n" + labelled_text(blocks);
  }
  return text;
}

Labelled tangent_block(const LyapunovResult& result) {
  const TangentAgreement& agreement = *result.tangent_agreement;
  const std::string left_out = agreement.left_out == 0 ? "" : fmt::format(", {} more left out", agreement.left_out);
  if (agreement.windows == 0)
    return {"tangent", {"not compared with differences: always in contact, or too many events"}};
  const std::string order =
      agreement.order ? fmt::format("order {:.2f} (2 by theory)", *agreement.order) : "no order: the motion is linear";
  return {"tangent",
          {fmt::format("within {:.0e} of differences of the flow, {}; {} windows{}", agreement.worst, order,
                       agreement.windows, left_out)}};
}

// ---- JSON ----------------------------------------------------------------------------------------------------------

Json in_unit(const std::vector<double>& values, double unit) {
  std::vector<double> divided = values;
  for (double& value : divided) value /= unit;
  return json_numbers(divided);
}

void add_spectrum(Json& json, const Model& model, const LyapunovSpectrum& spectrum, double unit) {
  const Verdict& verdict = spectrum.verdict;
  json["exponents"] = in_unit(spectrum.exponents.values, unit);
  json["standard_errors"] = in_unit(spectrum.exponents.standard_errors, unit);
  json["trivial_zero"] = spectrum.trivial_zero;
  json["kaplan_yorke"] = json_number(spectrum.kaplan_yorke);
  json["verdict"] = name_of(verdict.kind);
  json["reason"] = verdict.reason;
  json["period"] = verdict.period > 0 ? Json(verdict.period) : Json(nullptr);
  json["drift"] = verdict.period > 0 ? drift_json(model, verdict.drift) : Json(nullptr);
  json["frequencies"] = verdict.frequencies > 0 ? Json(verdict.frequencies) : Json(nullptr);
  json["impacts_per_unit_time"] = json_number(spectrum.impacts_per_unit_time);
  json["sliding_fraction"] = json_number(spectrum.sliding_fraction);
  json["sum_rule_residual"] =
      spectrum.sum_rule_residual ? json_number(*spectrum.sum_rule_residual / unit) : Json(nullptr);
  json["exponents_natural"] = in_unit(spectrum.exponents.values, 1.0);
  json["exponents_bits"] = in_unit(spectrum.exponents.values, std::numbers::ln2);
  json["standard_errors_natural"] = in_unit(spectrum.exponents.standard_errors, 1.0);
  json["standard_errors_bits"] = in_unit(spectrum.exponents.standard_errors, std::numbers::ln2);
  json["time"] = json_number(spectrum.time);
  json["outcome"] = name_of(spectrum.outcome);
}

Json attractors_json(const LyapunovResult& result, double unit) {
  Json list = Json::array();
  for (const Attractor& attractor : result.attractors) {
    Json json = {{"starts", attractor.starts},
                 {"share", json_number(static_cast<double>(attractor.starts.size()) /
                                       static_cast<double>(result.states.size()))},
                 {"x", json_numbers(numbers_of(result.states[attractor.representative]))}};
    add_spectrum(json, *result.prepared.model, result.spectra[attractor.representative], unit);
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace

std::string to_text(const LyapunovResult& result) {
  if (result.request.starts.are_several())
    return attractors_text(result) + (result.tangent_agreement ? "\n" + labelled_text({tangent_block(result)}) : "");
  const LyapunovSpectrum& spectrum = result.spectra.front();
  if (!is_whole(spectrum)) return "";
  std::vector<Labelled> blocks = spectrum_blocks(spectrum, result);
  if (result.tangent_agreement) blocks.push_back(tangent_block(result));
  return labelled_text(blocks);
}

Json to_json(const LyapunovResult& result) {
  const PreparedModel& prepared = result.prepared;
  const double unit = unit_of(result.request.base);
  const std::string message = stop_message(result);
  Json json = {{"command", "lyapunov"},
               {"model", prepared.file},
               {"case", prepared.case_name.empty() ? Json(nullptr) : Json(prepared.case_name)},
               {"title", prepared.model->title},
               {"base", result.request.base == LogBase::two ? Json(2) : Json("e")},
               {"section", result.section.empty() ? Json(nullptr) : Json(result.section)},
               {"message", message.empty() ? Json(nullptr) : Json(message)}};
  add_spectrum(json, *result.prepared.model, result.spectra.front(), unit);
  if (result.request.starts.are_several()) {
    json["starts"] = result.states.size();
    json["seed"] = result.request.starts.seed;
    json["attractors"] = attractors_json(result, unit);
  }
  if (const auto& agreement = result.tangent_agreement)
    json["tangent_check"] = {{"agreement", json_number(agreement->worst)},
                             {"order", agreement->order ? json_number(*agreement->order) : Json(nullptr)},
                             {"windows", agreement->windows},
                             {"left_out", agreement->left_out}};
  json["diagnostics"] = json_diagnostics(result.warnings());
  return json;
}

}  // namespace saltus
