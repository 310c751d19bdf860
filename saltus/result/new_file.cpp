#include "saltus/result/new_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "saltus/base/error.hpp"
#include "saltus/base/text.hpp"

namespace saltus {
namespace {

Error cannot_write(const std::string& path) {
  return {ExitCode::file, fmt::format("cannot write '{}': {}", printable(path), std::strerror(errno))};
}

std::string draft_of(const std::string& path) {
  const std::filesystem::path whole(path);
  const std::string name = fmt::format(".{}.{}.part", whole.filename().string(), getpid());
  return (whole.parent_path() / name).string();
}

}  // namespace

NewFile::NewFile(std::string path) : path_(std::move(path)), draft_(draft_of(path_)) {
  if (std::filesystem::is_directory(path_)) {
    errno = EISDIR;
    throw cannot_write(path_);
  }
  std::FILE* stream = std::fopen(draft_.c_str(), "wb");
  if (!stream) throw cannot_write(path_);
  std::fclose(stream);
}

NewFile::~NewFile() {
  if (!draft_.empty()) std::remove(draft_.c_str());
}

void NewFile::finish() {
  if (std::rename(draft_.c_str(), path_.c_str()) != 0) throw cannot_write(path_);
  draft_.clear();
}

void require_writable(const std::string& path) { const NewFile probe(path); }

void write_text(const std::string& path, const std::string& text) {
  NewFile file(path);
  std::FILE* stream = std::fopen(file.draft().c_str(), "wb");
  if (!stream) throw cannot_write(path);
  const bool written = std::fwrite(text.data(), 1, text.size(), stream) == text.size();
  if (std::fclose(stream) != 0 || !written) throw cannot_write(path);
  file.finish();
}

}  // namespace saltus
