#include "saltus/driver/ranks.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <string>

#include "saltus/base/error.hpp"
#include "saltus/base/module_file.hpp"

namespace saltus {
namespace {

bool begun = false;

/// Open MPI, and the process managers of other implementations, say how many there are.
int processes() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"})
    if (const char* value = std::getenv(name)) return std::atoi(value);
  return 1;
}

Ranks* opened() {
  if (processes() < 2) return nullptr;
  void* module = nullptr;
  for (const std::string& place : module_places("saltus_mpi.so"))
    if (!module) module = dlopen(place.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!module)
    throw Error(ExitCode::usage, std::string("this program was built without MPI: ") + dlerror() +
                                     "\n  start it without mpirun, or install libopenmpi-dev and build it again");
  const auto make = reinterpret_cast<RanksMaker>(dlsym(module, "saltus_mpi_ranks"));
  begun = make != nullptr;
  return make ? make() : nullptr;
}

}  // namespace

Ranks* ranks() {
  static Ranks* const all = opened();
  return all;
}

bool are_several_processes() { return processes() > 1; }

void end_all_ranks(ExitCode code) {
  // One that has not yet joined the others cannot tell them; mpirun ends them when it sees it fail.
  if (begun) ranks()->end_all(static_cast<int>(code));
}

}  // namespace saltus
