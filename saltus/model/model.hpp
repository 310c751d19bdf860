#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "saltus/base/diagnostic.hpp"
#include "saltus/base/source_span.hpp"
#include "saltus/expr/expr.hpp"
#include "saltus/model/invariance.hpp"

namespace saltus {

/// An expression and the place in the model file where it is written.
struct Located {
  Expr expr;
  SourceSpan span;
};

struct Parameter {
  std::string name;
  Expr symbol;
  Expr value;  // a constant, or an expression of parameters that stand before it
  SourceSpan span;
};

/// A rigid frictionless obstacle: gap h(q, t, p) ≥ 0, restitution e(p) or e(w, p) with the speed of approach w = |γ⁻|.
struct Contact {
  std::string name;
  Located gap;
  Located restitution;  // of the slowest impacts: e(0, p)
  SourceSpan span;      // of its name
  std::optional<Located> by_speed = {};  // e(w, p), if it depends on w, the symbol `approach`

  const Located& restitution_as_written() const { return by_speed ? *by_speed : restitution; }
};

/// A surface s(q, v, z, t, p) = 0 along which the force or the rates are pieced together.
struct Switch {
  Expr s;
  std::string text;  // as the user would recognise it
  SourceSpan span;   // of the expression that contains it
  Expr side = {};    // the symbol σ = ±1, the sign of s, in the model's pieced force and rates
  std::vector<std::size_t> depends =
      {};  // switches whose surfaces are kinks or, in a condition of very many parts, jumps of s
};

enum class Crossing { up, down, both };

/// The default Poincaré section: surface = 0, met in the given direction. With a modulus, surface = 0 mod modulus.
struct Section {
  Located surface;
  Crossing direction = Crossing::up;
  std::optional<Located> modulo;
};

struct Observable {
  std::string name;
  Located value;
};

struct DrawingPoint {
  std::string name;
  Located x;
  Located y;
};

struct DrawingWall {
  Located x_from, y_from, x_to, y_to;
};

struct Drawing {
  std::vector<DrawingPoint> points;
  std::vector<std::vector<std::size_t>> lines;  // indices of points
  std::vector<DrawingWall> walls;
  std::vector<std::size_t> trace;  // points whose path is drawn; the last point of the last line if not given
};

/// A named set of parameter values and initial states.
struct Case {
  std::string name;
  std::string title;
  std::map<std::string, Located> parameters;  // name → expression of parameters
  std::map<std::string, Located> initial;     // name of a coordinate, velocity or state → expression of parameters
  SourceSpan span;
};

enum class ImpactLaw { sequential, moreau };

/// [solver]: what the file asks for; absent values are the program's defaults.
struct SolverSettings {
  std::optional<double> rtol;
  std::optional<double> atol;
  std::optional<ImpactLaw> impact_law;
  std::optional<std::string> method;  // "auto", "rk" or "exact"
};

/// Energies as written, for models given by them: M and f are derived.
struct Energies {
  Located kinetic;
  Located potential;
  std::optional<Located> dissipation;
  std::vector<Located> applied;  // empty or one per coordinate
};

/// ẍ + a ẋ + g(t) x = 0, x ≥ 0, restitution ε: the other top-level form.
struct Hill {
  Located g;
  Located period;
  Located restitution;
  std::optional<Located> damping;
};

/// The checked description of a mechanism: x = (q, v, z) with coordinates q, velocities v = q̇ and first-order states z.
///   M(q,t,p) v̇ = f(q,v,z,t,p) + Σ ∇hᵢ λᵢ,   ż = r(q,v,z,t,p),   hᵢ(q,t,p) ≥ 0.
/// Every expression lives in `graph`. Not changed after reading.
struct Model {
  std::shared_ptr<const SourceText> source;
  std::shared_ptr<Graph> graph;
  std::string title;
  std::string reference;  // the key `source` of the file

  Expr t;
  std::vector<Parameter> parameters;

  std::vector<std::string> coordinates;
  std::vector<std::string> states;
  std::vector<Expr> q, v, z;  // symbols
  std::vector<Located> mass;  // n × n by rows
  std::vector<Located> force;
  std::vector<Located> rates;
  std::optional<Energies> energies;

  std::vector<Contact> contacts;
  std::vector<Switch> switches;
  Invariance invariance;
  /// Force and rates once more, with every choice taken by the sides σ of the switches: smooth as long as no side changes.
  std::vector<Expr> pieced_force, pieced_rates;
  std::optional<Located> forcing_period;
  std::optional<Section> section;
  std::vector<Located> initial;  // one per component of x, expressions of parameters
  std::vector<Observable> observables;
  Drawing drawing;
  std::vector<Case> cases;
  SolverSettings solver;
  std::optional<Hill> hill;

  std::size_t n() const { return coordinates.size(); }
  /// Dimension of x.
  std::size_t dimension() const { return 2 * coordinates.size() + states.size(); }
  /// Names of the components of x: psi1, psi2, psi1', psi2', p.
  std::vector<std::string> component_names() const;
};

/// A model, or what is wrong with the text. With warnings only, the model is there.
struct ModelReading {
  std::shared_ptr<const Model> model;
  std::vector<Diagnostic> diagnostics;
};

/// Reads and checks a model text; `name` is what messages begin with.
ModelReading read_model(const std::string& name, const std::string& text);

/// The same from a file. Throws Error(ExitCode::file) if it cannot be read; a file above the size limit is a diagnostic.
ModelReading read_model_file(const std::string& path);

/// The text of a model file, of a pipe, or of standard input ("-"). Throws Error(ExitCode::file).
std::string model_text(const std::string& path);

/// Numbers for one run: all parameters and the initial state, after a case and single settings.
struct Setup {
  std::vector<double> parameters;
  std::vector<double> initial;
  double forcing_period = 0.0;  // 0: autonomous
};

/// A setting from the command line: a parameter or a component of the initial state, and an expression of parameters.
struct Assignment {
  std::string name;
  std::string value;
};

struct SetupReading {
  std::optional<Setup> setup;
  std::vector<Diagnostic> diagnostics;
};

/// Parameter values with the case and the assignments applied (dependent parameters follow), the initial state, and
/// the checks that need numbers: mass matrix positive definite, no initial penetration, restitution in [0, 1],
/// positive forcing period. `case_name` may be empty.
SetupReading set_up(const Model& model, const std::string& case_name, const std::vector<Assignment>& assignments);

}  // namespace saltus
