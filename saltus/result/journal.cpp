#include "saltus/result/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "saltus/base/error.hpp"
#include "saltus/base/text.hpp"
#include "saltus/base/unbroken.hpp"
#include "saltus/result/one_line.hpp"

namespace saltus {
namespace {

constexpr std::string_view magic = "saltus journal 2\n";
constexpr std::uint64_t record_mark = 0x5a17'05d0'4ec0'4d00ULL;
constexpr std::uint64_t most_numbers = std::uint64_t{1} << 27U;      // of one record
constexpr std::uint64_t longest_identity = std::uint64_t{1} << 27U;  // bytes of a header that are looked at

struct RecordHead {
  std::uint64_t mark;
  std::uint64_t key;
  std::uint64_t count;
  Digest digest;  // of the digest before, the key, the count and the values: of everything up to here
};

template <class Value>
std::span<const std::byte> bytes_of(const Value& value) {
  return std::as_bytes(std::span(&value, 1));
}

Digest digest_after(const Digest& before, std::uint64_t key, std::span<const double> values) {
  const std::uint64_t count = values.size();
  Sha256 sum;
  sum.add(bytes_of(before)).add(bytes_of(key)).add(bytes_of(count)).add(std::as_bytes(values));
  return sum.digest();
}

/// One line "name=value" per entry; line feeds of values, which model texts have, are written as \n.
std::string text_of(const JournalIdentity& identity) {
  std::string text;
  for (const auto& [name, value] : identity) text += name + "=" + one_line(value) + "\n";
  return text;
}

std::string header_of(const JournalIdentity& identity) {
  const std::string text = text_of(identity);
  return fmt::format("{}{:016x}\n{}", magic, text.size(), text);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::string name_in(const std::string& line) { return line.substr(0, line.find('=')); }

/// "rtol=1e-09 there, rtol=1e-10 here", or the name alone where the values are long.
std::string difference(const std::string& there, const std::string& here) {
  const std::vector<std::string> old_lines = lines_of(there);
  const std::vector<std::string> new_lines = lines_of(here);
  constexpr std::size_t longest = 60;
  for (std::size_t i = 0; i < std::max(old_lines.size(), new_lines.size()); ++i) {
    const std::string before = i < old_lines.size() ? old_lines[i] : "";
    const std::string now = i < new_lines.size() ? new_lines[i] : "";
    if (before == now) continue;
    const std::string name = name_in(now.empty() ? before : now);
    if (name == "model") return "the text of the model is another one";
    if (before.size() > longest || now.size() > longest) return fmt::format("its {} is another one", name);
    return fmt::format("it has {}, this command {}", before.empty() ? "no " + name : printable(before),
                       now.empty() ? "no " + name : printable(now));
  }
  return "";
}

std::string read_all(int file, std::uint64_t offset, std::uint64_t size) {
  std::string text(size, '\0');
  std::uint64_t done = 0;
  while (done < size) {
    const ssize_t got = pread(file, text.data() + done, size - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::uint64_t>(got);
  }
  text.resize(done);
  return text;
}

bool write_all(int file, const void* data, std::size_t size, std::uint64_t offset) {
  const auto* bytes = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t put = pwrite(file, bytes, size, static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    bytes += put;
    size -= static_cast<std::size_t>(put);
    offset += static_cast<std::uint64_t>(put);
  }
  return true;
}

}  // namespace

Journal::Journal(std::string path, const JournalIdentity& identity, Mode mode, const RecordCheck& is_possible)
    : path_(std::move(path)) {
  const std::string header = header_of(identity);
  last_ = Sha256().add(header).digest();
  open(mode);
  try {
    const Unbroken reading;
    if (end_ == 0) write_header(header);
    else check_header(header);
    find_records(header.size(), is_possible);
  } catch (...) {
    close(file_);
    throw;
  }
}

namespace {

std::string temporary_folder() {
  const char* set = std::getenv("TMPDIR");
  return set && *set != '\0' ? set : "/tmp";
}

/// path: empty for a journal without a name.
Error cannot_write(const std::string& path, int error) {
  const bool named = !path.empty();
  return {ExitCode::file, fmt::format("cannot write {}'{}': {}{}", named ? "" : "a temporary file in ",
                                      printable(named ? path : temporary_folder()), std::strerror(error),
                                      named ? "" : "\n  set TMPDIR to a folder with more room, or give ⟨out⟩ FILE")};
}

}  // namespace

Journal::Journal() {
  const std::string folder = temporary_folder();
  std::string name = folder + "/saltus-XXXXXX";
  file_ = mkostemp(name.data(), O_CLOEXEC);  // created exclusively, for nobody else
  if (file_ < 0)
    throw Error(ExitCode::file,
                fmt::format("cannot write a temporary file in '{}': {}\n  set TMPDIR to a folder that can "
                            "be written",
                            printable(folder), std::strerror(errno)));
  unlink(name.c_str());
}

Journal::~Journal() {
  if (file_ >= 0) close(file_);
}

void Journal::open(Mode mode) {
  // It is written from its beginning and removed at the end: neither is done to what a link leads to, or to a pipe.
  file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0666);
  if (file_ < 0)
    throw Error(ExitCode::file, fmt::format("cannot write '{}': {}", printable(path_),
                                            errno == ELOOP ? "a journal is no link" : std::strerror(errno)));
  const auto refuse = [&](const auto& error) {
    close(file_);
    file_ = -1;
    throw error;
  };
  struct stat about{};
  if (fstat(file_, &about) != 0 || !S_ISREG(about.st_mode))
    refuse(Error(ExitCode::file, fmt::format("cannot write '{}': it is no ordinary file", printable(path_))));
  if (flock(file_, LOCK_EX | LOCK_NB) != 0)
    refuse(JournalInUse(
        ExitCode::usage,
        fmt::format("'{}' is in use by another run\n  wait for its end, or write to another file", printable(path_))));
  end_ = fstat(file_, &about) == 0 ? static_cast<std::uint64_t>(about.st_size) : 0;
  if (mode == Mode::begin && end_ > 0)
    refuse(Error(ExitCode::usage, fmt::format("'{}' keeps the finished part of an earlier run that was interrupted\n"
                                              "  add ⟨resume⟩ to continue it, or remove the file",
                                              printable(path_))));
}

void Journal::write_header(const std::string& header) {
  if (write_all(file_, header.data(), header.size(), 0) && fsync(file_) == 0) {
    end_ = header.size();
    return;
  }
  const int error = errno;
  unlink(path_.c_str());
  throw Error(ExitCode::file, fmt::format("cannot write '{}': {}", printable(path_), std::strerror(error)));
}

void Journal::check_header(const std::string& header) {
  const std::string there = read_all(file_, 0, std::min<std::uint64_t>(end_, header.size()));
  if (there.compare(0, header.size(), header) == 0) return;
  if (header.compare(0, there.size(), there) == 0) {  // the header itself was cut short: nothing was done yet
    if (ftruncate(file_, 0) != 0) throw Error(ExitCode::file, fmt::format("cannot write '{}'", printable(path_)));
    end_ = 0;
    return write_header(header);
  }
  if (there.compare(0, magic.size(), magic) != 0)
    throw Error(
        ExitCode::usage,
        fmt::format("'{}' is no journal of this program\n  remove it, or write to another file", printable(path_)));
  const std::size_t sizes = magic.size() + 16 + 1;
  const std::uint64_t size = there.size() > sizes ? std::strtoull(there.c_str() + magic.size(), nullptr, 16) : 0;
  const std::string other = read_all(file_, std::min<std::uint64_t>(sizes, end_),
                                     std::min({size, longest_identity, end_ - std::min<std::uint64_t>(sizes, end_)}));
  throw Error(ExitCode::usage, fmt::format("'{}' belongs to another computation: {}\n"
                                           "  give the same model and options as then, or remove the file",
                                           printable(path_), difference(other, header.substr(sizes))));
}

/// Records one after the other until the end or the first one that is not whole; what follows was being written when the
/// program was ended, and is overwritten. One that is whole but cannot be of this work was not written by this program.
void Journal::find_records(std::uint64_t from, const RecordCheck& is_possible) {
  std::uint64_t at = from;
  while (end_ - at >= sizeof(RecordHead)) {
    RecordHead head{};
    const std::string bytes = read_all(file_, at, sizeof head);
    if (bytes.size() != sizeof head) break;
    std::memcpy(&head, bytes.data(), sizeof head);
    const std::uint64_t left = end_ - at - sizeof head;
    if (head.mark != record_mark || head.count > most_numbers || head.count * sizeof(double) > left) break;
    const std::vector<double> values = numbers_at({at + sizeof head, head.count});
    const Digest digest = digest_after(last_, head.key, values);
    if (digest != head.digest) break;
    if (places_.contains(head.key) || (is_possible && !is_possible(head.key, values)))
      throw Error(ExitCode::file,
                  fmt::format("'{}' holds what no run of this command writes: its record {} is of piece {}\n"
                              "  remove it and start again without ⟨resume⟩",
                              printable(path_), places_.size() + 1, head.key));
    places_[head.key] = {at + sizeof head, head.count};
    last_ = digest;
    at += sizeof head + head.count * sizeof(double);
  }
  if (at != end_ && ftruncate(file_, static_cast<off_t>(at)) != 0)
    throw Error(ExitCode::file, fmt::format("cannot write '{}': {}", printable(path_), std::strerror(errno)));
  end_ = at;
  synced_ = places_.size();
}

std::vector<double> Journal::numbers_at(const Place& place) const {
  const std::string bytes = read_all(file_, place.offset, place.count * sizeof(double));
  if (bytes.size() != place.count * sizeof(double))
    throw Error(ExitCode::file, fmt::format("cannot read '{}'", printable(path_)));
  std::vector<double> values(place.count);
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

std::vector<double> Journal::read(std::uint64_t key) const { return numbers_at(places_.at(key)); }

void Journal::append(std::uint64_t key, std::span<const double> values) {
  const RecordHead head{record_mark, key, values.size(), digest_after(last_, key, values)};
  std::string bytes(sizeof head + values.size_bytes(), '\0');
  std::memcpy(bytes.data(), &head, sizeof head);
  if (!values.empty()) std::memcpy(bytes.data() + sizeof head, values.data(), values.size_bytes());
  if (!write_all(file_, bytes.data(), bytes.size(), end_)) {
    const int error = errno;
    if (ftruncate(file_, static_cast<off_t>(end_)) != 0)
      synced_ = 0;  // a later run finds the torn record by its checksum
    throw cannot_write(path_, error);
  }
  places_[key] = {end_ + sizeof head, values.size()};
  last_ = head.digest;
  end_ += bytes.size();
}

void Journal::sync() {
  if (synced_ == places_.size()) return;
  if (fdatasync(file_) != 0 && errno != EINVAL) throw cannot_write(path_, errno);
  synced_ = places_.size();
}

void Journal::discard() {
  if (!path_.empty()) unlink(path_.c_str());
}

}  // namespace saltus
