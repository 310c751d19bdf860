#include "saltus/driver/continuation_stop.hpp"
#include "saltus/base/setting.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace saltus {
namespace {

bool is_early(CurveEnd reason) {
  switch (reason) {
    case CurveEnd::bound:
    case CurveEnd::closed:
    case CurveEnd::vertical:
    case CurveEnd::homoclinic:
    case CurveEnd::heteroclinic:
    case CurveEnd::hopf:
    case CurveEnd::stopped:
    case CurveEnd::special: return false;
    default: return true;
  }
}

std::string why(const BranchEnd& end, std::size_t point) {
  const std::string found = end.words.empty() ? "" : fmt::format(" ({})", end.words);
  switch (end.reason) {
    case CurveEnd::most_points:
      return fmt::format(
          "the most points allowed are reached{}\n"
          "  allow more with ⟨points⟩, take longer steps with ⟨step⟩, or go on from the file of ⟨out⟩ with ⟨point⟩ {}",
          found, point);
    case CurveEnd::no_convergence:
      return end.words.empty()
                 ? "Newton's method does not converge, however short the step\n"
                   "  what ends it here is not understood: no test function vanishes\n"
                   "  try a smaller ⟨step⟩, a tighter ⟨rtol⟩, or begin beyond this point"
                 : end.words + "\n  try a smaller ⟨step⟩, a tighter ⟨rtol⟩, or begin with another orbit: ⟨from⟩ FILE";
    case CurveEnd::refused:
      return fmt::format(
          "the orbit loses its sequence of events{}\n"
          "  the motion that follows is another one: look at it with saltus simulate, and begin from it",
          found);
    case CurveEnd::singular:
      return fmt::format(
          "the equations of the orbit are singular, and no test function says why{}\n"
          "  a symmetry, or two special points in one: change another parameter a little",
          found);
    case CurveEnd::interrupted:
      return fmt::format(
          "interrupted; what was computed is kept and marked as a part\n"
          "  go on from the file of ⟨out⟩: ⟨from⟩ FILE ⟨point⟩ {}",
          point);
    default: return "";
  }
}

/// Whether an end is that of the first point: of --direction down and of the backward half.
bool is_first(const ContinueResult& result, std::size_t end) {
  const bool switched = !result.request.switches.empty();
  // A switched branch lists its second half first.
  if (result.branch.ends.size() == 2) return switched ? end == 1 : end == 0;
  return result.request.direction == BranchOptions::Direction::down && !switched;
}

}  // namespace

std::vector<double> values_of(const BranchPoint& point) {
  return {point.orbit.varied.rbegin(), point.orbit.varied.rend()};
}

std::string place_of(const ContinueResult& result, const BranchPoint& point) {
  const std::vector<double> values = values_of(point);
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < values.size() && i < result.ranges.size(); ++i)
    parts.push_back(fmt::format("{} = {:.10g}", result.ranges[i].name, values[i]));
  return fmt::format("{}", fmt::join(parts, ", "));
}

const BranchPoint& point_at_end(const ContinueResult& result, std::size_t end) {
  const auto& points = result.branch.points;
  return is_first(result, end) ? points.front() : points.back();
}

bool ContinueResult::complete() const {
  return std::none_of(branch.ends.begin(), branch.ends.end(),
                      [](const BranchEnd& end) { return is_early(end.reason); });
}

std::string stop_message(const ContinueResult& result) {
  if (!result.missing.empty()) return said(fmt::format("{}: {}\n", result.prepared.file, result.missing));
  std::string text;
  for (std::size_t k = 0; k < result.branch.ends.size(); ++k) {
    if (!is_early(result.branch.ends[k].reason)) continue;
    const std::string place = result.branch.points.empty() ? "the start" : place_of(result, point_at_end(result, k));
    const std::size_t number = result.branch.points.empty() || is_first(result, k) ? 1 : result.branch.points.size();
    const std::string line =
        fmt::format("{}: the branch ends at {}: {}\n", result.prepared.file, place, why(result.branch.ends[k], number));
    if (text != line) text += line;  // a branch that cannot leave its start ends in both directions alike
  }
  return said(text);
}

ExitCode exit_code(const ContinueResult& result) {
  const auto& ends = result.branch.ends;
  if (std::any_of(ends.begin(), ends.end(), [](const auto& e) { return e.reason == CurveEnd::interrupted; }))
    return ExitCode::interrupted;
  return result.complete() ? ExitCode::done : ExitCode::stopped_early;
}

}  // namespace saltus
