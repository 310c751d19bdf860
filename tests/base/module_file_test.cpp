#include "saltus/base/module_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace saltus {
namespace {

TEST(ModuleFile, IsLookedForFromWhereTheProgramStands) {
  const std::filesystem::path folder = std::filesystem::canonical("/proc/self/exe").parent_path();
  const std::vector<std::string> places = module_places("saltus_x.so");
  EXPECT_EQ(places.front(), (folder / "saltus" / "saltus_x.so").string());
  EXPECT_THAT(places, testing::Contains((folder.parent_path() / "lib" / "saltus_x.so").string()));
  EXPECT_THAT(places, testing::Contains((folder.parent_path() / "lib" / "saltus" / "saltus_x.so").string()));
}

TEST(ModuleFile, IsLookedForByItsNameLast) { EXPECT_EQ(module_places("saltus_x.so").back(), "saltus_x.so"); }

}  // namespace
}  // namespace saltus
