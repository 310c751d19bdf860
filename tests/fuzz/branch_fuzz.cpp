// Any bytes as a branch of `saltus continue`, beginning with files that it wrote.

#include "tests/fuzz/stored_orbits.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read_as_orbits(data, size);
  return 0;
}
