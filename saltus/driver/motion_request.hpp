#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/driver/motion_stop.hpp"

namespace saltus {

/// How long a motion is followed, and from when on it is looked at.
struct HowLong {
  std::optional<double> time;     // how long: either this
  std::optional<double> periods;  // or this many forcing periods
  double transient = 0.0;         // thrown away before, in the same unit
};

/// Which section, if not the model's.
struct WhichSection {
  std::string surface;    // empty: the model's
  std::string direction;  // of it: up, down, both; empty: up
  std::string modulo;     // of it: an expression of parameters; empty: none
};

/// Length and transient in the unit of an analysis: forcing periods, or time without forcing.
struct MotionLength {
  double transient = 0.0;
  double length = 0.0;
};

/// Throws Error(usage) if there is no length, one in periods without forcing, or one that is none.
MotionLength motion_length(const HowLong& request, double period);

/// The surface that a motion is looked at: of the request, else of the model.
struct MotionSurface {
  Expr expr;
  Watch watch;       // surface 0
  std::string text;  // "psi1 = 0 (mod 6.28319), upwards"
};

/// Nothing if neither has one. Throws Error(usage) if the request's is wrong.
/// Throws Error(usage) if options that belong to a surface are given without one.
void require_surface(const WhichSection& request);
std::optional<MotionSurface> motion_surface(const WhichSection& request, const PreparedModel& prepared);

/// What may be a mistake of the request or the model, though it can be computed: a transient longer than what is measured, a
/// model that depends on t without [forcing].
std::vector<Diagnostic> motion_warnings(const HowLong& request, const PreparedModel& prepared);

Vector initial_state(const PreparedModel& prepared);

/// Which contact of the model has the name. Throws Error(usage).
std::size_t contact_named(const Model& model, const std::string& name);

/// "upwards", "downwards" or "both ways".
std::string_view in_words(Crossing direction);

}  // namespace saltus
