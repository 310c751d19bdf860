#include "saltus/result/new_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "saltus/base/error.hpp"
#include "saltus/base/input_file.hpp"
#include "saltus/base/text.hpp"

namespace saltus {
namespace {

Error cannot_write(const std::string& path, const std::string& why) {
  return {ExitCode::file, fmt::format("cannot write '{}': {}", printable(path), why)};
}
Error cannot_write(const std::string& path) { return cannot_write(path, std::strerror(errno)); }

// ---- the name --------------------------------------------------------------------------------------------------------

/// Where a chain of links ends, whether there is a file or not yet.
std::string behind_links(const std::string& path) {
  std::filesystem::path at = path;
  constexpr int most_links = 40;  // as many as Linux follows
  for (int links = 0; links < most_links; ++links) {
    std::error_code error;
    const std::filesystem::path next = std::filesystem::read_symlink(at, error);
    if (error) return at.string();  // no link
    at = at.parent_path() / next;
  }
  errno = ELOOP;
  throw cannot_write(path);
}

/// A file that is there already must be one that can be replaced; its permissions, which the new one takes over.
mode_t require_replaceable(const std::string& path, const std::string& target) {
  struct stat about{};
  if (stat(target.c_str(), &about) != 0) {
    if (errno == ENOENT) return 0;
    throw cannot_write(path);
  }
  if (is_input(about.st_dev, about.st_ino))
    throw usage(
        fmt::format("'{}' is read by this command, and would be replaced\n  write to another file", printable(path)));
  if (S_ISDIR(about.st_mode)) {
    errno = EISDIR;
    throw cannot_write(path);
  }
  if (!S_ISREG(about.st_mode)) throw cannot_write(path, "it is no ordinary file");
  if (access(target.c_str(), W_OK) != 0) throw cannot_write(path);
  return about.st_mode & 07777U;
}

// ---- the draft -------------------------------------------------------------------------------------------------------

/// The name of every draft of this process. None is taken off, since none is used twice: a handler of signals may read them at any time.
struct DraftName {
  std::string name;
  const DraftName* before;
};
std::atomic<const DraftName*> last_draft = nullptr;

void remember(const std::string& name) {
  auto* const draft = new DraftName{name, last_draft.load()};
  while (!last_draft.compare_exchange_weak(draft->before, draft)) {}
}

/// ".saltus-" and where process numbers mean what they mean here: this machine, these processes.
std::string draft_prefix() {
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  struct stat processes{};
  const bool known = stat("/proc/self/ns/pid", &processes) == 0;
  const std::size_t place = std::hash<std::string>()(fmt::format("{}:{}", host, known ? processes.st_ino : 0));
  return fmt::format(".saltus-{:08x}-", place & 0xffff'ffffU);
}

/// Drafts of processes that are no more.
void remove_leftovers(const std::filesystem::path& folder) {
  const std::string prefix = draft_prefix();
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(prefix) || !name.ends_with(".part")) continue;
    const long process = std::strtol(name.c_str() + prefix.size(), nullptr, 10);
    if (process > 0 && kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH) unlink(at->path().c_str());
  }
}

std::string draft_beside(const std::string& target) {
  static std::atomic<unsigned> count = 0;
  std::filesystem::path folder = std::filesystem::path(target).parent_path();
  if (folder.empty()) folder = ".";
  remove_leftovers(folder);
  return (folder / fmt::format("{}{}-{}.part", draft_prefix(), getpid(), count++)).string();
}

}  // namespace

void remove_drafts() noexcept {
  for (const DraftName* draft = last_draft.load(); draft; draft = draft->before) unlink(draft->name.c_str());
}

NewFile::NewFile(std::string path) : path_(std::move(path)), target_(behind_links(path_)) {
  const mode_t permissions = require_replaceable(path_, target_);
  draft_ = draft_beside(target_);
  remember(draft_);
  file_ = open(draft_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (file_ < 0) {
    draft_.clear();
    throw cannot_write(path_);
  }
  if (permissions != 0) fchmod(file_, permissions);
}

NewFile::~NewFile() {
  if (file_ >= 0) close(file_);
  if (!draft_.empty()) unlink(draft_.c_str());
}

void NewFile::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(file_, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) throw cannot_write(path_);
    text.remove_prefix(static_cast<std::size_t>(put));
  }
}

std::string NewFile::handle() const { return fmt::format("/proc/self/fd/{}", file_); }

std::string NewFile::trouble(const std::string& otherwise) {
  const int again = open(handle().c_str(), O_RDWR | O_CLOEXEC);
  if (again < 0) return std::strerror(errno);  // no descriptor is left for the library's own
  close(again);
  // As much as a library writes at once: a disk on which this has no room is full.
  const std::string block(std::size_t{1} << 20U, '\1');
  lseek(file_, 0, SEEK_END);
  std::string_view rest = block;
  while (!rest.empty()) {
    const ssize_t put = ::write(file_, rest.data(), rest.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return std::strerror(errno);
    rest.remove_prefix(static_cast<std::size_t>(put));
  }
  return otherwise;
}

void NewFile::finish() {
  if (fsync(file_) != 0 && errno != EINVAL) throw cannot_write(path_);
  require_replaceable(path_, target_);  // nobody has put something else there meanwhile
  if (std::rename(draft_.c_str(), target_.c_str()) != 0) throw cannot_write(path_);
  draft_.clear();
}

void require_writable(const std::string& path) { const NewFile probe(path); }

void write_text(const std::string& path, const std::string& text) {
  NewFile file(path);
  file.write(text);
  file.finish();
}

}  // namespace saltus
