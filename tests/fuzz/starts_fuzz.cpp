// Any bytes as a list of starts: states of finite numbers, or words.

#include "saltus/driver/starts.hpp"
#include "tests/fuzz/fuzz_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const saltus::PreparedModel prepared = [] {
    saltus::Request request;
    request.model = "examples/vibrating_table.toml";
    return saltus::prepared(request);
  }();
  const std::string text(reinterpret_cast<const char*>(data), size);
  expect_words([&] {
    for (const saltus::ListedState& state : saltus::listed_states(text, "fuzz.csv", prepared))
      if (!state.x.allFinite() || static_cast<std::size_t>(state.x.size()) != prepared.model->dimension()) std::abort();
  });
  return 0;
}
