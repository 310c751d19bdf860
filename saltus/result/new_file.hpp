#pragma once

#include <string>
#include <string_view>

namespace saltus {

/// A file that appears under its name only when it is complete: it is written beside it and renamed by `finish`. Without
/// `finish` nothing remains; what a killed run has left is removed by the next one in the same folder. A link is followed: its
/// target is replaced, never the link. What is no ordinary file, a file that may not be written and one that this run reads
/// are not replaced. Failures are Error(file), the last one Error(usage).
class NewFile {
 public:
  explicit NewFile(std::string path);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  /// Appends to what is written through the descriptor.
  void write(std::string_view text);
  /// The unfinished file under a name that holds no text of anybody's, for libraries that open files themselves.
  std::string handle() const;
  /// Why a library that was given the handle could not write: it does not tell a full disk from a missing permission.
  std::string trouble(const std::string& otherwise);
  /// On the disk, then under its name.
  void finish();

 private:
  std::string path_;  // as it was asked for, for messages
  std::string target_;  // behind all links
  std::string draft_;
  int file_ = -1;
};

/// For the handler of a signal that ends the program: what is unfinished goes.
void remove_drafts() noexcept;

/// Throws as NewFile does if no file of that name could be written; before a long computation rather than after it.
void require_writable(const std::string& path);

/// The whole text in one go.
void write_text(const std::string& path, const std::string& text);

}  // namespace saltus
