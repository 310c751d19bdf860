#include "saltus/result/result_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "saltus/base/error.hpp"
#include "saltus/base/input_file.hpp"
#include "saltus/base/text.hpp"
#include "saltus/result/netcdf_file.hpp"
#include "saltus/result/new_file.hpp"

namespace saltus {
namespace {

std::string commented(const std::string& text) {
  std::string lines;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines += "#   " + printable(text.substr(begin, end - begin)) + "\n";
    begin = end + 1;
  }
  return lines;
}

std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : printable(text)) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string cell(const Variable& variable, std::size_t row) {
  if (const auto* texts = std::get_if<std::vector<std::string>>(&variable.values)) return cell((*texts)[row]);
  return shortest(std::get<std::vector<double>>(variable.values)[row]);
}

const Axis& axis_named(const ResultFile& result, const std::string& name) {
  return *std::find_if(result.axes.begin(), result.axes.end(), [&](const Axis& axis) { return axis.name == name; });
}

/// The scale of the axis at the place that belongs to a row of a table over `axes`: its own number without a scale.
std::string scale_cell(const ResultFile& result, const std::vector<std::string>& axes, std::size_t which,
                       std::size_t row) {
  std::size_t stride = 1;
  for (std::size_t k = axes.size() - 1; k > which; --k) stride *= axis_named(result, axes[k]).size;
  const std::size_t place = row / stride % axis_named(result, axes[which]).size;
  for (const Variable& scale : result.variables)
    if (scale.name == axes[which] && scale.axes == std::vector{axes[which]}) return cell(scale, place);
  return std::to_string(place);
}

bool is_scale(const Variable& variable) { return variable.axes.size() == 1 && variable.axes.front() == variable.name; }

std::string table(const ResultFile& result, const std::vector<std::string>& axes) {
  std::vector<const Variable*> columns;
  for (const Variable& variable : result.variables)
    if (variable.axes == axes && !is_scale(variable)) columns.push_back(&variable);
  std::string text;
  for (const std::string& axis : axes) text += (text.empty() ? "" : ",") + cell(axis);
  for (const Variable* column : columns) text += (text.empty() ? "" : ",") + cell(column->name);
  std::size_t rows = 1;
  for (const std::string& axis : axes) rows *= axis_named(result, axis).size;
  for (std::size_t row = 0; row < rows; ++row) {
    text += "\n";
    for (std::size_t k = 0; k < axes.size(); ++k) text += (k ? "," : "") + scale_cell(result, axes, k, row);
    for (std::size_t k = 0; k < columns.size(); ++k) text += (k || !axes.empty() ? "," : "") + cell(*columns[k], row);
  }
  return text + "\n";
}

std::vector<std::string> write_csv(const std::string& path, const ResultFile& result) {
  // The scale of an axis is a column of the tables over this axis, and has a table of its own only if there are none.
  const auto stands_elsewhere = [&](const Variable& scale) {
    return is_scale(scale) && std::any_of(result.variables.begin(), result.variables.end(), [&](const Variable& other) {
             return &other != &scale && std::find(other.axes.begin(), other.axes.end(), scale.name) != other.axes.end();
           });
  };
  std::vector<std::vector<std::string>> tables;
  for (const Variable& variable : result.variables)
    if (!stands_elsewhere(variable) && std::find(tables.begin(), tables.end(), variable.axes) == tables.end())
      tables.push_back(variable.axes);
  const std::filesystem::path whole(path);
  std::vector<std::string> files;
  for (const std::vector<std::string>& axes : tables) {
    const std::string suffix = &axes == &tables.front() ? "" : "_" + fmt::format("{}", fmt::join(axes, "_"));
    const std::filesystem::path name = whole.stem().string() + suffix + whole.extension().string();
    files.push_back((whole.parent_path() / name).string());
    write_text(files.back(), csv_header(result) + table(result, axes));
  }
  if (!tables.empty()) return files;
  write_text(path, csv_header(result));
  return {path};
}

/// Does the file say itself that it is a part of what was asked for?
bool is_marked_incomplete(const std::string& path) {
  constexpr std::size_t largest = std::size_t{1} << 30U;
  const std::string ending = std::filesystem::path(path).extension().string();
  try {
    if (ending == ".nc") return !read_netcdf(path).complete;
    const std::string text = input_text(path, largest);
    return text.find(ending == ".csv" ? "\n# complete: 0\n" : "\n  \"complete\": false") != std::string::npos;
  } catch (const Error&) {
    return false;  // whatever it is, it is not replaced
  }
}

Json pairs(const std::vector<std::pair<std::string, std::string>>& list) {
  Json object = Json::object();
  for (const auto& [name, value] : list) object[name] = value;
  return object;
}

}  // namespace

std::string csv_header(const ResultFile& result) {
  const Recipe& recipe = result.recipe;
  std::string text =
      fmt::format("# {}\n# program: {}\n# command: {}\n# outcome: {}\n# complete: {}\n", printable(result.title),
                  recipe.program, printable(recipe.command), result.outcome, result.complete ? 1 : 0);
  if (!recipe.case_name.empty()) text += fmt::format("# case: {}\n", printable(recipe.case_name));
  for (const auto& [name, value] : recipe.assignments)
    text += fmt::format("# set: {}={}\n", printable(name), printable(value));
  for (const auto& [name, value] : recipe.settings)
    text += fmt::format("# {}: {}\n", printable(name), printable(value));
  return text + fmt::format("# model: {}\n", printable(recipe.model_file)) + commented(recipe.model_text);
}

Json to_json(const Recipe& recipe) {
  return {{"program", recipe.program},
          {"command", recipe.command},
          {"model_file", recipe.model_file},
          {"case", recipe.case_name.empty() ? Json(nullptr) : Json(recipe.case_name)},
          {"assignments", pairs(recipe.assignments)},
          {"settings", pairs(recipe.settings)},
          {"model_text", recipe.model_text}};
}

std::string place_for(const std::string& path, bool complete) {
  std::error_code error;
  if (complete || !std::filesystem::exists(path, error) || is_marked_incomplete(path)) return path;
  const std::filesystem::path whole(path);
  return (whole.parent_path() / (whole.stem().string() + ".partial" + whole.extension().string())).string();
}

std::vector<std::string> write_result(const std::string& asked, const ResultFile& result, const Json& as_json) {
  const std::string path = place_for(asked, result.complete);
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending == ".csv") return write_csv(path, result);
  if (ending == ".nc") {
    write_netcdf(path, result);
    return {path};
  }
  Json whole = as_json;
  whole["complete"] = result.complete;
  whole["recipe"] = to_json(result.recipe);
  write_text(path, json_text(whole));
  return {path};
}

std::vector<std::string> write_result(const std::string& path, const ResultFile& result) {
  if (std::filesystem::path(path).extension() == ".json")
    throw Error(ExitCode::file, fmt::format("cannot write '{}': no JSON is given", printable(path)));
  return write_result(path, result, {});
}

ResultFile read_result(const std::string& path) { return read_netcdf(path); }

const Variable* variable_named(const ResultFile& result, const std::string& name) {
  const auto found = std::find_if(result.variables.begin(), result.variables.end(),
                                  [&](const Variable& variable) { return variable.name == name; });
  return found != result.variables.end() ? &*found : nullptr;
}

}  // namespace saltus
