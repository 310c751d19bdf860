#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>

#include "saltus/base/setting.hpp"
#include "saltus/base/text.hpp"
#include "saltus/cli/command.hpp"
#include "saltus/cli/completion.hpp"
#include "saltus/cli/help.hpp"
#include "saltus/cli/man_page.hpp"
#include "saltus/driver/ranks.hpp"
#include "saltus/kernel/codegen.hpp"
#include "saltus/report/gnuplot_process.hpp"
#include "saltus/result/new_file.hpp"

namespace saltus::cli {
namespace {

using Words = std::vector<std::string>;

void say(const std::string& message) { std::fputs(without_controls(said(message)).c_str(), stderr); }

Error usage_error(const std::string& message, const std::string& hint = "") {
  return {ExitCode::usage, hint.empty() ? message : message + "\n  " + hint};
}

// ---- the options of one command ------------------------------------------------------------------------------------

/// How CLI11 reads the option.
void declare(CLI::App& app, const Option& option) {
  const std::string name = is_argument(option)   ? option.name
                           : option.also.empty() ? "--" + option.name
                                                 : "--" + option.name + ",--" + option.also;
  const bool is_flag = option.unit.empty() && !is_argument(option);
  const auto add = [&](const auto& place) -> CLI::Option* {
    using Place = std::decay_t<decltype(place)>;
    if constexpr (std::is_same_v<Place, WordedValue>) {
      if (is_flag) return app.add_flag_callback(name, [read = place.read] { read(""); });
      if (!option.repeated) return app.add_option_function<std::string>(name, place.read);
      return app.add_option_function<Words>(name, [read = place.read](const Words& words) {
        for (const std::string& word : words) read(word);
      });
    } else {
      if constexpr (std::is_same_v<Place, bool*>) return app.add_flag(name, *place);
      else return app.add_option(name, *place);
    }
  };
  CLI::Option* const declared = std::visit(add, option.place);
  if (option.repeated) declared->allow_extra_args(false);
  if (option.listed) declared->delimiter(',');
}

Words option_names(const CLI::App& app) {
  Words names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

Error unexpected(const std::string& word, const CLI::App& app) {
  if (!word.starts_with('-')) return usage_error(fmt::format("unexpected argument '{}'", printable(word)));
  const std::string name = word.substr(0, word.find('='));
  return usage_error(fmt::format("unknown option '{}'", printable(name)), did_you_mean(name, option_names(app)));
}

bool is_whole(const CLI::Option& option) { return option.get_type_name() == "UINT" || option.get_type_name() == "INT"; }

/// Whole numbers count something: CLI11 would read -1 for one without a sign as 2^64 - 1. Others are finite.
void refuse_numbers_that_are_none(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    if (is_whole(*option))
      option->check([](const std::string& word) {
        const bool fits = word.size() < 19 || (word.size() == 19 && word <= "9223372036854775807");
        return word.starts_with('-') || !fits ? word : std::string();
      });
    if (option->get_type_name() == "FLOAT")
      option->check([](const std::string& word) {
        char* end = nullptr;
        const double value = std::strtod(word.c_str(), &end);
        return *end == '\0' && !std::isfinite(value) ? word : std::string();  // what is no number CLI11 says itself
      });
  }
}

/// CLI11's complaint in our words. Its texts begin with the option's name or contain "NAME = VALUE".
Error in_our_words(const CLI::ParseError& error, const CLI::App& app) {
  const std::string text = error.what();
  if (error.get_name() == "ArgumentMismatch") {
    const std::string option = text.substr(0, text.find_first_of(": "));
    const bool repeated = text.find("At Most") != std::string::npos;
    return usage_error(fmt::format("option '{}' {}", option, repeated ? "is given more than once" : "needs a value"));
  }
  const std::size_t colon = text.find(": ");
  if (error.get_name() == "ValidationError" && colon != std::string::npos) {
    const CLI::Option* option = app.get_option_no_throw(text.substr(0, colon));
    return usage_error(
        fmt::format("'{}' is no value for option '{}'", printable(text.substr(colon + 2)), text.substr(0, colon)),
        option && !is_whole(*option) ? "expected a finite number"
        : text[colon + 2] == '-'     ? "expected a whole number, 0 or more"
                                     : "expected a whole number below 2^63");
  }
  const std::size_t equals = text.find(" = ");
  const std::size_t name = text.find("--");
  if (error.get_name() == "ConversionError" && equals != std::string::npos && name < equals)
    return usage_error(fmt::format("'{}' is no value for option '{}'", printable(text.substr(equals + 3)),
                                   text.substr(name, equals - name)));
  return usage_error(printable(text));
}

void require_arguments(const Command& command, const CLI::App& app, const Options& options) {
  for (const Option& option : options)
    if (is_argument(option) && app.get_option(option.name)->count() == 0)
      throw usage_error(option.name == "MODEL" ? "no model file given" : "no " + option.name + " given",
                        fmt::format("usage: saltus {} {} [options]", command.name, command.arguments));
}

/// Reads the words; true if the command is to be done, false if only its help was asked for.
bool read(CLI::App& app, const Command& command, const Options& options, const Words& words) {
  try {
    app.parse(Words(words.rbegin(), words.rend()));  // CLI11 wants the last word first
  } catch (const CLI::CallForHelp&) {
    print(help(command, options));
    return false;
  } catch (const CLI::ParseError& error) { throw in_our_words(error, app); }
  const Words extra = app.remaining();
  const auto option = std::find_if(extra.begin(), extra.end(), [](const auto& word) { return word.starts_with('-'); });
  if (option != extra.end()) throw unexpected(*option, app);
  if (!extra.empty()) throw unexpected(extra.front(), app);
  require_arguments(command, app, options);
  return true;
}

// ---- failures ------------------------------------------------------------------------------------------------------

std::string fault_report(const std::string& what, const Words& words) {
  return fmt::format(
      "saltus: a fault of this program: {}\n"
      "  please report it as an issue, with the model file, the output of saltus --version and this command line:\n"
      "  saltus {}\n",
      what, fmt::join(words, " "));
}

/// Behind the hint, or on a line of its own if there is none.
std::string where_to_read_on(const std::string& message, const std::string& program) {
  const bool has_hint = message.find('\n') != std::string::npos;
  return fmt::format("{}  (see: {} --help)", has_hint ? "" : "\n", program);
}

ExitCode report(const ModelError& error, bool json) {
  if (json) print(json_text({{"diagnostics", json_diagnostics(error.diagnostics())}}));
  else say(error.what());
  return error.code();
}

ExitCode report(const Error& error, const std::string& command, const OutputOptions& output, const Words& words) {
  if (error.code() == ExitCode::fault) {
    say(fault_report(error.what(), words));
  } else if (output.json && error.code() == ExitCode::file) {
    const Diagnostic plain{Severity::error, {}, said(error.what()), "", "", {}};
    print(json_text({{"diagnostics", json_diagnostics(std::vector{plain})}}));
  } else {
    const std::string program = command.empty() ? "saltus" : "saltus " + command;
    const std::string advice = error.code() == ExitCode::usage ? where_to_read_on(error.what(), program) : "";
    say(fmt::format("{}: {}{}\n", program, error.what(), advice));
  }
  return error.code();
}

// ---- dispatch ------------------------------------------------------------------------------------------------------

ExitCode print_version(const Words& words) {
  const bool json = std::find(words.begin(), words.end(), "--json") != words.end();
  const HostInfo info = host();
  if (json)
    print(
        json_text({{"saltus", SALTUS_VERSION}, {"llvm", info.llvm_version}, {"cpu", info.cpu}, {"lanes", info.lanes}}));
  else
    print(
        fmt::format("saltus {}\nLLVM {}\nCPU {}\nlanes {}\n", SALTUS_VERSION, info.llvm_version, info.cpu, info.lanes));
  return ExitCode::done;
}

/// What others read of the commands: shells that complete them, man.
ExitCode print_words(const std::string& what, const Words& rest) {
  if (what == "man" && rest.empty()) print(man_page(commands()));
  else if (what == "completion" && rest == Words{"bash"}) print(bash_completion(commands()));
  else if (what == "completion" && rest == Words{"zsh"}) print(zsh_completion(commands()));
  else throw usage_error("expected one of: saltus completion bash, saltus completion zsh, saltus man");
  return ExitCode::done;
}

Error unknown_command(const std::string& word) {
  Words names = {"--help", "--version", "completion", "man"};
  for (const Command& command : commands()) names.push_back(command.name);
  if (word.starts_with('-'))
    return usage_error(fmt::format("unknown option '{}'", printable(word)), did_you_mean(word, names));
  const bool model = word.ends_with(".toml");
  const std::string hint =
      model ? fmt::format("to look at a model: saltus check {}", printable(word)) : did_you_mean(word, names);
  return usage_error(fmt::format("unknown command '{}'", printable(word)), hint);
}

ExitCode dispatch(const Words& words) {
  if (words.empty() || words.front() == "--help" || words.front() == "-h") {
    print(help());
    return ExitCode::done;
  }
  const Words rest(words.begin() + 1, words.end());
  if (words.front() == "--version") return print_version(rest);
  if (words.front() == "completion" || words.front() == "man") return print_words(words.front(), rest);
  for (const Command& command : commands())
    if (command.name == words.front()) return run_command(command, rest);
  throw unknown_command(words.front());
}

/// The machine gives no further thread: an ordinary limit. The library of threads says so in words only.
bool is_want_of_threads(const std::exception& error) {
  const auto* const system = dynamic_cast<const std::system_error*>(&error);
  if (system != nullptr) return system->code() == std::errc::resource_unavailable_try_again;
  return std::string_view(error.what()).starts_with("pthread_create has failed");
}

/// Said without asking for more.
ExitCode want_of_memory() {
  std::fputs("saltus: out of memory\n  ask for fewer values, starts, samples or threads\n", stderr);
  return ExitCode::file;
}

/// Says what has gone wrong, which is what is being handled.
ExitCode failed(const Words& words) {
  try {
    throw;
  } catch (const Error& error) { return report(error, "", {}, words); } catch (const std::bad_alloc&) {
    return want_of_memory();
  } catch (const std::length_error&) {  // more than any memory
    return want_of_memory();
  } catch (const std::filesystem::filesystem_error& error) {
    say(fmt::format("saltus: cannot use '{}': {}\n", printable(error.path1().string()), error.code().message()));
    return ExitCode::file;
  } catch (const std::exception& error) {
    if (is_want_of_threads(error)) {
      say("saltus: no further thread can be started: the limit of processes or of memory is reached\n  try --threads "
          "1\n");
      return ExitCode::file;
    }
    say(fault_report(error.what(), words));
  }
  return ExitCode::fault;
}

/// Does what the words say; whatever goes wrong is said.
ExitCode ended(const Words& words) {
  try {
    return dispatch(words);
  } catch (...) { return failed(words); }
}

}  // namespace

ExitCode run_command(const Command& command, const Words& words) {
  OutputOptions output;
  try {
    CLI::App app(command.summary);
    app.set_help_flag("-h,--help");
    app.allow_extras();
    const Invocation invocation = command.begin(output);
    for (const Option& option : invocation.options) declare(app, option);
    refuse_numbers_that_are_none(app);
    return read(app, command, invocation.options, words) ? invocation.action() : ExitCode::done;
  } catch (const ModelError& error) { return report(error, output.json); } catch (const Error& error) {
    Words all = {command.name};
    all.insert(all.end(), words.begin(), words.end());
    return report(error, command.name, output, all);
  }
}

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      check_command(),    equations_command(), show_command(), simulate_command(), lyapunov_command(),
      section_command(),  diagram_command(),   map_command(),  basin_command(),    orbit_command(),
      continue_command(), response_command(),  hill_command(),
  };
  return all;
}

