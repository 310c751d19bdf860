#include "saltus/result/guarded_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "saltus/base/error.hpp"
#include "saltus/base/unbroken.hpp"

namespace saltus {
namespace {

constexpr rlim_t seconds = 20;
constexpr rlim_t bytes_beyond = rlim_t{4} << 30U;

rlim_t bytes_in_use() {
  long pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return static_cast<rlim_t>(pages) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

void set_limit(int which, rlim_t value) {
  rlimit limit{};
  getrlimit(static_cast<__rlimit_resource_t>(which), &limit);
  if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < value) value = limit.rlim_max;
  limit.rlim_cur = value;
  setrlimit(static_cast<__rlimit_resource_t>(which), &limit);
}

/// Never returns: what the parent has open, registered or begun is not this one's to close or to finish.
[[noreturn]] void answer(int pipe, const std::function<std::string()>& work) {
  for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGPIPE}) std::signal(signal, SIG_DFL);
  // A request to end goes to both: the parent answers it, and this one ends with it. Otherwise the file would be called damaged.
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  set_limit(RLIMIT_CORE, 0);
  set_limit(RLIMIT_CPU, seconds);
  set_limit(RLIMIT_AS, bytes_in_use() + bytes_beyond);
  const int silent = open("/dev/null", O_WRONLY);  // what the C library or a library says of a broken heap
  if (silent >= 0) dup2(silent, STDERR_FILENO);
  try {
    const std::string text = work();
    std::size_t done = 0;
    while (done < text.size()) {
      const ssize_t put = write(pipe, text.data() + done, text.size() - done);
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) _exit(1);
      done += static_cast<std::size_t>(put);
    }
  } catch (...) { _exit(1); }
  _exit(0);
}

}  // namespace

std::optional<std::string> from_guarded_process(const std::function<std::string()>& work) {
  const Unbroken waiting;
  std::array<int, 2> ends{};
  const bool piped = pipe2(ends.data(), O_CLOEXEC) == 0;
  const pid_t child = piped ? fork() : -1;
  if (child < 0)
    throw Error(ExitCode::file, fmt::format("cannot start a process to read a file: {}", std::strerror(errno)));
  if (child == 0) {
    close(ends[0]);
    answer(ends[1], work);
  }
  close(ends[1]);
  std::string text;
  std::string block(std::size_t{1} << 16U, '\0');
  while (true) {
    const ssize_t got = read(ends[0], block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(block, 0, static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
  return text;
}

}  // namespace saltus
