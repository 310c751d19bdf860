#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "saltus/analysis/motions/translations.hpp"
#include "saltus/flow/flow_run.hpp"

namespace saltus {

/// Where a motion is looked at: once per forcing period, at a surface, or at the impacts of a contact.
struct SectionPlace {
  enum class Kind { strobe, surface, impacts };
  Kind kind = Kind::strobe;
  Watch watch = {};         // of a surface
  std::size_t contact = 0;  // of impacts
};

struct SectionOptions {
  SectionPlace place;
  double transient = 0.0;           // thrown away; in forcing periods, or in time for an autonomous system
  double length = 1000.0;           // in the same unit
  std::size_t longest_period = 64;  // of the recurrence that makes a motion periodic
  FlowOptions flow;
  std::function<bool()> interrupted;
  std::function<void(double)> progress;  // 0 … 1
};

struct SectionPoint {
  double t;
  Vector x;  // at impacts: just before
};

/// The points of a section, and after how many of them they repeat.
struct SectionPoints : Stop {
  std::vector<SectionPoint> points;
  std::optional<std::size_t> period;
  std::optional<std::string> doubt;  // why it is not seen that the points do not repeat, either
  std::optional<std::size_t> nearing;  // the period of the cycle that they seem to come to, where it is not seen yet
  Drift drift;  // of a motion that repeats, per period
  double time = 0.0;  // over which they were taken
  FlowPoint end;
};

/// Follows the motion from x at t = 0 through the transient, then collects its section points. The kernels need no columns.
SectionPoints section_points(const Kernels& kernels, const Vector& x, const std::vector<double>& parameters,
                             double period, const SectionOptions& options);

/// The same from several states, in threads; `interrupted` and `progress` are never called by two at once.
std::vector<SectionPoints> sections_of(const Kernels& kernels, const std::vector<Vector>& states,
                                       const std::vector<double>& parameters, double period,
                                       const SectionOptions& options, unsigned threads);

}  // namespace saltus
