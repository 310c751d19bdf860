#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

namespace saltus {

/// Why a motion ended.
enum class Outcome {
  reached_end,
  stopped,  // by the caller: a section was met, an interrupt
  ambiguous_impact,  // simultaneous impacts whose order decides
  dependent_contacts,  // closed contacts whose forces are not determined
  obstacles_exclude,  // no velocity or acceleration keeps contacts that touch from overlapping
  gap_undefined,  // a gap is not a number from here on, or has no normal where it closes
  ambiguous_sliding,  // on switching surfaces no side of which is one that the motion goes to
  step_too_small,
  left_domain,  // the field is not a finite number, or a restitution not between 0 and 1
  singular_mass,  // the mass matrix stops being positive definite
  accumulation_unknown,  // switches accumulate, and nothing holds the motion where they end, or they follow no law
  too_many_events,
};
inline constexpr std::size_t outcome_count = static_cast<std::size_t>(Outcome::too_many_events) + 1;
std::string_view name_of(Outcome outcome);

/// As a number among others, in journals and grids; and back, nothing if it is none.
constexpr double number_of(Outcome outcome) { return static_cast<double>(outcome); }
std::optional<Outcome> outcome_of(double number);

enum class GapFault { not_a_number, no_normal };

/// Of an ambiguous impact: by how much the velocities differ between two orders.
struct OrderDecides {
  double difference;
};
/// Of contacts struck together: no velocities give each of them its restitution.
struct NoRebound {};
/// Of switches that accumulate: when they end, and in which part of the time before each round is done; 0: they follow no law.
struct Rounds {
  double end;
  double ratio;
};
/// Of a run that would take this many more steps of this length.
struct OutOfReach {
  double steps;
  double step;
  std::optional<double> limit =
      std::nullopt;  // the time that the motion will not pass, if its steps shrink towards one
};

/// Of an impact at a speed for which its contact has no restitution between 0 and 1.
struct NoRestitution {
  double speed;
  double restitution;
};
/// Of a run that took more steps than it was allowed.
struct StepLimit {
  long steps;
};

/// Why a motion ended, with what belongs to it.
struct Stop {
  Outcome outcome = Outcome::reached_end;
  std::vector<std::size_t> contacts = {};
  std::vector<std::size_t> switches = {};
  std::variant<std::monostate, GapFault, OrderDecides, NoRebound, Rounds, OutOfReach, NoRestitution, StepLimit>
      details = {};
};

}  // namespace saltus
