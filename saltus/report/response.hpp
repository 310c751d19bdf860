#pragma once

#include <string>

#include "saltus/driver/response.hpp"
#include "saltus/report/figure.hpp"
#include "saltus/result/json_text.hpp"
#include "saltus/result/result_file.hpp"

namespace saltus {

/// Windows of one kind of motion, curve by curve, then the special points.
std::string to_text(const ResponseResult& result);

/// parameter, observed, points [{parameter, amplitude, effective, mean, largest, smallest, stable, period, motion, curve, label}],
/// special [{label, kind, parameter, amplitude, effective, curve}].
Json to_json(const ResponseResult& result);

/// Both amplitudes over the parameter; continued curves as lines, dashed where unstable, with the names of special points.
Figure figure(const ResponseResult& result);

ResultFile result_file(const ResponseResult& result);

}  // namespace saltus
