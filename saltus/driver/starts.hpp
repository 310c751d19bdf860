#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "saltus/driver/request.hpp"
#include "saltus/flow/mechanism.hpp"

namespace saltus {

/// Initial states of several motions: the model's own and random ones around it, or a list.
struct Starts {
  std::size_t count = 1;   // with the model's own
  std::uint64_t seed = 1;
  double spread = 1.0;     // of the random ones: random_states
  std::string file;        // CSV; then the three above do not count

  bool are_several() const { return count > 1 || !file.empty(); }
};

inline constexpr std::size_t most_starts =
    1'000'000;  // of one command, at all values of what is varied: 8 bytes for each number of a state

/// A state of a list, and the line it stands on.
struct ListedState {
  Vector x;
  std::size_t line;
};

/// What a list says, without regard to obstacles. Throws Error(file) with file and line.
std::vector<ListedState> listed_states(const std::string& text, const std::string& file, const PreparedModel& prepared);

/// Throws Error(usage) for numbers that are none. A CSV file has a line with names of coordinates, velocities or states, then
/// one line of numbers per start; components without a column are those of the model's initial state. Lines that begin with
/// # and columns t, start, point and of observables are passed over, so that the file of a section is a list of starts. Throws
/// Error(file) with file and line for what cannot be read and for states inside an obstacle.
std::vector<Vector> start_states(const Starts& starts, const PreparedModel& prepared, const Kernels& kernels);

}  // namespace saltus
