#include <memory>
#include <nlohmann/json.hpp>

#include "saltus/cli/command.hpp"
#include "saltus/report/check.hpp"

namespace saltus::cli {

Command check_command() {
  return {.name = "check",
          .arguments = "MODEL",
          .summary = "is the model right, and what is it?",
          .details =
              "Reads a model file, derives its equations and prints what it describes: coordinates, parameters,\n"
              "contacts, switching surfaces, forcing, section, initial state, observables and cases. All\n"
              "mistakes of the file are reported at once, each with its place.",
          .examples = {{"saltus check examples/bouncing_ball.toml", ""},
                       {"saltus check examples/bouncing_ball.toml --case elastic --set z0=2", ""},
                       {"saltus check model.toml --quiet && echo good", "only the exit code"},
                       {"saltus check model.toml --json", "for programs and editors"}},
          .begin = [](OutputOptions& output) -> Invocation {
            const auto request = std::make_shared<CheckRequest>();
            const Options options =
                output_options(output, {".txt", ".json"}, "print nothing unless something is wrong");
            return {joined({options_of(*request), options}), [request, &output] {
                      const CheckResult result = run(*request);
                      const bool silent = output.quiet && !output.json && output.file.empty();
                      return silent ? ExitCode::done : deliver(result, output);
                    }};
          }};
}

}  // namespace saltus::cli
