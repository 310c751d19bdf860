#pragma once

#include <string>

#include "saltus/result/grid_file.hpp"
#include "saltus/result/result_file.hpp"

namespace saltus {

/// See write_result.
void write_netcdf(const std::string& path, const ResultFile& result);

/// See write_grid.
void write_netcdf(const std::string& path, const GridFile& grid);

}  // namespace saltus
