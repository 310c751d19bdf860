#include "saltus/report/diagram.hpp"
#include "saltus/cli/deliver.hpp"

namespace saltus::cli {

Command diagram_command() {
  return {
      .name = "diagram",
      .arguments = "MODEL",
      .summary = "bifurcation diagram: section points, verdict and exponents against one parameter",
      .details =
          "Moves one parameter through its range and shows the points of the section at each value: the strobe of a\n"
          "forced model, the section of another one, the impacts of a contact, impact speeds, or extrema. The motion\n"
          "at each value starts where the last one ended (--direction up, down or both), so that branches are "
          "followed\n"
          "and hysteresis is seen; or from the initial state (fresh). Values with sliding have a grey background.",
      .examples = {{"saltus diagram examples/impact_oscillator.toml --vary omega=2.5:3.1:300 --periods 60 --transient "
                    "200 --direction both --plot diagram.png",
                    "hysteresis in two colours"},
                   {"saltus diagram examples/triple_pendulum_torque.toml --vary q1=1.005:1.08:200 --time 400 "
                    "--transient 400 --lyapunov --out fig3.nc --plot fig3.png",
                    "with the spectrum below"}},
      .begin = drawn<DiagramRequest>(sweep, "print nothing but errors")};
}

}  // namespace saltus::cli
