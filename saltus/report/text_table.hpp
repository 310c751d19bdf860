#pragma once

#include <string>
#include <vector>

namespace saltus {

/// Rows of cells as lines of text, each column as wide as its widest cell and two blanks from the next. Widths count
/// characters, not bytes. A row may have fewer cells than others.
std::vector<std::string> aligned(const std::vector<std::vector<std::string>>& rows);

/// Lines that belong under one heading.
struct Labelled {
  std::string label;
  std::vector<std::string> lines;
};

/// Each label at the left of its first line, all lines beginning in the same column. Labels without lines are left out.
std::string labelled_text(const std::vector<Labelled>& blocks);

}  // namespace saltus
