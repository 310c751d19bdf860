#pragma once

#include <string>

#include "saltus/analysis/motions/translations.hpp"
#include "saltus/model/model.hpp"
#include "saltus/result/json_text.hpp"

namespace saltus {

/// {coordinate: what it gains per period}; empty where no coordinate is cyclic.
Json drift_json(const Model& model, const Drift& drift);

/// "x1 gains 12.3, x2 gains 12.3 per period"; empty where nothing drifts.
std::string drift_text(const Model& model, const Drift& drift);

}  // namespace saltus
