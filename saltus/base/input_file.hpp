#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>

namespace saltus {

/// All of a file, a pipe or, for "-", standard input, which may be read once. A folder,
/// more than `most` bytes and whatever the system says are Error(file): "cannot read 'NAME': …".
std::string input_text(const std::string& path, std::size_t most);

/// Does the name stand for a stream, which can be read only once?
bool is_stream(const std::string& path);

/// This run reads the file: no result replaces it, by whatever name.
void keep_input(const std::string& path);
bool is_input(dev_t device, ino_t number);

}  // namespace saltus
