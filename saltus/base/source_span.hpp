#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace saltus {

/// A text that diagnostics point into: the name that messages begin with, and its lines.
class SourceText {
 public:
  SourceText(std::string name, std::string text);
  SourceText(const SourceText&) = delete;  // the lines point into the text
  SourceText& operator=(const SourceText&) = delete;

  const std::string& name() const { return name_; }
  const std::string& text() const { return text_; }
  int line_count() const { return static_cast<int>(lines_.size()); }
  /// Line `number` (from 1) without its end of line; empty outside the text.
  std::string_view line(int number) const;

 private:
  std::string name_;
  std::string text_;
  std::vector<std::string_view> lines_;
};

/// A place in a text: a line and its first and last column, from 1, counted in characters (not bytes).
/// Line 0 means the text as a whole.
struct SourceSpan {
  std::shared_ptr<const SourceText> source;
  int line = 0;
  int first = 0;
  int last = 0;
};

}  // namespace saltus
