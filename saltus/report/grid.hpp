#pragma once

#include <string>
#include <vector>

#include "saltus/driver/grid.hpp"
#include "saltus/report/figure.hpp"
#include "saltus/result/grid_file.hpp"
#include "saltus/result/json_text.hpp"

namespace saltus {

/// command, model, case, title, axes: how the objects of all grids begin; message, complete, lane_use, diagnostics: how they end.
Json grid_json_head(const std::string& command, const PreparedModel& prepared, const Grid& grid);
Json grid_json_tail(const PreparedModel& prepared, const GridNumbers& numbers, std::size_t failed);

/// One image over the two ranges.
Figure grid_figure(const PreparedModel& prepared, const Grid& grid, std::vector<double> values, ColourScale colours);

/// The axes of a result file.
GridAxis axis_of(const VariedRange& range);

/// A file without fields: recipe, axes and the pieces that the numbers have.
GridFile grid_file_frame(const PreparedModel& prepared, const Recipe& recipe, const GridNumbers& numbers);

}  // namespace saltus
