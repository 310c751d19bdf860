#pragma once

#include <string>

#include "saltus/driver/map.hpp"
#include "saltus/report/figure.hpp"
#include "saltus/result/grid_file.hpp"
#include "saltus/result/json_text.hpp"

namespace saltus {

std::string to_text(const MapResult& result);
/// axes [{name, values}], measure, values (a list per value of the second axis), failed, no_motion, lane_use.
Json to_json(const MapResult& result);
/// The measure as an image.
Figure figure(const MapResult& result);
GridFile grid_file(const MapResult& result);

}  // namespace saltus
