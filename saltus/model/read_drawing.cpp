#include <fmt/format.h>

#include <algorithm>

#include "saltus/base/text.hpp"
#include "saltus/model/model_reader.hpp"

namespace saltus {
namespace {

constexpr std::size_t most_points = 1000;

}  // namespace

void ModelReader::read_drawing() {
  const TomlValue* table = section("draw");
  if (!table || root_.find("hill")) return;
  if (table->entries.size() > most_points) {
    error(table->entries[most_points].key_span, fmt::format("[draw] has {} entries", table->entries.size()),
          fmt::format("at most {}", most_points));
    return;
  }
  for (const TomlEntry& entry : table->entries)
    if (entry.key != "lines" && entry.key != "walls" && entry.key != "trace") read_point(entry);
  Drawing& drawing = model_->drawing;
  if (const TomlValue* lines = table->find("lines")) read_lines(*lines);
  if (const TomlValue* walls = table->find("walls")) read_walls(*walls);
  if (const TomlValue* trace = table->find("trace")) {
    if (const auto points = read_point_names(*trace, "'trace'")) drawing.trace = *points;
  } else if (!drawing.lines.empty() && !drawing.lines.back().empty()) {
    drawing.trace = {drawing.lines.back().back()};
  }
}

std::vector<Located> ModelReader::read_pair(const TomlValue& value, const std::string& what) {
  return read_list(value, 2, what, {"x", "y"}, [&](std::size_t i) {
    return Place{fmt::format("in the {} of {}", i == 0 ? "x" : "y", what), of_everything, ""};
  });
}

void ModelReader::read_point(const TomlEntry& entry) {
  const std::vector<Located> xy = read_pair(entry.value, fmt::format("the point '{}'", printable(entry.key)));
  const Located nothing{graph_->constant(0.0), entry.key_span};
  model_->drawing.points.push_back({entry.key, xy.size() == 2 ? xy[0] : nothing, xy.size() == 2 ? xy[1] : nothing});
}

std::optional<std::vector<std::size_t>> ModelReader::read_point_names(const TomlValue& list, const std::string& what) {
  const std::string expected = "a list of names of points";
  if (!require(list, TomlKind::array, what, expected)) return std::nullopt;
  Keys names;
  for (const DrawingPoint& point : model_->drawing.points) names.push_back(point.name);
  std::vector<std::size_t> result;
  for (const TomlValue& item : list.items) {
    if (!require(item, TomlKind::string, fmt::format("an entry of {}", what), expected)) continue;
    const auto found = std::find(names.begin(), names.end(), item.text);
    if (found == names.end()) {
      error(document_.inner_span(item), fmt::format("unknown point '{}' in {}", printable(item.text), what),
            names.empty() ? "a point of [draw]" : fmt::format("one of {}", listed(names, 12)),
            did_you_mean(item.text, names));
    } else {
      result.push_back(static_cast<std::size_t>(found - names.begin()));
    }
  }
  return result;
}

void ModelReader::read_lines(const TomlValue& lines) {
  if (!require(lines, TomlKind::array, "'lines'", "a list of lists of points, such as [[\"A\", \"B\"]]")) return;
  for (const TomlValue& line : lines.items) {
    const auto points = read_point_names(line, "a line");
    if (!points) continue;
    if (line.items.size() < 2) error(line.span, "a line needs two points", "a list of two or more points");
    model_->drawing.lines.push_back(*points);
  }
}

void ModelReader::read_walls(const TomlValue& walls) {
  const std::string expected = "a list of walls { from = [\"x\", \"y\"], to = [\"x\", \"y\"] }";
  if (!require(walls, TomlKind::array, "'walls'", expected)) return;
  for (const TomlValue& wall : walls.items) {
    if (!require(wall, TomlKind::table, "an entry of 'walls'", expected)) continue;
    only(wall, {"from", "to"}, "of a wall");
    const TomlValue* from = required(wall, "from", "a wall", "from = [\"x\", \"y\"]");
    const TomlValue* to = required(wall, "to", "a wall", "to = [\"x\", \"y\"]");
    if (!from || !to) continue;
    const std::vector<Located> a = read_pair(*from, "the start of a wall");
    const std::vector<Located> b = read_pair(*to, "the end of a wall");
    if (a.size() == 2 && b.size() == 2) model_->drawing.walls.push_back({a[0], a[1], b[0], b[1]});
  }
}

}  // namespace saltus
