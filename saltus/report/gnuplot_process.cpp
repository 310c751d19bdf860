#include "saltus/report/gnuplot_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <vector>

#include "saltus/base/error.hpp"
#include "saltus/base/text.hpp"
#include "saltus/report/gnuplot_script.hpp"

namespace saltus {
namespace {

constexpr int script_descriptor = 5;
constexpr std::size_t longest_complaint = 400;

Error no_process(const char* what) {
  return {ExitCode::file, fmt::format("cannot start gnuplot: {}: {}", what, std::strerror(errno))};
}

/// Closed on every way out.
class Descriptor {
 public:
  /// None of those that the child has under fixed numbers: what is given to it is copied there.
  explicit Descriptor(int number) : number_(number) {
    if (number_ < 0 || number_ > script_descriptor) return;
    number_ = fcntl(number, F_DUPFD_CLOEXEC, script_descriptor + 1);
    close(number);
  }
  ~Descriptor() { reset(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }
  void reset() {
    if (number_ >= 0) close(number_);
    number_ = -1;
  }

 private:
  int number_;
};

/// A file in memory with this text.
int in_memory(const std::string& text) {
  const int file = memfd_create("saltus", MFD_CLOEXEC);
  std::string_view rest = text;
  while (file >= 0 && !rest.empty()) {
    const ssize_t put = write(file, rest.data(), rest.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) break;
    rest.remove_prefix(static_cast<std::size_t>(put));
  }
  if (file < 0 || !rest.empty()) throw no_process("no memory for its data");
  lseek(file, 0, SEEK_SET);
  return file;
}

struct Pipe {
  Pipe() : Pipe(ends()) {}
  Descriptor read, write;

 private:
  explicit Pipe(std::array<int, 2> both) : read(both[0]), write(both[1]) {}
  static std::array<int, 2> ends() {
    std::array<int, 2> both{};
    if (pipe2(both.data(), O_CLOEXEC) != 0) throw no_process("no pipe");
    return both;
  }
};

/// Both until their ends, in whatever order they come.
void read_both(int first, std::string& picture, int second, std::string& said) {
  std::array<pollfd, 2> waiting = {pollfd{first, POLLIN, 0}, pollfd{second, POLLIN, 0}};
  std::string block(std::size_t{1} << 16U, '\0');
  while (waiting[0].fd >= 0 || waiting[1].fd >= 0) {
    if (poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) return;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      if (waiting[i].fd < 0 || waiting[i].revents == 0) continue;
      const ssize_t got = ::read(waiting[i].fd, block.data(), block.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) waiting[i].fd = -1;
      else if (i == 0) picture.append(block, 0, static_cast<std::size_t>(got));
      else if (said.size() < longest_complaint) said.append(block, 0, static_cast<std::size_t>(got));
    }
  }
}

/// Of the one that draws, or 0.
std::atomic<pid_t> at_work = 0;

/// Waits for its end, and forgets its number before that can be another's.
int status_at_end_of(pid_t child) {
  siginfo_t about{};
  while (waitid(P_PID, static_cast<id_t>(child), &about, WEXITED | WNOWAIT) != 0 && errno == EINTR) {}
  at_work = 0;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return status;
}

/// What gnuplot is told of the world: not by which terminal somebody likes to draw, nor where other settings and fits are.
std::vector<char*> environment_of_gnuplot() {
  std::vector<char*> kept;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view variable = *each;
    if (!variable.starts_with("GNU") && !variable.starts_with("FIT_")) kept.push_back(*each);
  }
  kept.push_back(nullptr);
  return kept;
}

}  // namespace

void stop_drawing() noexcept {
  if (const pid_t child = at_work; child > 0) kill(child, SIGKILL);
}

DrawnPicture drawing_of(const std::string& script, const GnuplotData& data) {
  const Descriptor text(in_memory(data.text)), binary(in_memory(data.binary)), commands(in_memory(script));
  Pipe picture, complaints;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, picture.write.number(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, complaints.write.number(), STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&actions, text.number(), text_descriptor);
  posix_spawn_file_actions_adddup2(&actions, binary.number(), binary_descriptor);
  posix_spawn_file_actions_adddup2(&actions, commands.number(), script_descriptor);
  std::string program = "gnuplot", plain = "-d", file = fmt::format("/dev/fd/{}", script_descriptor);
  char* arguments[] = {program.data(), plain.data(), file.data(), nullptr};  // -d: without anybody's own settings
  std::vector<char*> environment = environment_of_gnuplot();
  pid_t child = 0;
  const int failed = posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments, environment.data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed == ENOENT)
    return {"",
            "gnuplot is not installed\n  install it (Debian: apt install gnuplot-nox), or write the data with ⟨out⟩ "
            "FILE.csv"};
  if (failed != 0) return {"", fmt::format("gnuplot cannot be started: {}", std::strerror(failed))};
  at_work = child;
  picture.write.reset();
  complaints.write.reset();
  DrawnPicture drawing;
  std::string said;
  read_both(picture.read.number(), drawing.picture, complaints.read.number(), said);
  const int status = status_at_end_of(child);
  const bool drawn = WIFEXITED(status) && WEXITSTATUS(status) == 0 && !drawing.picture.empty();
  if (!drawn) drawing.complaint = "gnuplot could not draw it: " + printable(said.substr(0, longest_complaint));
  return drawing;
}

}  // namespace saltus
