#include "saltus/report/grid.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace saltus {

Json grid_json_head(const std::string& command, const PreparedModel& prepared, const Grid& grid) {
  const auto axis = [](const VariedRange& range) {
    return Json{{"name", range.name}, {"values", json_numbers(range.values())}};
  };
  return {{"command", command},
          {"model", prepared.file},
          {"case", prepared.case_name.empty() ? Json(nullptr) : Json(prepared.case_name)},
          {"title", prepared.model->title},
          {"axes", Json::array({axis(grid.x), axis(grid.y)})}};
}

Json grid_json_tail(const PreparedModel& prepared, const GridNumbers& numbers, std::size_t failed) {
  const std::string message = grid_stop_message(prepared, numbers, failed);
  return {{"failed", failed},
          {"message", message.empty() ? Json(nullptr) : Json(message)},
          {"complete", numbers.complete()},
          {"lane_use", json_number(numbers.use.share())},
          {"diagnostics", json_diagnostics(prepared.warnings)}};
}

GridAxis axis_of(const VariedRange& range) {
  const bool parameter = range.of == VariedRange::Of::parameter;
  return {range.name, (parameter ? "parameter " : "initial value of ") + range.name, range.values()};
}

Figure grid_figure(const PreparedModel& prepared, const Grid& grid, std::vector<double> values, ColourScale colours) {
  Panel panel{.x_label = grid.x.name, .y_label = grid.y.name};
  panel.image = Image{.x = grid.x.values(), .y = grid.y.values(), .values = std::move(values)};
  panel.colours = std::move(colours);
  panel.height = 420.0;
  return {.title = prepared.model->title, .panels = {std::move(panel)}};
}

GridFile grid_file_frame(const PreparedModel& prepared, const Recipe& recipe, const GridNumbers& numbers) {
  GridFile file{.recipe = recipe,
                .title = prepared.model->title,
                .outcome = numbers.complete() ? "reached_end" : "stopped",
                .complete = numbers.complete(),
                .x = axis_of(numbers.grid.x),
                .y = axis_of(numbers.grid.y)};
  file.pieces = numbers.grid.tiles();
  file.read = [&numbers](std::size_t piece) { return numbers.tile(piece); };
  return file;
}

}  // namespace saltus
