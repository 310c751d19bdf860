#include "saltus/base/diagnostic.hpp"

#include <gtest/gtest.h>

namespace saltus {
namespace {

std::shared_ptr<const SourceText> bouncing_ball() {
  std::string text;
  for (int line = 1; line < 14; ++line) text += "\n";
  return std::make_shared<SourceText>("bouncing_ball.toml", text + "gap = \"z - heigth*cos(omega*t)\"\n");
}

Diagnostic unknown_name() {
  return {.span = {bouncing_ball(), 14, 12, 17},
          .message = "unknown name 'heigth' in the gap of contact 'floor'",
          .expected = "a coordinate (z), a parameter (gravity, height, omega), a definition or the time t",
          .suggestion = "did you mean 'height'?"};
}

TEST(Diagnostic, AnUnknownNameIsShownInItsLineWithCaretExpectationAndSuggestion) {
  // The example of the style guide; 'h' is the twelfth character of the line, and there the caret stands.
  EXPECT_EQ(rendered(unknown_name()),
            "bouncing_ball.toml:14:12: error: unknown name 'heigth' in the gap of contact 'floor'\n"
            "  14 | gap = \"z - heigth*cos(omega*t)\"\n"
            "     |            ^~~~~~\n"
            "  expected a coordinate (z), a parameter (gravity, height, omega), a definition or the time t\n"
            "  did you mean 'height'?\n");
}

TEST(Diagnostic, TheCaretStandsUnderTheCharacterEvenBehindGreekLettersAndTabs) {
  const auto source = std::make_shared<SourceText>("m.toml", "ψ\t= \"ω + x\"\n");
  EXPECT_EQ(rendered(Diagnostic{.span = {source, 1, 10, 10}, .message = "unknown name 'x'"}),
            "m.toml:1:10: error: unknown name 'x'\n"
            "  1 | ψ = \"ω + x\"\n"
            "    |          ^\n");
}

TEST(Diagnostic, AMessageAboutTheWholeFileHasNoLine) {
  const auto source = std::make_shared<SourceText>("m.toml", "title = 1\n");
  EXPECT_EQ(rendered(Diagnostic{.severity = Severity::warning, .span = {source}, .message = "no mechanics"}),
            "m.toml: warning: no mechanics\n");
  EXPECT_EQ(rendered(Diagnostic{.message = "no file"}), "error: no file\n");
}

TEST(Diagnostic, ASecondPlaceIsANoteOfTheSameShape) {
  const auto source = std::make_shared<SourceText>("m.toml", "a = 1\na = 2\n");
  const Diagnostic note{.severity = Severity::note, .span = {source, 1, 1, 1}, .message = "'a' is first given here"};
  EXPECT_EQ(rendered(Diagnostic{.span = {source, 2, 1, 1}, .message = "'a' is given twice", .notes = {note}}),
            "m.toml:2:1: error: 'a' is given twice\n  2 | a = 2\n    | ^\n"
            "m.toml:1:1: note: 'a' is first given here\n  1 | a = 1\n    | ^\n");
}

TEST(Diagnostic, OfAVeryLongLineOnlyTheSurroundingsAreShown) {
  const std::string line = std::string(500, 'x') + "heigth" + std::string(500, 'y');
  const auto source = std::make_shared<SourceText>("m.toml", line);
  const std::string text = rendered(Diagnostic{.span = {source, 1, 501, 506}, .message = "unknown name"});
  EXPECT_EQ(text, "m.toml:1:501: error: unknown name\n  1 | …" + std::string(80, 'x') + "heigth" +
                      std::string(74, 'y') + "…\n    |  " + std::string(80, ' ') + "^~~~~~\n");
}

TEST(Diagnostic, MessagesComeInFileOrderEachOnce) {
  const auto source = std::make_shared<SourceText>("m.toml", "a\nb\n");
  const Diagnostic first{.span = {source, 1, 1, 1}, .message = "first"};
  const Diagnostic other{.span = {source, 1, 1, 1}, .message = "other"};
  const Diagnostic last{.span = {source, 2, 1, 1}, .message = "last"};
  const Diagnostic all[] = {last, first, other, first, last};
  EXPECT_EQ(rendered(all), rendered(first) + rendered(other) + rendered(last));
}

TEST(Diagnostic, BeyondTheLimitTheRestIsCounted) {
  const auto source = std::make_shared<SourceText>("m.toml", std::string(30, '\n'));
  std::vector<Diagnostic> all;
  for (int line = 1; line <= 23; ++line) all.push_back({.span = {source, line, 1, 1}, .message = "wrong"});
  const std::string text = rendered(all);
  EXPECT_NE(text.find("m.toml:20:1"), std::string::npos);
  EXPECT_EQ(text.find("m.toml:21:1"), std::string::npos);
  EXPECT_TRUE(text.ends_with("… and 3 more\n"));
}

TEST(Diagnostic, OnlyErrorsCountAsErrors) {
  const Diagnostic warning{.severity = Severity::warning, .message = "odd"};
  EXPECT_FALSE(has_errors({&warning, 1}));
  const Diagnostic both[] = {warning, {.message = "wrong"}};
  EXPECT_TRUE(has_errors(both));
}

}  // namespace
}  // namespace saltus
