#pragma once
// The library in one header: models, native code of them, motions with their tangent, and every analysis as a request and its result.
// docs/library.md has an example of each.

#include <Eigen/Core>

#include "saltus/base/error.hpp"
#include "saltus/driver/flow_settings.hpp"
#include "saltus/flow/flow_run.hpp"
#include "saltus/kernel/kernels.hpp"
#include "saltus/model/model.hpp"
#include "saltus/report/basin.hpp"
#include "saltus/report/check.hpp"
#include "saltus/report/continuation.hpp"
#include "saltus/report/diagram.hpp"
#include "saltus/report/equations.hpp"
#include "saltus/report/hill.hpp"
#include "saltus/report/lyapunov.hpp"
#include "saltus/report/map.hpp"
#include "saltus/report/orbit.hpp"
#include "saltus/report/response.hpp"
#include "saltus/report/section.hpp"
#include "saltus/report/show.hpp"
#include "saltus/report/simulate.hpp"
#include "saltus/result/result_file.hpp"

// Vectors are made on one side of the library's border and freed on the other.
static_assert(
    EIGEN_DEFAULT_ALIGN_BYTES == 16 && EIGEN_MAX_STATIC_ALIGN_BYTES == 16,
    "libsaltus aligns vectors to 16 bytes: take the options of its CMake or pkg-config package, and with -mavx or "
    "-march=native also -DEIGEN_DONT_VECTORIZE");
