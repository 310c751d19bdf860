#include "saltus/result/netcdf_file.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <netcdf.h>

#include <algorithm>
#include <array>
#include <map>

#include "saltus/base/error.hpp"
#include "saltus/base/text.hpp"
#include "saltus/result/new_file.hpp"
#include "saltus/result/one_line.hpp"

namespace saltus {
namespace {

constexpr std::size_t worth_packing = 1024;  // numbers

/// HDF5 flushes all files once more when the program exits, and crashes if one of them could not be written because the disk is
/// full. Ours are closed by then.
void leave_nothing_to_the_exit() {
  static const bool once = [] {
    const auto dont_atexit = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "H5dont_atexit"));
    if (dont_atexit) dont_atexit();
    return true;
  }();
  static_cast<void>(once);
}

/// A NetCDF file that is being written; failures are Error(file).
class NetcdfFile {
 public:
  /// The library sees a descriptor, no name: it would take one with :// for an address.
  explicit NetcdfFile(const std::string& path) : path_(path), file_(path) {
    leave_nothing_to_the_exit();
    require(nc_create(file_.handle().c_str(), NC_NETCDF4 | NC_CLOBBER, &id_));
    open_ = true;
  }
  NetcdfFile(const NetcdfFile&) = delete;
  NetcdfFile& operator=(const NetcdfFile&) = delete;
  ~NetcdfFile() {
    if (open_) nc_close(id_);
  }

  void require(int status) const {
    if (status != NC_NOERR)
      throw Error(ExitCode::file,
                  fmt::format("cannot write '{}': {}", printable(path_), file_.trouble(nc_strerror(status))));
  }
  void finish() {
    open_ = false;
    require(nc_close(id_));
    file_.finish();
  }
  int id() const { return id_; }

  void put(int variable, const std::string& name, const std::string& text) const {
    if (!text.empty()) require(nc_put_att_text(id_, variable, name.c_str(), text.size(), text.data()));
  }

 private:
  std::string path_;
  mutable NewFile file_;
  int id_ = 0;
  bool open_ = false;
};

/// "name=value" lines; what could be taken for the end of one is written as \\n.
std::string lines_of(const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::string text;
  for (const auto& [name, value] : pairs)
    text += fmt::format("{}{}={}", text.empty() ? "" : "\n", one_line(name), one_line(value));
  return text;
}

void put_recipe(const NetcdfFile& file, const ResultFile& result) {
  const Recipe& recipe = result.recipe;
  const int complete = result.complete ? 1 : 0;
  file.put(NC_GLOBAL, "Conventions", "CF-1.8");
  file.put(NC_GLOBAL, "title", result.title);
  file.put(NC_GLOBAL, "program", recipe.program);
  file.put(NC_GLOBAL, "command", recipe.command);
  file.put(NC_GLOBAL, "outcome", result.outcome);
  file.require(nc_put_att_int(file.id(), NC_GLOBAL, "complete", NC_INT, 1, &complete));
  file.put(NC_GLOBAL, "case", recipe.case_name);
  file.put(NC_GLOBAL, "assignments", lines_of(recipe.assignments));
  file.put(NC_GLOBAL, "settings", lines_of(recipe.settings));
  file.put(NC_GLOBAL, "model_file", recipe.model_file);
  file.put(NC_GLOBAL, "model_text", recipe.model_text);
  file.put(NC_GLOBAL, "comment", "quantities without units have those of the model");
}

int define(const NetcdfFile& file, const Variable& variable, const std::map<std::string, int>& dimensions) {
  std::vector<int> over;
  for (const std::string& axis : variable.axes) over.push_back(dimensions.at(axis));
  const auto* numbers = std::get_if<std::vector<double>>(&variable.values);
  int id = 0;
  file.require(nc_def_var(file.id(), variable.name.c_str(), numbers ? NC_DOUBLE : NC_STRING,
                          static_cast<int>(over.size()), over.data(), &id));
  if (numbers && numbers->size() >= worth_packing) file.require(nc_def_var_deflate(file.id(), id, 1, 1, 4));
  file.put(id, "long_name", variable.long_name);
  file.put(id, "units", variable.units);
  return id;
}

void put_values(const NetcdfFile& file, const ResultFile& result, const Variable& variable, int id) {
  std::vector<std::size_t> start;
  std::vector<std::size_t> count;
  for (const std::string& name : variable.axes)
    for (const Axis& axis : result.axes)
      if (axis.name == name) {
        start.push_back(0);
        count.push_back(axis.size);
      }
  if (std::find(count.begin(), count.end(), 0U) != count.end()) return;
  if (const auto* numbers = std::get_if<std::vector<double>>(&variable.values)) {
    file.require(nc_put_vara_double(file.id(), id, start.data(), count.data(), numbers->data()));
    return;
  }
  std::vector<const char*> texts;
  for (const std::string& text : std::get<std::vector<std::string>>(variable.values)) texts.push_back(text.c_str());
  file.require(nc_put_vara_string(file.id(), id, start.data(), count.data(), texts.data()));
}

