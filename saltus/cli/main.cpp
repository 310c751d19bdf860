#include <csignal>

#include "saltus/cli/command.hpp"
#include "saltus/cli/interrupt.hpp"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // `saltus … | head` ends quietly: see write()
  saltus::cli::answer_interrupts();
  return static_cast<int>(saltus::cli::run_command_line({argv + 1, argv + argc}));
}
