#include "saltus/base/setting.hpp"

#include <gtest/gtest.h>

namespace saltus {
namespace {

TEST(Setting, IsNamedAsTheFrontEndWritesIt) {
  const std::string message = "⟨at-impacts⟩ is given beside ⟨surface⟩\n  use ⟨time⟩ T";
  EXPECT_EQ(said(message), message);
  name_settings_with("--");
  EXPECT_EQ(said(message), "--at-impacts is given beside --surface\n  use --time T");
  EXPECT_EQ(said(said(message)), said(message));
  name_settings_with("");
  EXPECT_EQ(said(message), "at-impacts is given beside surface\n  use time T");
}

TEST(Setting, IsTheNameOfOneAndNothingElse) {
  name_settings_with("--");
  for (const std::string text : {"", "plain", "⟨", "⟩", "⟨⟩", "⟨x⁻, x⁺⟩", "⟨Time⟩", "⟨time", "⟨⟨", "a ⟨b c⟩ d"})
    EXPECT_EQ(said(text), text);
  EXPECT_EQ(said("⟨⟨time⟩⟩"), "⟨--time⟩");
}

}  // namespace
}  // namespace saltus
