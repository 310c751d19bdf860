#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "saltus/base/error.hpp"

/// Bytes under the name of a file, without a disk.
class FuzzFile {
 public:
  FuzzFile(const std::uint8_t* data, std::size_t size) : file_(memfd_create("fuzz", 0)) {
    if (file_ < 0 || write(file_, data, size) != static_cast<ssize_t>(size)) std::abort();
  }
  ~FuzzFile() { close(file_); }
  FuzzFile(const FuzzFile&) = delete;
  FuzzFile& operator=(const FuzzFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

/// What is refused is refused in words, as a wrong file or a wrong command.
template <class Action>
void expect_words(const Action& action) {
  try {
    action();
  } catch (const saltus::Error& error) {
    const bool ordinary = error.code() == saltus::ExitCode::file || error.code() == saltus::ExitCode::usage;
    if (!ordinary || std::string(error.what()).empty()) std::abort();
  }
}