int define_axis(const NetcdfFile& file, const GridAxis& axis, int& dimension) {
  file.require(nc_def_dim(file.id(), axis.name.c_str(), axis.values.size(), &dimension));
  int id = 0;
  file.require(nc_def_var(file.id(), axis.name.c_str(), NC_DOUBLE, 1, &dimension, &id));
  file.put(id, "long_name", axis.long_name);
  return id;
}

int define(const NetcdfFile& file, const GridField& field, const GridFile& grid, const std::array<int, 2>& dimensions) {
  int id = 0;
  file.require(nc_def_var(file.id(), field.name.c_str(), NC_DOUBLE, 2, dimensions.data(), &id));
  const std::size_t columns = grid.x.values.size();
  constexpr std::size_t chunk = 16'384;
  if (columns * grid.y.values.size() >= worth_packing) {
    const std::size_t across = std::min(columns, chunk);
    const std::array<std::size_t, 2> shape = {std::clamp<std::size_t>(chunk / across, 1, grid.y.values.size()), across};
    file.require(nc_def_var_chunking(file.id(), id, NC_CHUNKED, shape.data()));
    // Points come in order: a chunk that is full is not needed again. The library would keep 16 MB of them for each field.
    const std::size_t bytes = 4 * shape[0] * shape[1] * sizeof(double);
    file.require(nc_set_var_chunk_cache(file.id(), id, bytes, 101, 1.0F));
    file.require(nc_def_var_deflate(file.id(), id, 1, 1, 4));
  }
  file.put(id, "long_name", field.long_name);
  file.put(id, "units", field.units);
  if (field.meanings.empty()) return id;
  std::string meanings;
  std::vector<double> flags;
  for (const std::string& meaning : field.meanings) {
    std::string word = meaning;
    std::replace(word.begin(), word.end(), ' ', '_');
    meanings += (meanings.empty() ? "" : " ") + word;
    flags.push_back(static_cast<double>(flags.size()));
  }
  file.require(nc_put_att_double(file.id(), id, "flag_values", NC_DOUBLE, flags.size(), flags.data()));
  file.put(id, "flag_meanings", meanings);
  return id;
}

/// Consecutive points row by row: the rest of a row, whole rows, the beginning of one.
void put_points(const NetcdfFile& file, int id, std::size_t columns, std::size_t first,
                const std::vector<double>& numbers) {
  std::size_t at = 0;
  while (at < numbers.size()) {
    const std::size_t column = (first + at) % columns;
    const bool whole = column == 0 && numbers.size() - at >= columns;
    const std::size_t count = whole ? columns : std::min(columns - column, numbers.size() - at);
    const std::size_t rows = whole ? (numbers.size() - at) / columns : 1;
    const std::array<std::size_t, 2> start = {(first + at) / columns, column};
    const std::array<std::size_t, 2> size = {rows, count};
    file.require(nc_put_vara_double(file.id(), id, start.data(), size.data(), numbers.data() + at));
    at += rows * count;
  }
}

}  // namespace

void write_netcdf(const std::string& path, const GridFile& grid) {
  NetcdfFile file(path);
  put_recipe(file, {.recipe = grid.recipe, .title = grid.title, .outcome = grid.outcome, .complete = grid.complete});
  for (const auto& [name, value] : grid.notes) file.put(NC_GLOBAL, name, value);
  std::array<int, 2> dimensions{};
  const int y = define_axis(file, grid.y, dimensions[0]);
  const int x = define_axis(file, grid.x, dimensions[1]);
  std::vector<int> ids;
  for (const GridField& field : grid.fields) ids.push_back(define(file, field, grid, dimensions));
  file.require(nc_enddef(file.id()));
  file.require(nc_put_var_double(file.id(), y, grid.y.values.data()));
  file.require(nc_put_var_double(file.id(), x, grid.x.values.data()));
  std::size_t first = 0;
  for (std::size_t piece = 0; piece < grid.pieces; ++piece) {
    const std::vector<double> numbers = grid.read(piece);
    const std::size_t points = numbers.size() / grid.fields.size();
    std::vector<double> of_field(points);
    for (std::size_t f = 0; f < ids.size(); ++f) {
      for (std::size_t i = 0; i < points; ++i) of_field[i] = numbers[i * ids.size() + f];
      put_points(file, ids[f], grid.x.values.size(), first, of_field);
    }
    first += points;
  }
  file.finish();
}

void write_netcdf(const std::string& path, const ResultFile& result) {
  NetcdfFile file(path);
  put_recipe(file, result);
  std::map<std::string, int> dimensions;
  for (const Axis& axis : result.axes)
    file.require(nc_def_dim(file.id(), axis.name.c_str(), axis.size, &dimensions[axis.name]));
  std::vector<int> ids;
  for (const Variable& variable : result.variables) ids.push_back(define(file, variable, dimensions));
  file.require(nc_enddef(file.id()));
  for (std::size_t i = 0; i < ids.size(); ++i) put_values(file, result, result.variables[i], ids[i]);
  file.finish();
}

}  // namespace saltus
