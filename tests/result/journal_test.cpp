#include "saltus/result/journal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "saltus/base/error.hpp"

namespace saltus {
namespace {

const JournalIdentity identity = {{"program", "saltus 1"}, {"model", "a\nb"}, {"rtol", "1e-10"}};

class JournalFile : public testing::Test {
 protected:
  void SetUp() override {
    path_ = (std::filesystem::temp_directory_path() / ("journal_test_" + std::to_string(getpid()))).string();
    std::remove(path_.c_str());
  }
  void TearDown() override { std::remove(path_.c_str()); }

  std::string complaint(const JournalIdentity& other, Journal::Mode mode) {
    try {
      const Journal journal(path_, other, mode);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      return error.what();
    }
    return "";
  }
  std::string path_;
};

TEST_F(JournalFile, KeepsItsPiecesForTheNextRun) {
  {
    Journal journal(path_, identity, Journal::Mode::begin);
    journal.append(7, std::vector{1.0, -0.0, 1e-300});
    journal.append(3, std::vector<double>{});
    EXPECT_EQ(journal.synced(), 0U);
    journal.sync();
    EXPECT_EQ(journal.synced(), 2U);
  }
  const Journal again(path_, identity, Journal::Mode::resume);
  EXPECT_EQ(again.size(), 2U);
  EXPECT_TRUE(again.has(3));
  EXPECT_FALSE(again.has(4));
  EXPECT_EQ(again.read(7), (std::vector{1.0, -0.0, 1e-300}));
}

TEST_F(JournalFile, CutAtAnyByteKeepsTheRecordsThatAreWhole) {
  std::uintmax_t after_header = 0;
  std::uintmax_t after_first = 0;
  {
    Journal journal(path_, identity, Journal::Mode::begin);
    after_header = std::filesystem::file_size(path_);
    journal.append(0, std::vector{1.5, 2.5});
    after_first = std::filesystem::file_size(path_);
    journal.append(1, std::vector{3.5});
  }
  const std::uintmax_t whole = std::filesystem::file_size(path_);
  for (std::uintmax_t size = whole; size-- > 0;) {
    std::filesystem::resize_file(path_, size);
    Journal journal(path_, identity, Journal::Mode::resume);
    EXPECT_EQ(journal.size(), size >= after_first ? 1U : 0U) << size;
    if (size == after_first - 1) { EXPECT_EQ(std::filesystem::file_size(path_), after_header); }
  }
}

TEST_F(JournalFile, ARecordWithAWrongByteIsNotThere) {
  {
    Journal journal(path_, identity, Journal::Mode::begin);
    journal.append(0, std::vector{1.5, 2.5});
  }
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-3, std::ios::end);
  file.put('x');
  file.close();
  EXPECT_EQ(Journal(path_, identity, Journal::Mode::resume).size(), 0U);
}

TEST_F(JournalFile, OfAnotherModelOrOtherSettingsIsRefusedAndSaysWhy) {
  { const Journal journal(path_, identity, Journal::Mode::begin); }
  JournalIdentity other = identity;
  other[2].second = "1e-9";
  EXPECT_THAT(complaint(other, Journal::Mode::resume), testing::HasSubstr("it has rtol=1e-10, this command rtol=1e-9"));
  other = identity;
  other[1].second = "a\nc";
  EXPECT_THAT(complaint(other, Journal::Mode::resume), testing::HasSubstr("the text of the model is another one"));
  other = identity;
  other[0].second = "saltus 2";
  EXPECT_THAT(complaint(other, Journal::Mode::resume), testing::HasSubstr("program=saltus 1"));
}

TEST_F(JournalFile, IsNotOverwrittenWithoutBeingAsked) {
  { const Journal journal(path_, identity, Journal::Mode::begin); }
  EXPECT_THAT(complaint(identity, Journal::Mode::begin), testing::HasSubstr("add ⟨resume⟩ to continue it"));
}

TEST_F(JournalFile, IsUsedByOneRunAtATime) {
  const Journal journal(path_, identity, Journal::Mode::begin);
  EXPECT_THAT(complaint(identity, Journal::Mode::resume), testing::HasSubstr("in use by another run"));
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void put_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

TEST_F(JournalFile, RecordsCannotBeExchangedRepeatedOrLeftOut) {
  std::uintmax_t header = 0;
  {
    Journal journal(path_, identity, Journal::Mode::begin);
    header = std::filesystem::file_size(path_);
    for (const std::uint64_t key : {0, 1, 2}) journal.append(key, std::vector{static_cast<double>(key), 7.0});
  }
  const std::string whole = bytes_of(path_);
  const std::size_t size = (whole.size() - header) / 3;
  const auto record = [&](std::size_t k) { return whole.substr(header + k * size, size); };
  const std::string head = whole.substr(0, header);
  const auto kept = [&](const std::string& bytes) {
    put_bytes(path_, bytes);
    return Journal(path_, identity, Journal::Mode::resume).size();
  };
  EXPECT_EQ(kept(whole), 3U);
  EXPECT_EQ(kept(head + record(1) + record(0) + record(2)), 0U) << "each was whole where it stood";
  EXPECT_EQ(kept(head + record(0) + record(2)), 1U);
  EXPECT_EQ(kept(head + record(0) + record(0)), 1U);
}

TEST_F(JournalFile, EveryByteOfARecordCounts) {
  std::uintmax_t header = 0;
  {
    Journal journal(path_, identity, Journal::Mode::begin);
    header = std::filesystem::file_size(path_);
    journal.append(5, std::vector{1.5, 2.5});
  }
  const std::string whole = bytes_of(path_);
  for (std::size_t at = header; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 4);
    put_bytes(path_, changed);
    EXPECT_EQ(Journal(path_, identity, Journal::Mode::resume).size(), 0U) << at;
  }
}

TEST_F(JournalFile, ARecordThatCannotBeOfThisWorkIsRefused) {
  {
    Journal journal(path_, identity, Journal::Mode::begin);
    journal.append(1'000'000, std::vector{1.5});
  }
  const auto below_ten = [](std::uint64_t key, std::span<const double>) { return key < 10; };
  try {
    const Journal journal(path_, identity, Journal::Mode::resume, below_ten);
    FAIL() << "a record of piece 1000000 of ten was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::file);
    EXPECT_THAT(error.what(), testing::HasSubstr("its record 1 is of piece 1000000"));
  }
}

TEST_F(JournalFile, AHeaderThatPromisesMoreThanThereIsIsReadNoFurther) {
  put_bytes(path_, "saltus journal 2\nffffffffffffffff\nprogram=saltus 1\n");
  EXPECT_THAT(complaint(identity, Journal::Mode::resume), testing::HasSubstr("belongs to another computation"));
}

}  // namespace
}  // namespace saltus
