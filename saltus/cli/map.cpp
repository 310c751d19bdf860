#include "saltus/report/map.hpp"
#include "saltus/cli/deliver.hpp"

namespace saltus::cli {

Command map_command() {
  return {
      .name = "map",
      .arguments = "MODEL",
      .summary = "one number for each pair of two parameters: largest exponent, period, kind of motion",
      .details =
          "Follows one motion for each pair of values and measures it: lyapunov (the largest exponent), lyapunov2,\n"
          "lyapunov3, ... (the next ones), period, verdict, impacts (per forcing period) or sliding (fraction of the\n"
          "time in contact). Finished tiles are kept in a journal beside the file of --out; --resume continues after\n"
          "an interruption with the same result. With mpirun the tiles are shared among the processes.",
      .examples = {{"saltus map examples/triple_pendulum_barrier.toml --vary q1=0.2:1.2:64 --vary omega=0.8:1.6:64 "
                    "--periods 100 --out map.nc --plot map.png",
                    ""},
                   {"mpirun -n 4 saltus map model.toml --vary a=0:1:1000 --vary b=0:1:1000 --periods 200 --out map.nc",
                    "on several processors or machines"}},
      .begin = drawn<MapRequest>(sweep, "print nothing but errors")};
}

}  // namespace saltus::cli
