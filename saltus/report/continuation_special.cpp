#include "saltus/report/continuation_special.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "saltus/base/text.hpp"
#include "saltus/driver/numbers.hpp"
#include "saltus/report/text_table.hpp"

namespace saltus {
namespace {

/// −1, 0.3 + 0.95i and its conjugate in one, 1e-312.
std::string multiplier_text(const BranchPoint& point, std::size_t k) {
  const std::complex<double> mu = point.multipliers[k];
  const double log = log_abs(point, k);
  if (mu == 0.0 && std::isfinite(log)) return fmt::format("1e{:.0f}", std::floor(log / std::numbers::ln10));
  if (mu.imag() == 0.0) return six_digits(mu.real());
  return fmt::format("{} ± {}i", six_digits(mu.real()), six_digits(std::abs(mu.imag())));
}

std::size_t place_among(const ContinueResult& result, const BranchPoint& point) {
  return static_cast<std::size_t>(&point - result.branch.points.data()) + 1;
}

}  // namespace

std::vector<const BranchPoint*> special_points(const ContinueResult& result) {
  std::vector<const BranchPoint*> found;
  for (const BranchPoint& point : result.branch.points)
    if (point.special != SpecialKind::none && point.special != result.branch.along) found.push_back(&point);
  return found;
}

double log_abs(const BranchPoint& point, std::size_t k) {
  const bool known = point.multiplier_logs.size() == point.multipliers.size();
  return known ? point.multiplier_logs[k] : std::log(std::abs(point.multipliers[k]));
}

Json multipliers_json(const BranchPoint& point) {
  Json list = Json::array();
  for (std::size_t k = 0; k < point.multipliers.size(); ++k) {
    list.push_back(json_complex(point.multipliers[k]));
    const double log = log_abs(point, k);
    list.back()["log_abs"] = std::isfinite(log) ? Json(log) : Json(nullptr);
  }
  return list;
}

std::vector<std::string> multiplier_lines(const ContinueResult& result) {
  std::vector<std::vector<std::string>> rows;
  for (const BranchPoint* point : special_points(result)) {
    std::vector<std::string> row = {point->label};
    for (std::size_t k = 0; k < point->multipliers.size(); ++k)
      if (!(point->multipliers[k].imag() < 0.0)) row.push_back(multiplier_text(*point, k));
    if (point->multipliers.empty()) row.emplace_back(point->orbit.x.empty() ? "not known" : "infinite");
    rows.push_back(std::move(row));
  }
  return aligned(rows);
}

void add_special_points(ResultFile& file, const ContinueResult& result, std::size_t most) {
  const std::vector<const BranchPoint*> all = special_points(result);
  if (all.empty()) return;
  std::vector<std::string> special, kind, orbit, note, passage;
  std::vector<double> number, period;
  std::vector<double> re(all.size() * most, nothing), im = re, log = re;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const BranchPoint& point = *all[i];
    special.push_back(point.label);
    kind.emplace_back(label_of(point.special));
    number.push_back(static_cast<double>(place_among(result, point)));
    period.push_back(point.period);
    orbit.push_back(to_json(point.orbit).dump());
    note.push_back(point.note);
    passage.emplace_back(name_of(point.passage));
    for (std::size_t k = 0; k < point.multipliers.size(); ++k) {
      re[i * most + k] = point.multipliers[k].real();
      im[i * most + k] = point.multipliers[k].imag();
      log[i * most + k] = log_abs(point, k);
    }
  }
  file.axes.push_back({"special", special.size()});
  for (std::size_t v = 0; v < result.ranges.size(); ++v) {
    std::vector<double> values;
    for (const BranchPoint* point : all) values.push_back(point->orbit.varied[point->orbit.varied.size() - 1 - v]);
    const std::string& name = result.ranges[v].name;
    file.variables.push_back({"special_value_" + name, "parameter " + name + " there", "", {"special"}, values});
  }
  const std::vector<std::string> table = {"special", "multiplier"};
  file.variables.insert(file.variables.end(),
                        {{"special", "labels of the special points", "", {"special"}, special},
                         {"special_kind", "their kinds", "", {"special"}, kind},
                         {"special_point", "their numbers among the points", "1", {"special"}, number},
                         {"special_period", "duration of their orbits", "", {"special"}, period},
                         {"special_orbit", "their orbits, segment by segment, as JSON", "", {"special"}, orbit},
                         {"special_note", "what happens there", "", {"special"}, note},
                         {"special_passage", "what becomes of the branch there", "", {"special"}, passage},
                         {"special_multiplier_re", "real part of their multipliers", "1", table, re},
                         {"special_multiplier_im", "imaginary part of their multipliers", "1", table, im},
                         {"special_multiplier_log", "natural logarithm of their moduli", "1", table, log}});
}

}  // namespace saltus
