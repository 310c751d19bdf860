// Of a build without NetCDF: results are in memory, in CSV and in JSON.

#include <fmt/format.h>

#include "saltus/base/error.hpp"
#include "saltus/base/text.hpp"
#include "saltus/result/netcdf_file.hpp"

namespace saltus {
namespace {

Error no_netcdf(const std::string& what, const std::string& path) {
  return {ExitCode::file,
          fmt::format("cannot {} '{}': this build has no NetCDF\n  use .csv or .json", what, printable(path))};
}

}  // namespace

void write_netcdf(const std::string& path, const ResultFile& /*result*/) { throw no_netcdf("write", path); }
void write_netcdf(const std::string& path, const GridFile& /*grid*/) { throw no_netcdf("write", path); }
ResultFile read_netcdf(const std::string& path) { throw no_netcdf("read", path); }
Recipe read_recipe(const std::string& path) { return read_netcdf(path).recipe; }

}  // namespace saltus
