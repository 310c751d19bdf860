#pragma once

#include <memory>
#include <string>
#include <vector>

#include "saltus/analysis/section.hpp"
#include "saltus/driver/motion_request.hpp"
#include "saltus/result/json_text.hpp"

namespace saltus {

/// `saltus section`: the points of a Poincaré section.
struct SectionRequest : MotionRequest {
  std::string at_impacts;  // name of a contact: at its impacts; empty: at the surface or the strobe
};

struct SectionResult {
  PreparedModel prepared;
  SectionRequest request;
  std::string place;                 // in words
  std::vector<std::string> columns;  // components of x, then observables
  std::vector<std::vector<double>> rows;  // one per point
  SectionPoints section;

  const std::vector<Diagnostic>& warnings() const { return prepared.warnings; }
};

/// Throws Error(usage) if there is no length, or nothing to look at.
SectionResult run(const SectionRequest& request);

/// Why the motion ended early, or that the section was never met; what to do. Empty if all is well.
std::string stop_message(const SectionResult& result);
ExitCode exit_code(const SectionResult& result);

/// "periodic", "not periodic" or "undecided" (too few points), and the sentence that says why.
std::string verdict(const SectionResult& result);
std::string reason(const SectionResult& result);

/// CSV: t and the columns.
std::string to_csv(const SectionResult& result);

/// columns, points (rows of numbers), times, verdict, reason, period.
Json to_json(const SectionResult& result);

}  // namespace saltus
