#pragma once
// The library in one header: models, native code of them, motions with their tangent, and every analysis as a request and its result.
// docs/library.md has an example of each.

#include <Eigen/Core>

#include "saltus/base/error.hpp"
#include "saltus/driver/basin.hpp"
#include "saltus/driver/check.hpp"
#include "saltus/driver/continuation.hpp"
#include "saltus/driver/diagram.hpp"
#include "saltus/driver/equations.hpp"
#include "saltus/driver/flow_settings.hpp"
#include "saltus/driver/hill.hpp"
#include "saltus/driver/hill_output.hpp"
#include "saltus/driver/lyapunov.hpp"
#include "saltus/driver/map.hpp"
#include "saltus/driver/orbit.hpp"
#include "saltus/driver/response.hpp"
#include "saltus/driver/section.hpp"
#include "saltus/driver/simulate.hpp"
#include "saltus/driver/simulate_output.hpp"
#include "saltus/flow/flow_run.hpp"
#include "saltus/kernel/kernels.hpp"
#include "saltus/model/model.hpp"
#include "saltus/result/result_file.hpp"

// Vectors are made on one side of the library's border and freed on the other.
static_assert(
    EIGEN_DEFAULT_ALIGN_BYTES == 16 && EIGEN_MAX_STATIC_ALIGN_BYTES == 16,
    "libsaltus aligns vectors to 16 bytes: take the options of its CMake or pkg-config package, and with -mavx or "
    "-march=native also -DEIGEN_DONT_VECTORIZE");
