#include "saltus/driver/equations.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "saltus/cli/command.hpp"

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
          .declare = [](CLI::App& app, OutputOptions& output) -> Action {
            const auto request = std::make_shared<EquationsRequest>();
            add_model_options(app, *request);
            app.add_flag_callback(
                "--latex", [request] { request->notation = Notation::latex; },
                "as LaTeX: an align* environment of amsmath");
            add_output_options(app, output, {".txt", ".tex", ".json"});
            return [request, &output] {
              if (output.ending == ".tex") request->notation = Notation::latex;
              return deliver(run(*request), output);
            };
          }};
}

}  // namespace saltus::cli
