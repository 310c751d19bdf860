#pragma once

#include <vector>

#include "saltus/base/error.hpp"

namespace saltus {

/// The processes that mpirun started together. Rank 0 hands out work and writes; the others compute for it. MPI is a module of
/// its own, lib/saltus_mpi.so, which is opened only in a process that mpirun started.
class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Messages between rank 0 and another one. All calls come from one thread.
  virtual void send(int to, const std::vector<double>& numbers) = 0;
  struct Message {
    int from = -1;
    std::vector<double> numbers;
  };
  /// True and the message if one has arrived; does not wait.
  virtual bool receive(Message& message) = 0;
  /// Ends all of them at once, with this exit code.
  [[noreturn]] virtual void end_all(int code) = 0;
};

/// Null outside mpirun, or if it started a single process. Throws Error(usage) if the module is missing.
Ranks* ranks();

/// Has mpirun, or a launcher like it, started several processes? Known without joining them.
bool are_several_processes();

/// This process has failed: none of the others may wait for it. Returns where there are none.
void end_all_ranks(ExitCode code);

/// What the module exports: saltus_mpi_ranks().
using RanksMaker = Ranks* (*)();

}  // namespace saltus
