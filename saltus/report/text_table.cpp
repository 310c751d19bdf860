#include "saltus/report/text_table.hpp"

#include <algorithm>

#include "saltus/base/text.hpp"

namespace saltus {
namespace {

std::string padded(const std::string& text, int width) {
  return text + std::string(static_cast<std::size_t>(std::max(0, width - character_count(text))), ' ');
}

}  // namespace

std::vector<std::string> aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<int> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], character_count(row[i]));
  }
  std::vector<std::string> lines;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += padded(row[i], widths[i] + 2);
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string labelled_text(const std::vector<Labelled>& blocks) {
  int width = 0;
  for (const Labelled& block : blocks)
    if (!block.lines.empty()) width = std::max(width, character_count(block.label));
  std::string text;
  for (const Labelled& block : blocks) {
    for (std::size_t i = 0; i < block.lines.size(); ++i)
      text += padded(i == 0 ? block.label : "", width + 2) + block.lines[i] + "\n";
  }
  return text;
}

}  // namespace saltus
