#include "saltus/result/digest.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace saltus {
namespace {

std::string hex(const Digest& digest) {
  std::string text;
  for (const std::uint8_t byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

// FIPS 180-4 and its examples (NIST, "SHA256.pdf"): one block, two blocks, nothing, a million letters.
TEST(Sha256, GivesTheDigestsOfTheStandard) {
  EXPECT_EQ(hex(Sha256().add("abc").digest()), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(Sha256().add("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq").digest()),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hex(Sha256().digest()), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex(Sha256().add(std::string(1'000'000, 'a')).digest()),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotDependOnHowTheTextIsCut) {
  const std::string text(200, 'x');
  for (std::size_t cut = 0; cut <= text.size(); ++cut)
    EXPECT_EQ(Sha256().add(text.substr(0, cut)).add(text.substr(cut)).digest(), Sha256().add(text).digest()) << cut;
}

}  // namespace
}  // namespace saltus
