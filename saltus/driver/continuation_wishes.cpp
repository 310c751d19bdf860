#include "saltus/driver/continuation_wishes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "saltus/base/text.hpp"
#include "saltus/driver/option_expression.hpp"

namespace saltus {
namespace {

constexpr std::size_t most_wishes = 10'000;

std::vector<std::string> values_in(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

void add_marks(const ContinueResult& result, const std::string& text, std::vector<CurveMark>& marks) {
  const auto& ranges = result.ranges;
  const std::size_t equals = text.find('=');
  std::vector<std::string> names;
  for (const VariedRange& range : ranges) names.push_back(range.name);
  const auto found = std::find(names.begin(), names.end(), text.substr(0, equals));
  if (equals == std::string::npos || found == names.end())
    throw usage(fmt::format("⟨at⟩ '{}' is no value of what is varied\n  expected {}=VALUE or {}=VALUE,VALUE,...",
                            printable(text), fmt::join(names, "=VALUE or "), names.front()));
  const std::size_t k = static_cast<std::size_t>(found - names.begin());
  const double lower = std::min(ranges[k].from, ranges[k].to), upper = std::max(ranges[k].from, ranges[k].to);
  const std::vector<std::string> parts = values_in(text.substr(equals + 1));
  if (parts.empty() || parts.size() + marks.size() > most_wishes)
    throw usage(fmt::format("⟨at⟩ '{}': expected from 1 to {} values", printable(text), most_wishes));
  for (const std::string& part : parts) {
    const double value = number_in("⟨at⟩", text, part, result.prepared);
    if (value < lower || value > upper)
      throw usage(fmt::format("⟨at⟩ {} = {} lies outside of ⟨vary⟩ {}={}:{}\n  widen the interval, or leave it out",
                              ranges[k].name, shortest(value), ranges[k].name, shortest(ranges[k].from),
                              shortest(ranges[k].to)));
    marks.push_back({static_cast<Eigen::Index>(k), value});
  }
}

std::string without_blanks(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Where EXPR=VALUE is divided: at the last = that is not part of a comparison.
std::size_t value_sign(const std::string& text) {
  for (std::size_t i = text.size(); i-- > 1;) {
    if (text[i] != '=') continue;
    if (std::string("=<>!").find(text[i - 1]) == std::string::npos) return i;
    --i;
  }
  return std::string::npos;
}

bool lies_at(const BranchPoint& point, const CurveMark& mark) {
  const auto& varied = point.orbit.varied;
  const auto back = static_cast<std::size_t>(mark.from_last);
  return back < varied.size() && varied[varied.size() - 1 - back] == mark.value;
}

}  // namespace

std::optional<FixedQuantity> fixed_quantity(const ContinueRequest& request, const PreparedModel& prepared) {
  if (request.fix.empty() || request.fix == "period") return std::nullopt;
  const std::size_t equals = value_sign(request.fix);
  const std::string name = without_blanks(request.fix.substr(0, equals));
  FixedQuantity fixed{option_expression("⟨fix⟩", name, *prepared.model), {1, {}, name}};
  if (equals != std::string::npos)
    fixed.held.level = number_in("⟨fix⟩", request.fix, without_blanks(request.fix.substr(equals + 1)), prepared);
  return fixed;
}

std::vector<CurveMark> wanted_marks(const ContinueResult& result) {
  std::vector<CurveMark> marks;
  for (const std::string& text : result.request.at) add_marks(result, text, marks);
  return marks;
}

std::vector<BranchStop> wanted_stops(const std::vector<std::string>& labels) {
  std::vector<BranchStop> stops;
  for (const std::string& label : labels) {
    BranchStop stop{kind_of_label(label), 1};
    std::string number = label.substr(std::min(label.size(), label_of(stop.kind).size()));
    if (number.size() > 1 && number.front() == '-') number.erase(0, 1);  // R2-1
    const bool digits =
        number.size() < 6 && std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (digits && !number.empty()) stop.number = std::stoul(number);
    if (stop.kind == SpecialKind::none || !digits || stop.number == 0)
      throw usage(
          fmt::format("⟨stop⟩ '{}' is no label\n  expected a kind of special point ({}), or one with a number: "
                      "PD2, the second that is met",
                      printable(label), listed(special_labels(), 40)));
    stops.push_back(stop);
  }
  return stops;
}

std::vector<std::string> unmet_wishes(const ContinueResult& result) {
  std::vector<std::string> unmet;
  for (const CurveMark& mark : wanted_marks(result)) {
    const auto& points = result.branch.points;
    const bool met = std::any_of(points.begin(), points.end(), [&](const auto& each) { return lies_at(each, mark); });
    if (met) continue;
    unmet.push_back(
        fmt::format("{} = {}", result.ranges[static_cast<std::size_t>(mark.from_last)].name, shortest(mark.value)));
  }
  return unmet;
}

}  // namespace saltus
