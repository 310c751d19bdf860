#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "saltus/result/recipe.hpp"

namespace saltus {

struct GridAxis {
  std::string name;
  std::string long_name;
  std::vector<double> values;
};

/// A quantity at every point of a grid.
struct GridField {
  std::string name;
  std::string long_name;
  std::string units = {};
  std::vector<std::string> meanings = {};  // of the values 0, 1, …; empty: a number
};

/// Numbers over two axes that need not fit into memory: pieces of consecutive points, row after row of the second axis, are asked
/// for one after the other while the file is written.
struct GridFile {
  Recipe recipe;
  std::string title;
  std::string outcome;
  bool complete = true;
  GridAxis x, y;
  std::vector<GridField> fields;
  std::vector<std::pair<std::string, std::string>> notes = {};  // more attributes of the file
  std::size_t pieces = 0;
  /// Numbers of piece k, field by field within a point.
  std::function<std::vector<double>(std::size_t piece)> read;
};

/// .nc: NetCDF-4 with fields over (y, x); .csv: recipe in lines that begin with #, then one line per point. The file appears when
/// it is complete. The same numbers give the same bytes. Throws Error(file).
void write_grid(const std::string& path, const GridFile& grid);

}  // namespace saltus
