#pragma once

#include <string>
#include <vector>

#include "saltus/analysis/motions/section.hpp"
#include "saltus/driver/motion_request.hpp"
#include "saltus/driver/starts.hpp"
#include "saltus/result/figure.hpp"
#include "saltus/result/json_text.hpp"
#include "saltus/result/result_file.hpp"

namespace saltus {

/// `saltus section`: the points of a Poincaré section.
struct SectionRequest : MotionRequest {
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

/// "periodic", "not periodic" or "undecided" (too few points), and the sentence that says why.
std::string verdict(const SectionPoints& section);
std::string reason(const SectionPoints& section);

/// "periodic: the last points of 20 repeat after 2", a line for every start.
std::string verdict_text(const SectionResult& result);

/// CSV: t and the columns; of several starts their number before them.
std::string to_csv(const SectionResult& result);

/// columns, points (rows of numbers), times, verdict, reason, period; of several starts also `start` of every point and
/// tracks [{x, points, verdict, reason, period, outcome}].
Json to_json(const SectionResult& result);

/// The points over `point`, with the recipe.
ResultFile result_file(const SectionResult& result);

/// What a picture of a section shows: names of columns, or t. Empty: the first coordinate and its velocity; by colour: the
/// starts, if there are several.
struct SectionPlot {
  std::string x, y, colour;
};

/// Points y over x, coloured by a third quantity; angles modulo their periods.
Figure figure(const SectionResult& result, const SectionPlot& plot);

/// Throws Error(usage) for names that the model does not have: before the motion is computed.
void require_drawable(const Model& model, const SectionPlot& plot);

}  // namespace saltus
