#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <exception>

#include "saltus/cli/command.hpp"
#include "saltus/cli/interrupt.hpp"

namespace {

/// A standard descriptor that was closed would become that of the first file that is opened, and messages would be written into
/// it. In its place stands one that cannot be used in its direction, as a closed one cannot.
void occupy_standard_descriptors() {
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(standard, F_GETFD) >= 0 || errno != EBADF) continue;
    const int opened = open("/dev/null", standard == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (opened >= 0 && opened != standard) {  // the lower ones are in use: it is this one, unless /dev/null is missing
      dup2(opened, standard);
      close(opened);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  occupy_standard_descriptors();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is a failure to write, with a message
  std::signal(SIGPIPE, SIG_IGN);  // `saltus … | head` ends quietly: see write()
  saltus::cli::answer_interrupts();
  std::set_terminate(saltus::cli::end_in_words);
  return static_cast<int>(saltus::cli::run_command_line({argv + 1, argv + argc}));
}
