#pragma once

#include <string>
#include <variant>
#include <vector>

#include "saltus/result/json_text.hpp"
#include "saltus/result/recipe.hpp"

namespace saltus {

/// A direction in which data extend: its name and how far.
struct Axis {
  std::string name;
  std::size_t size = 0;
};

/// Numbers or texts over axes, the last axis running fastest. One that has the name of its only axis is that axis' scale.
struct Variable {
  std::string name;
  std::string long_name;
  std::string units;  // empty: the model's own
  std::vector<std::string> axes;
  std::variant<std::vector<double>, std::vector<std::string>> values;
};

/// Data plus its recipe: enough to compute it again.
struct ResultFile {
  Recipe recipe;
  std::string title;
  std::string outcome;  // "reached_end"
  bool complete = true;  // false: a part of what was asked for
  std::vector<Axis> axes;
  std::vector<Variable> variables;
};

/// Writes the result in the form that the ending says; the file appears when it is complete. Throws Error(file).
///   .nc    NetCDF-4: variables over dimensions; recipe, outcome and complete = 0 or 1 as attributes of the file
///   .csv   the recipe in lines that begin with #, then one table: the variables that share the axes of the first. Those over
///          other axes have a file of their own, with the name of their axis: run.csv, run_event.csv
///   .json  `as_json` with the recipe added
/// Returns the names of the files, the one asked for first. A part of what was asked for stands beside a result that is complete,
/// and does not replace it: see `place_for`.
std::vector<std::string> write_result(const std::string& path, const ResultFile& result, const Json& as_json);

/// The same for those who have no JSON: Error(file) if that is asked for.
std::vector<std::string> write_result(const std::string& path, const ResultFile& result);

/// Where the result is written: FILE, or, if it is incomplete and FILE is there and not itself incomplete, FILE.partial.ENDING.
std::string place_for(const std::string& path, bool complete);

/// The lines that begin a CSV file: each begins with #.
std::string csv_header(const ResultFile& result);

/// A NetCDF file written by `write_result`, as it was. Throws Error(file).
ResultFile read_result(const std::string& path);

/// The variable of that name; nothing if there is none.
const Variable* variable_named(const ResultFile& result, const std::string& name);

/// The recipe of a NetCDF file written by `write_result`. Throws Error(file).
Recipe read_recipe(const std::string& path);

Json to_json(const Recipe& recipe);

}  // namespace saltus
