#include <csignal>

#include "saltus/cli/command.hpp"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // `saltus … | head` ends quietly: see write()
  return static_cast<int>(saltus::cli::run_command_line({argv + 1, argv + argc}));
}
