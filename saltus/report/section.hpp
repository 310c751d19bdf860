#pragma once

#include <string>

#include "saltus/driver/section.hpp"
#include "saltus/report/figure.hpp"
#include "saltus/result/json_text.hpp"
#include "saltus/result/result_file.hpp"

namespace saltus {

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
