#pragma once

#include <string>
#include <vector>

namespace saltus {

/// Where a module of this build may be, such as saltus_codegen.so, best first: beside the library or the program that holds this
/// code, wherever that was moved to; last the bare name, for the search path that it was linked with.
std::vector<std::string> module_places(const std::string& file);

}  // namespace saltus
