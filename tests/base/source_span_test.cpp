#include "saltus/base/source_span.hpp"

#include <gtest/gtest.h>

namespace saltus {
namespace {

TEST(SourceText, LinesAreFoundWhateverTheirEnds) {
  const SourceText text("a.toml", "one\r\ntwo\n\nfour");
  EXPECT_EQ(text.line_count(), 4);
  EXPECT_EQ(text.line(1), "one");
  EXPECT_EQ(text.line(2), "two");
  EXPECT_EQ(text.line(3), "");
  EXPECT_EQ(text.line(4), "four");
}

TEST(SourceText, OutsideTheTextLinesAreEmpty) {
  const SourceText text("a.toml", "one\n");
  EXPECT_EQ(text.line_count(), 1);
  EXPECT_EQ(text.line(0), "");
  EXPECT_EQ(text.line(2), "");
  EXPECT_EQ(SourceText("empty.toml", "").line_count(), 0);
}

}  // namespace
}  // namespace saltus
