#include "saltus/base/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <set>
#include <utility>

#include "saltus/base/error.hpp"
#include "saltus/base/text.hpp"
#include "saltus/base/unbroken.hpp"

namespace saltus {
namespace {

Error cannot_read(const std::string& path, const std::string& why) {
  return {ExitCode::file, fmt::format("cannot read '{}': {}", printable(path), why)};
}

/// A descriptor that is closed on every way out.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ > STDERR_FILENO) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

// A file is the same under all its names.
std::mutex mutex;
std::set<std::pair<dev_t, ino_t>>& inputs() {
  static std::set<std::pair<dev_t, ino_t>> all;
  return all;
}

}  // namespace

std::string input_text(const std::string& path, std::size_t most) {
  const Unbroken waiting;  // for the writer of a pipe, who may never come
  const Descriptor file(path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  struct stat about{};
  if (file.number() < 0 || fstat(file.number(), &about) != 0) throw cannot_read(path, std::strerror(errno));
  if (S_ISDIR(about.st_mode)) throw cannot_read(path, "it is a folder");
  std::string text;
  constexpr std::size_t block = std::size_t{1} << 16U;
  while (text.size() <= most) {
    const std::size_t before = text.size();
    text.resize(before + block);
    const ssize_t got = read(file.number(), text.data() + before, block);
    text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw cannot_read(path, std::strerror(errno));
    if (got == 0) return text;
  }
  const std::string size =
      S_ISREG(about.st_mode) ? fmt::format("{} bytes", about.st_size) : fmt::format("more than {} bytes", most);
  throw cannot_read(path, fmt::format("the file is too large: {}\n  expected at most {}", size, most));
}

bool is_stream(const std::string& path) {
  struct stat about{};
  return path == "-" || (stat(path.c_str(), &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode));
}

void keep_input(const std::string& path) {
  struct stat about{};
  if (stat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) return;
  const std::lock_guard lock(mutex);
  inputs().insert({about.st_dev, about.st_ino});
}

bool is_input(dev_t device, ino_t number) {
  const std::lock_guard lock(mutex);
  return inputs().contains({device, number});
}

}  // namespace saltus
