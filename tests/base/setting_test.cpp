#include "saltus/base/setting.hpp"

#include <gtest/gtest.h>

#include "saltus/base/error.hpp"

namespace saltus {
namespace {

TEST(Setting, IsNamedAsTheFrontEndWritesIt) {
  const std::string message = "⟨at-impacts⟩ is given beside ⟨surface⟩\n  use ⟨time⟩ T";
  EXPECT_EQ(said(message), "at-impacts is given beside surface\n  use time T");
  EXPECT_STREQ(usage("leave ⟨vary⟩ out").what(), "leave vary out");
  name_settings_with("--");
  EXPECT_EQ(said(message), "--at-impacts is given beside --surface\n  use --time T");
  EXPECT_STREQ(usage("leave ⟨vary⟩ out").what(), "leave --vary out");
  name_settings_with("");
}

TEST(Setting, IsTheNameOfOneAndNothingElse) {
  for (const std::string text : {"", "plain", "⟨", "⟩", "⟨⟩", "⟨x⁻, x⁺⟩", "⟨Time⟩", "⟨time", "⟨⟨", "a ⟨b c⟩ d"})
    EXPECT_EQ(said(text), text);
  EXPECT_EQ(said("⟨⟨time⟩⟩"), "⟨time⟩");
}

}  // namespace
}  // namespace saltus
