#pragma once

#include <string>
#include <vector>

#include "saltus/driver/simulate.hpp"
#include "saltus/report/figure.hpp"
#include "saltus/result/json_text.hpp"
#include "saltus/result/result_file.hpp"

namespace saltus {

/// What the text holds beside the summary.
struct SimulateText {
  bool events = false;
  bool report = false;
  bool samples = true;  // if there are any
};
std::string to_text(const SimulateResult& result, const SimulateText& wanted);

/// final {t, q, v, z, active}, events [{t, kind, contact, gamma_minus, gamma_plus, impulse, q, v_minus, v_plus}], outcome,
/// message, report, and samples {t, one list per component and observable, gaps, forces} if there are any.
Json to_json(const SimulateResult& result);

/// A quantity at every sample.
struct SampleColumn {
  std::string name;  // z, z', energy, gap_floor, force_floor
  std::string long_name;  // "velocity of z"
  std::vector<double> values;
};

/// The components of x, the observables, then gap and contact force of every contact.
std::vector<SampleColumn> sample_columns(const SimulateResult& result);

/// Samples over t, events over their number, and the recipe.
ResultFile result_file(const SimulateResult& result);

/// The kinds of pictures of a motion.
enum class MotionPlot { time, phase, configuration, gaps, forces };

/// time: the named quantities over t, impacts marked. phase: the second named quantity over the first.
/// configuration: the [draw] skeleton at the end and at earlier instants, walls, the path of the traced points. gaps: all
/// gaps over t. forces: contact forces and impulses over t. Names are components of x or observables; none: the model's
/// observables, or its coordinates; for `phase` the first coordinate and its velocity. Throws Error(usage) for unknown names
/// and for what the model does not have.
Figure figure(const SimulateResult& result, MotionPlot kind, const std::vector<std::string>& names);

/// Throws what `figure` would throw because of kind and names: before the motion is computed.
void require_drawable(const Model& model, MotionPlot kind, const std::vector<std::string>& names);

/// As many samples as a picture needs.
constexpr std::size_t samples_of_a_figure = 2000;

}  // namespace saltus
