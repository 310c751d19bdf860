#include "saltus/report/text_table.hpp"

#include <gtest/gtest.h>

namespace saltus {
namespace {

TEST(TextTable, ColumnsAreAsWideAsTheirWidestCellCountedInCharacters) {
  const std::vector<std::string> lines = aligned({{"ψ", "= 0"}, {"gravity", "= 9.81", "m"}, {"last"}});
  EXPECT_EQ(lines, (std::vector<std::string>{"ψ        = 0", "gravity  = 9.81  m", "last"}));
}

TEST(TextTable, ALabelStandsBesideItsFirstLineAndLabelsWithoutLinesAreLeftOut) {
  EXPECT_EQ(labelled_text({{"contacts", {}}, {"cases", {"a", "b"}}, {"start", {"c"}}}),
            "cases  a\n       b\nstart  c\n");
}

}  // namespace
}  // namespace saltus
