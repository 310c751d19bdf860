#pragma once

#include <string>

namespace saltus {

/// A file that appears under its name only when it is complete: it is written beside it and renamed by `finish`. Without
/// `finish` nothing remains. Failures are Error(file).
class NewFile {
 public:
  explicit NewFile(std::string path);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  /// Where to write meanwhile.
  const std::string& draft() const { return draft_; }
  void finish();

 private:
  std::string path_;
  std::string draft_;
};

/// Throws Error(file) if no file of that name could be written; before a long computation rather than after it.
void require_writable(const std::string& path);

/// The whole text in one go.
void write_text(const std::string& path, const std::string& text);

}  // namespace saltus
