#include "saltus/report/basin.hpp"
#include "saltus/cli/deliver.hpp"

namespace saltus::cli {

Command basin_command() {
  return {
      .name = "basin",
      .arguments = "MODEL",
      .summary = "which attractor does each initial state of a plane go to? Shares with errors, spectra",
      .details =
          "Two initial values are varied, the others stay as the model, the case and --set say. Attractors are told\n"
          "apart by kind, period, means over the section and impacts per time, irregular ones by runs 16 times as "
          "long;\n"
          "the most visited has the label 0. The spectrum of each is computed from the first state that reached it. "
          "The\n"
          "error of a share is that of as many independent draws. States inside an obstacle start no motion.",
      .examples =
          {{"saltus basin examples/impact_oscillator.toml --set omega=2.72 --vary x=-2:0:100 \"--vary=x'=-2:2:100\" "
            "--periods 60 --transient 200 --plot basin.png",
            ""}},
      .begin = drawn<BasinRequest>(sweep, "print nothing but errors")};
}

}  // namespace saltus::cli
