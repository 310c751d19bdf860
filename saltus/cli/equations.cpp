#include <memory>
#include <nlohmann/json.hpp>

#include "saltus/cli/command.hpp"
#include "saltus/report/equations.hpp"

namespace saltus::cli {

Command equations_command() {
  return {.name = "equations",
          .arguments = "MODEL",
          .summary = "the equations of motion, as text or LaTeX",
          .details =
              "Prints the mass matrix M, the force f, the gap h of every contact with its rate h', restitutions and\n"
              "switching surfaces, as derived from the model: M v' = f + contact forces. Parameters stay symbols;\n"
              "their values stand at the end.",
          .examples = {{"saltus equations examples/double_pendulum_wall.toml", ""},
                       {"saltus equations examples/piston_crank.toml --latex", "an align* environment of amsmath"},
                       {"saltus equations model.toml --out equations.tex", ""}},
          .begin = [](OutputOptions& output) -> Invocation {
            const auto request = std::make_shared<EquationsRequest>();
            const Options options = output_options(output, {".txt", ".tex", ".json"});
            return {joined({options_of(*request), options}), [request, &output] {
                      if (ending_of(output) == ".tex") request->notation = Notation::latex;
                      return deliver(run(*request), output);
                    }};
          }};
}

}  // namespace saltus::cli
