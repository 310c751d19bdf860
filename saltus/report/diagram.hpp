#pragma once

#include <string>

#include "saltus/driver/diagram.hpp"
#include "saltus/report/figure.hpp"
#include "saltus/result/json_text.hpp"
#include "saltus/result/result_file.hpp"

namespace saltus {

/// "periodic, 2", "chaotic", "not periodic": of one value.
std::string verdict_text(const RampResult& result);

/// Windows of one verdict, branch by branch.
std::string to_text(const DiagramResult& result);

/// parameter {name, values}, and of the first branch: points (a list per value), verdict, period, exponents, standard_errors, impacts_per_unit_time,
/// sliding_fraction, outcome; branches [{name and the same}].
Json to_json(const DiagramResult& result);

/// Points over the parameter, sliding windows grey; with exponents a second panel below on the same axis.
Figure figure(const DiagramResult& result);

/// Points over their number, verdicts and exponents over branch and parameter.
ResultFile result_file(const DiagramResult& result);

}  // namespace saltus
