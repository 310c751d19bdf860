#include "saltus/result/new_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "saltus/base/error.hpp"
#include "saltus/base/input_file.hpp"

namespace saltus {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

class NewFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "saltus_new_file_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string text(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  std::string complaint(const std::string& name, ExitCode code) const {
    try {
      write_text(path(name), "new");
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code);
      return error.what();
    }
    return "";
  }
  fs::path folder_;
};

TEST_F(NewFiles, AppearWholeOrNotAtAll) {
  write_text(path("a.csv"), "old");
  {
    NewFile file(path("a.csv"));
    file.write("half of the n");
    EXPECT_EQ(text("a.csv"), "old");
  }
  EXPECT_EQ(text("a.csv"), "old");
  EXPECT_EQ(files(), 1U);
  write_text(path("a.csv"), "new");
  EXPECT_EQ(text("a.csv"), "new");
}

TEST_F(NewFiles, FollowLinksAndNeverReplaceThem) {
  write_text(path("real.csv"), "old");
  fs::create_symlink("real.csv", path("link.csv"));
  fs::create_symlink("nowhere_yet.csv", path("dangling.csv"));
  write_text(path("link.csv"), "new");
  write_text(path("dangling.csv"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link.csv")));
  EXPECT_EQ(text("real.csv"), "new");
  EXPECT_EQ(text("nowhere_yet.csv"), "new");
}

TEST_F(NewFiles, LoopsLongNamesAndSpecialFilesAreRefusedInWords) {
  fs::create_symlink("b", path("a"));
  fs::create_symlink("a", path("b"));
  EXPECT_THAT(complaint("a", ExitCode::file), HasSubstr("Too many levels of symbolic links"));
  EXPECT_THAT(complaint(std::string(300, 'x'), ExitCode::file), HasSubstr("File name too long"));
  EXPECT_THAT(complaint("no/such/folder", ExitCode::file), HasSubstr("No such file or directory"));
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_THAT(complaint("pipe", ExitCode::file), HasSubstr("it is no ordinary file"));
  EXPECT_TRUE(fs::is_fifo(path("pipe")));
}

TEST_F(NewFiles, KeepThePermissionsOfWhatTheyReplace) {
  write_text(path("a"), "old");
  ASSERT_EQ(chmod(path("a").c_str(), 0640), 0);
  write_text(path("a"), "new");
  EXPECT_EQ(fs::status(path("a")).permissions(), fs::perms(0640));
}

TEST_F(NewFiles, DoNotReplaceWhatIsReadByWhateverName) {
  write_text(path("model.toml"), "old");
  fs::create_symlink("model.toml", path("link.toml"));
  fs::create_hard_link(path("model.toml"), path("hard.toml"));
  keep_input(path("link.toml"));
  for (const char* name : {"model.toml", "link.toml", "hard.toml"})
    EXPECT_THAT(complaint(name, ExitCode::usage), HasSubstr("is read by this command")) << name;
  EXPECT_EQ(text("model.toml"), "old");
}

TEST_F(NewFiles, RemoveWhatAKilledRunHasLeft) {
  const pid_t child = fork();
  if (child == 0) {
    const NewFile file(path("a"));
    _exit(0);  // as if killed: nothing is cleaned up
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(files(), 1U) << "the draft of the other process";
  const NewFile living(path("b"));
  EXPECT_EQ(files(), 1U) << "its own draft only";
  write_text(path("c"), "text");
  EXPECT_EQ(files(), 2U) << "drafts of the living stay";
}

}  // namespace
}  // namespace saltus