void warn(const std::vector<Diagnostic>& warnings, const OutputOptions& output) {
  if (!output.quiet && !output.json && !warnings.empty()) say(rendered(warnings));
}

void complain(const std::string& message) {
  if (!message.empty()) say(message.back() == '\n' ? message : message + "\n");
}

void print(const std::string& any) {
  const std::string text = without_controls(any);
  errno = 0;
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written && errno != EPIPE)
    throw Error(ExitCode::file, fmt::format("cannot write to standard output: {}", std::strerror(errno)));
}

std::string written_text(const std::vector<std::string>& files) {
  std::vector<std::string> names;
  for (const std::string& file : files) names.push_back(printable(file));
  return names.empty() ? "" : fmt::format("written  {}\n", fmt::join(names, ", "));
}

void end_in_words() {
  ExitCode code = ExitCode::fault;
  try {
    if (std::current_exception()) code = failed({});
    else say(fault_report("it was ended by one of its libraries", {}));
  } catch (...) { code = want_of_memory(); }  // even for the words
  remove_drafts();
  stop_drawing();
  _exit(static_cast<int>(code));
}

ExitCode run_command_line(const Words& words) {
  name_settings_with("--");
  const ExitCode code = ended(words);
  // The others would wait for this process for ever.
  if (code != ExitCode::done && code != ExitCode::stopped_early && code != ExitCode::interrupted) end_all_ranks(code);
  return code;
}

}  // namespace saltus::cli
