#pragma once

#include <string>

#include "saltus/driver/show.hpp"
#include "saltus/result/json_text.hpp"

namespace saltus {

/// model: every expression with its place. expr: the same as a graph, what is used more than once having a name, with
/// counts of nodes. kernel: the programs that are compiled, one instruction a line.
std::string to_text(const ShowResult& result);
Json to_json(const ShowResult& result);

}  // namespace saltus
