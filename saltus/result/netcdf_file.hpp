#pragma once

#include <string>

#include "saltus/result/result_file.hpp"

namespace saltus {

/// See write_result.
void write_netcdf(const std::string& path, const ResultFile& result);

}  // namespace saltus
