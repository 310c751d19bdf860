#pragma once

#include "saltus/driver/basin.hpp"
#include "saltus/driver/check.hpp"
#include "saltus/driver/continuation.hpp"
#include "saltus/driver/diagram.hpp"
#include "saltus/driver/equations.hpp"
#include "saltus/driver/hill.hpp"
#include "saltus/driver/lyapunov.hpp"
#include "saltus/driver/map.hpp"
#include "saltus/driver/option.hpp"
#include "saltus/driver/orbit.hpp"
#include "saltus/driver/response.hpp"
#include "saltus/driver/section.hpp"
#include "saltus/driver/show.hpp"
#include "saltus/driver/simulate.hpp"

namespace saltus {

/// The options of each request, in the order of its recipe.
Options options_of(CheckRequest& request);
Options options_of(EquationsRequest& request);
Options options_of(ShowRequest& request);
Options options_of(SimulateRequest& request);
Options options_of(LyapunovRequest& request);
Options options_of(SectionRequest& request);
Options options_of(DiagramRequest& request);
Options options_of(MapRequest& request);
Options options_of(BasinRequest& request);
Options options_of(OrbitRequest& request);
Options options_of(ContinueRequest& request);
Options options_of(ResponseRequest& request);
Options options_of(HillRequest& request);

/// A file that is read: no result replaces it.
Option input_file(const std::string& name, std::string& file, const std::string& meaning);

}  // namespace saltus
