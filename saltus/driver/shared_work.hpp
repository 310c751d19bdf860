#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "saltus/driver/ranks.hpp"
#include "saltus/flow/flow_run.hpp"
#include "saltus/result/journal.hpp"

namespace saltus {

/// Work in pieces. What a piece is, and what was found, are lists of numbers, so that they can go to other processes. The first
/// number is not negative.
class Pieces {
 public:
  virtual ~Pieces() = default;
  /// Nothing: there are no more.
  virtual std::optional<std::vector<double>> next() = 0;
  virtual void found(std::vector<double>&& numbers) = 0;
  virtual bool interrupted() { return false; }
};

/// Takes pieces and tells what it found until there are no more. Calls one at a time.
using Computation = std::function<LaneUse(Pieces&)>;

/// Rank 0: computes in its own threads what `all` hands out while this thread serves the other processes. What `all` throws
/// ends the work everywhere and is thrown again here, after the others have gone; so does a process with other work: Error(usage).
LaneUse lead(Ranks& ranks, Pieces& all, const Computation& compute, const JournalIdentity& work);

/// The other processes: compute what rank 0 hands out.
LaneUse follow(Ranks& ranks, const Computation& compute, const JournalIdentity& work);

}  // namespace saltus
