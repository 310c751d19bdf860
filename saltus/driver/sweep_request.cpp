#include "saltus/driver/sweep_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/base/text.hpp"
#include "saltus/driver/flow_settings.hpp"
#include "saltus/expr/parse.hpp"

namespace saltus {
namespace {

double whole_periods(double units) { return std::ceil(units * (1.0 - 1e-12)); }

double count_of(const char* option, double value) {
  if (value >= 1.0 && value <= 1e12 && value == std::floor(value)) return value;
  throw usage(
      fmt::format("{} {} is no number of returns\n  expected a whole number above 0", option, six_digits(value)));
}

}  // namespace

SweepLength sweep_length(const HowLong& request, const std::optional<double>& returns, double period) {
  if (!returns) {
    const MotionLength length = motion_length(request, period);
    if (period == 0.0) return {length.transient, length.length, MotionOptions::Unit::natural};
    return {whole_periods(length.transient), whole_periods(length.length), MotionOptions::Unit::natural};
  }
  if (request.time || request.periods)
    throw usage("⟨returns⟩ is given beside ⟨time⟩ or ⟨periods⟩\n  expected one of them");
  if (period > 0.0)
    throw usage("⟨returns⟩ counts returns to the section of a model without forcing\n  use ⟨periods⟩ N instead");
  const double length = count_of("⟨returns⟩", *returns);
  const double transient = request.transient == 0.0 ? 0.0 : count_of("⟨transient⟩", request.transient);
  return {transient, length, MotionOptions::Unit::returns};
}

std::optional<MotionSurface> verdict_surface(const SweepRequest& request, const PreparedModel& prepared) {
  require_surface(request);
  if (prepared.setup.forcing_period > 0.0) return std::nullopt;
  auto surface = motion_surface(request, prepared);
  if (!surface && request.returns)
    throw usage(
        "⟨returns⟩ needs a section, and the model has none\n  add [section] to the model, or ⟨surface⟩ EXPRESSION");
  return surface;
}

std::vector<VariedRange> sweep_ranges(const WhichRanges& request, const PreparedModel& prepared, std::size_t count,
                                      Varied what) {
  if (request.vary.size() != count)
    throw usage(fmt::format("⟨vary⟩ is given {} time{}\n  expected {}: ⟨vary⟩ name=from:to:count", request.vary.size(),
                            request.vary.size() == 1 ? "" : "s", count == 1 ? "one range" : "two ranges"));
  std::vector<VariedRange> ranges;
  for (const std::string& text : request.vary) ranges.push_back(read_range(text, prepared, what, RangeForm::values));
  if (count == 2 && ranges[0].name == ranges[1].name)
    throw usage(fmt::format("'{}' is varied twice\n  expected two different names", printable(ranges[0].name)));
  return ranges;
}

SetupReading setup_at(const PreparedModel& prepared, const Request& request, const std::vector<VariedRange>& ranges,
                      const std::vector<double>& values) {
  std::vector<Assignment> assignments = request.assignments;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    std::erase_if(assignments, [&](const Assignment& each) { return each.name == ranges[i].name; });
    assignments.push_back(assigned(ranges[i], values[i]));
  }
  return set_up(*prepared.model, request.case_name, assignments);
}

VariedSetup varied_setup(const PreparedModel& prepared, const Request& request,
                         const std::vector<VariedRange>& ranges) {
  std::vector<std::string> names;
  for (const VariedRange& range : ranges) names.push_back(range.name);
  return {*prepared.model, request.case_name, request.assignments, std::move(names)};
}

JournalIdentity work_of(const Recipe& recipe) {
  JournalIdentity work = {{"program", recipe.program}, {"command", recipe.command}, {"model", recipe.model_text}};
  work.insert(work.end(), recipe.settings.begin(), recipe.settings.end());
  return work;
}

std::unique_ptr<Journal> sweep_journal(const KeptWork& request, const Recipe& recipe,
                                       const Journal::RecordCheck& is_possible) {
  if (request.journal_for.empty()) {
    if (request.resume)
      throw usage("⟨resume⟩ continues what an interrupted run has written\n  add ⟨out⟩ FILE, as then");
    return std::make_unique<Journal>();
  }
  return std::make_unique<Journal>(Journal::path_for(request.journal_for), work_of(recipe),
                                   request.resume ? Journal::Mode::resume : Journal::Mode::begin, is_possible);
}

bool is_ramp_key(std::uint64_t key, std::span<const Ramp> ramps) {
  const std::uint64_t ramp = key >> 32U;
  return ramp < ramps.size() && (key & 0xffff'ffffU) < ramps[ramp].values.size();
}

Error with_remedy(const Error& error, const Journal& journal, std::size_t all, const std::string& pieces) {
  if (error.code() != ExitCode::file || journal.path().empty()) return error;
  return {ExitCode::file, fmt::format("{}\n  {} of {} {} are kept in '{}'; make room and continue with ⟨resume⟩",
                                      error.what(), journal.size(), all, pieces, printable(journal.path()))};
}

Outcome stored_outcome(double number) {
  if (const auto outcome = outcome_of(number)) return *outcome;
  throw Error(ExitCode::file, fmt::format("a journal says that a motion ended with {}, which is no outcome\n"
                                          "  remove the journal and start again without ⟨resume⟩",
                                          six_digits(number)));
}

}  // namespace saltus
