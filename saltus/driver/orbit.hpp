#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "saltus/analysis/orbits/orbit.hpp"
#include "saltus/analysis/orbits/time_elements.hpp"
#include "saltus/driver/motion_request.hpp"

namespace saltus {

/// How an orbit is sought.
enum class OrbitMethod { shooting, tfem };
std::string_view name_of(OrbitMethod method);

/// `saltus orbit`: the periodic orbit near the initial state, near the end of a simulation (`transient`), or all that random starts
/// lead to.
struct OrbitRequest : Request, WhichSolver, WhichSection, WhileRunning {
  double transient = 0.0;  // followed before: forcing periods, or time
  std::optional<double> time;  // the period of an autonomous orbit, roughly, if there is no section
  OrbitMethod orbit_method = OrbitMethod::shooting;
  long period = 1;  // forcing periods, or returns to the section; with several starts: up to as many
  std::size_t segments = 0;  // 0: what suits
  TimeElementOptions elements;  // of tfem; its periods are `period`
  std::optional<double> tolerance;  // of the residual; default 1e-11, or 10 rtol if that is more
  int iterations = 40;
  std::size_t starts = 1;  // the initial state and starts − 1 random ones around it
  std::uint64_t seed = 1;
  double spread = 1.0;
  std::size_t samples = 0;  // of one period, in files and JSON
};

struct OrbitResult {
  PreparedModel prepared;
  OrbitRequest request;
  FlowOptions options;
  std::string section;  // in words: "strobe", "psi1 = 0 (mod 6.28319), upwards", or empty
  std::shared_ptr<const Kernels> kernels;  // its observables: those of the model
  ParameterPoint p;
  Translations translations;
  std::optional<Watch> watch;
  std::vector<FoundOrbit> orbits;  // one, or those of several starts
  OrbitSearch search;  // of one start: how Newton went
  std::shared_ptr<const TimeElements> elements;  // of tfem
  TimeElementOrbit element_orbit;  // likewise: the orbit, or how far Newton came
  std::optional<Arc> stopped;  // the motion that should have led to a guess
  std::size_t tried = 1;  // starts
  bool interrupted = false;

  const std::vector<Diagnostic>& warnings() const { return prepared.warnings; }
  OrbitSetting setting() const { return {*kernels, options, translations, watch}; }
};

/// One orbit was asked for, not those of several starts.
inline bool is_single(const OrbitResult& result) { return result.request.starts <= 1; }

/// Time finite elements from the motion that the initial state leads to, and where that fails from the response of the linear system.
void find_by_elements(OrbitResult& result, const ArcStart& start);

/// The orbit at count + 1 equally spaced instants of one period, as its method has it.
std::vector<Sample> orbit_samples(const OrbitResult& result, const PeriodicOrbit& orbit, std::size_t count);

/// Throws Error(usage) if what is asked for cannot be.
OrbitResult run(const OrbitRequest& request);

/// Why there is no orbit, the last point, and what to do; empty if there is one.
std::string stop_message(const OrbitResult& result);
ExitCode exit_code(const OrbitResult& result);

}  // namespace saltus
