// Any bytes as what follows the header of a journal, and as a whole journal: what is taken from it can be read.

#include "saltus/result/journal.hpp"
#include "tests/fuzz/fuzz_file.hpp"

namespace {

const saltus::JournalIdentity identity = {{"program", "saltus"}, {"model", "a"}};

/// As a run with --resume would.
void resume(const std::string& bytes) {
  const FuzzFile file(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  expect_words([&] {
    saltus::Journal journal(file.path(), identity, saltus::Journal::Mode::resume,
                            [](std::uint64_t key, std::span<const double>) { return key < 100; });
    if (journal.size() > 100) std::abort();
    for (std::uint64_t key = 0; key < 100; ++key)
      if (journal.has(key)) journal.read(key);
    if (!journal.has(100)) journal.append(100, std::vector{1.0});
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  resume(bytes);
  const std::string text = "program=saltus\nmodel=a\n";
  resume("saltus journal 2\n0000000000000017\n" + text + bytes);
  return 0;
}
