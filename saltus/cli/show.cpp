#include "saltus/driver/show.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "saltus/base/text.hpp"
#include "saltus/cli/command.hpp"

namespace saltus::cli {
namespace {

Stage stage_named(const std::string& name) {
  if (name == "model") return Stage::model;
  if (name == "expr") return Stage::expr;
  if (name == "kernel") return Stage::kernel;
  const std::vector<std::string> names = {"model", "expr", "kernel"};
  const std::string hint = did_you_mean(name, names);
  throw Error(ExitCode::usage, fmt::format("unknown stage '{}'\n  expected model, expr or kernel{}", printable(name),
                                           hint.empty() ? "" : "\n  " + hint));
}

}  // namespace

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
          .declare = [](CLI::App& app, OutputOptions& output) -> Action {
            const auto request = std::make_shared<ShowRequest>();
            app.add_option_function<std::string>(
                "STAGE", [request](const std::string& name) { request->stage = stage_named(name); },
                "model, expr or kernel");
            add_model_options(app, *request);
            app.add_option("--kernel", request->kernel, "only this kernel")->option_text("NAME");
            add_output_options(app, output, {".txt", ".json"});
            return [request, &output] { return deliver(run(*request), output); };
          }};
}

}  // namespace saltus::cli
