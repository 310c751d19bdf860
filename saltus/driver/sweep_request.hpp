#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "saltus/analysis/motions/motion_run.hpp"
#include "saltus/analysis/motions/ramps.hpp"
#include "saltus/driver/motion_request.hpp"
#include "saltus/driver/range.hpp"
#include "saltus/model/varied_setup.hpp"
#include "saltus/result/journal.hpp"
#include "saltus/result/recipe.hpp"

namespace saltus {

/// How far a sweep is: pieces of work that are finished and kept.
struct SweepProgress {
  std::size_t done = 0;
  std::size_t total = 0;
  std::size_t before = 0;  // of the done ones: by an earlier run
};

/// Which ranges are varied.
struct WhichRanges {
  std::vector<std::string> vary;  // as written: name=from:to:count
};

/// Where work in pieces is kept, and who is told of it.
struct KeptWork {
  std::string journal_for;  // the file whose journal is kept; empty: none
  bool resume = false;
  std::function<bool()> interrupted;  // asked now and then; true ends the run early
  std::function<void(const SweepProgress&)> advanced;
};

/// The parts of sweeps: many motions, one or two things varied, and a journal.
struct SweepRequest : Request, WhichSolver, WhichRanges, HowLong, WhichSection, KeptWork {
  std::optional<double> returns;  // length in returns to the section, and the transient too
};

/// Transient and length in the unit of MotionOptions. Forced motions are followed for whole periods: a part of one more counts
/// as one. Throws Error(usage) as `motion_length` does.
struct SweepLength {
  double transient = 0.0;
  double length = 0.0;
  MotionOptions::Unit unit = MotionOptions::Unit::natural;
};
SweepLength sweep_length(const HowLong& request, const std::optional<double>& returns, double period);
inline SweepLength sweep_length(const SweepRequest& request, double period) {
  return sweep_length(request, request.returns, period);
}

/// A forced system is judged by its strobe; an autonomous one needs a section for periods: nothing if it has none. Throws
/// Error(usage) if a section is needed and missing.
std::optional<MotionSurface> verdict_surface(const SweepRequest& request, const PreparedModel& prepared);

/// The ranges of --vary; throws Error(usage) unless there are `count` of them, all different.
std::vector<VariedRange> sweep_ranges(const WhichRanges& request, const PreparedModel& prepared, std::size_t count,
                                      Varied what);

/// The numbers of the model where the ranges have these values, or what is wrong there. Reads the settings anew each time.
SetupReading setup_at(const PreparedModel& prepared, const Request& request, const std::vector<VariedRange>& ranges,
                      const std::vector<double>& values);

/// The same for many values: the settings are read once. `prepared` must live as long.
VariedSetup varied_setup(const PreparedModel& prepared, const Request& request, const std::vector<VariedRange>& ranges);

/// What tells one work from another: a journal and the processes of mpirun go on with the same only.
JournalIdentity work_of(const Recipe& recipe);

/// The journal beside the result file, or one without a name. Throws Error(usage) if it belongs to other work, or if there is one
/// and --resume is not given, Error(file) if it holds what cannot be.
std::unique_ptr<Journal> sweep_journal(const KeptWork& request, const Recipe& recipe,
                                       const Journal::RecordCheck& is_possible);

/// What to do when the disk is full: the message of the failure, and how many of all pieces are kept.
Error with_remedy(const Error& error, const Journal& journal, std::size_t all, const std::string& pieces);

/// An outcome as a journal holds it. Throws Error(file) if it is none.
Outcome stored_outcome(double number);

inline Vector state_of(const std::vector<double>& numbers) {
  return Eigen::Map<const Vector>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

unsigned threads_of(const RunOptions& options);

/// A whole number from 0 to `most`, as journals hold counts, periods and names of kinds.
inline bool is_count(double number, double most) {
  return number >= 0.0 && number <= most && number == std::floor(number);
}

/// The key of one value of one ramp in a journal.
inline std::uint64_t ramp_key(std::size_t ramp, std::size_t place) {
  return (static_cast<std::uint64_t>(ramp) << 32U) + static_cast<std::uint64_t>(place);
}

/// Is it one of these ramps?
bool is_ramp_key(std::uint64_t key, std::span<const Ramp> ramps);

/// The number of the last kind of motion, as journals hold it.
constexpr double last_kind = static_cast<double>(MotionKind::not_periodic);

}  // namespace saltus
