#pragma once

#include <string>
#include <vector>

#include "saltus/analysis/motions/section.hpp"
#include "saltus/driver/motion_request.hpp"
#include "saltus/driver/starts.hpp"

namespace saltus {

/// `saltus section`: the points of a Poincaré section.
struct SectionRequest : Request, WhichSolver, HowLong, WhichSection, WhileRunning {
  std::string at_impacts;  // name of a contact: at its impacts; empty: at the surface or the strobe
  Starts starts;
};

/// One motion's points as rows of numbers.
struct SectionTrack {
  Vector start;
  SectionPoints section;
  std::vector<std::vector<double>> rows;  // one per point, in the order of SectionResult::columns
};

struct SectionResult {
  PreparedModel prepared;
  SectionRequest request;
  FlowOptions options;
  std::string place;                 // in words
  std::vector<std::string> columns;  // components of x, then observables
  std::vector<double> angle_periods;  // per coordinate; 0: it is no angle
  std::vector<SectionTrack> tracks;  // one per start

  const std::vector<Diagnostic>& warnings() const { return prepared.warnings; }
};

/// Throws Error(usage) if there is no length, or nothing to look at.
SectionResult run(const SectionRequest& request);

/// Why a motion ended early, or that it never met the section; what to do. Empty if all is well.
std::string stop_message(const SectionResult& result);
ExitCode exit_code(const SectionResult& result);

}  // namespace saltus
