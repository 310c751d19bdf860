#include "saltus/base/source_span.hpp"

#include <algorithm>

namespace saltus {

SourceText::SourceText(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
  const std::string_view all = text_;
  std::size_t start = 0;
  while (start < all.size()) {
    const std::size_t end = std::min(all.find('\n', start), all.size());
    std::string_view line = all.substr(start, end - start);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines_.push_back(line);
    start = end + 1;
  }
}

std::string_view SourceText::line(int number) const {
  return number >= 1 && number <= line_count() ? lines_[static_cast<std::size_t>(number - 1)] : std::string_view();
}

}  // namespace saltus
