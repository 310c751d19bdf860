#pragma once

#include <string>

#include "saltus/driver/basin.hpp"
#include "saltus/report/figure.hpp"
#include "saltus/result/grid_file.hpp"
#include "saltus/result/json_text.hpp"

namespace saltus {

std::string to_text(const BasinResult& result);
/// axes [{name, values}], labels (a list per value of the second axis; 0 is the first attractor, negative: NoAttractor),
/// attractors [{label, share, share_error, points, verdict, period, impacts_per_unit_time, sliding_fraction, x, exponents, …}].
Json to_json(const BasinResult& result);
Figure figure(const BasinResult& result);
GridFile grid_file(const BasinResult& result);

}  // namespace saltus
