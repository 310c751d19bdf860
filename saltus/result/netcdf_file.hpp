#pragma once

#include <string>

#include "saltus/result/grid_file.hpp"
#include "saltus/result/result_file.hpp"

namespace saltus {

/// See write_result.
void write_netcdf(const std::string& path, const ResultFile& result);

/// See write_grid.
void write_netcdf(const std::string& path, const GridFile& grid);

/// See read_result. The library that reads NetCDF crashes on some damaged files: it is let at them in a process of its own,
/// with little time and memory. Throws Error(file).
ResultFile read_netcdf(const std::string& path);

}  // namespace saltus
