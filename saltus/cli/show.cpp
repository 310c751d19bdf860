#include <memory>
#include <nlohmann/json.hpp>

#include "saltus/cli/command.hpp"
#include "saltus/report/show.hpp"

namespace saltus::cli {

Command show_command() {
  return {.name = "show",
          .arguments = "STAGE MODEL",
          .summary = "a stage between model file and compiled code: model, expr or kernel",
          .details =
              "A wrong result is found by finding the first wrong stage.\n"
              "  model   every expression of the file with its line and column\n"
              "  expr    the expression graph: counts, and a name for everything used more than once\n"
              "  kernel  the programs that are compiled, one instruction a line",
          .examples = {{"saltus show expr examples/bouncing_ball.toml", ""},
                       {"saltus show kernel examples/bouncing_ball.toml --kernel field", ""}},
          .begin = [](OutputOptions& output) -> Invocation {
            const auto request = std::make_shared<ShowRequest>();
            return {joined({options_of(*request), output_options(output, {".txt", ".json"})}),
                    [request, &output] { return deliver(run(*request), output); }};
          }};
}

}  // namespace saltus::cli
