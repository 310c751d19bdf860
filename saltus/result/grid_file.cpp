#include "saltus/result/grid_file.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "saltus/base/text.hpp"
#include "saltus/result/netcdf_file.hpp"
#include "saltus/result/new_file.hpp"
#include "saltus/result/result_file.hpp"

namespace saltus {
namespace {

std::string cell(const GridField& field, double value) {
  const auto k = static_cast<std::size_t>(value);
  if (!field.meanings.empty() && value >= 0.0 && k < field.meanings.size()) return field.meanings[k];
  return shortest(value);
}

void write_csv(const std::string& path, const GridFile& grid) {
  NewFile file(path);
  std::string waiting;
  const auto put = [&](const std::string& text) {
    waiting += text;
    if (waiting.size() < (std::size_t{1} << 16U)) return;
    file.write(waiting);
    waiting.clear();
  };
  ResultFile head{.recipe = grid.recipe, .title = grid.title, .outcome = grid.outcome, .complete = grid.complete};
  std::string line = grid.x.name + "," + grid.y.name;
  for (const GridField& field : grid.fields) line += "," + field.name;
  put(csv_header(head) + line + "\n");
  std::size_t point = 0;
  for (std::size_t piece = 0; piece < grid.pieces; ++piece) {
    const std::vector<double> numbers = grid.read(piece);
    for (std::size_t i = 0; i < numbers.size(); i += grid.fields.size(), ++point) {
      line = shortest(grid.x.values[point % grid.x.values.size()]) + "," +
             shortest(grid.y.values[point / grid.x.values.size()]);
      for (std::size_t f = 0; f < grid.fields.size(); ++f) line += "," + cell(grid.fields[f], numbers[i + f]);
      put(line + "\n");
    }
  }
  file.write(waiting);
  file.finish();
}

}  // namespace

void write_grid(const std::string& path, const GridFile& grid) {
  if (std::filesystem::path(path).extension() == ".csv") return write_csv(path, grid);
  write_netcdf(path, grid);
}

}  // namespace saltus
