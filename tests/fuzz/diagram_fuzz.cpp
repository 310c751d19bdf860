// Any bytes as a NetCDF file, such as --over and --from read: the library may crash in its own process, not in this one.

#include "saltus/result/result_file.hpp"
#include "tests/fuzz/fuzz_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const FuzzFile file(data, size);
  expect_words([&] { saltus::read_result(file.path()); });
  return 0;
}
