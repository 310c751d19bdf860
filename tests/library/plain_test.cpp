// What a build without LLVM, TBB, MPI and NetCDF consists of, and what it refuses.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <saltus/saltus.hpp>
#include <sstream>

namespace {

std::string loaded_libraries() {
  std::ostringstream text;
  text << std::ifstream("/proc/self/maps").rdbuf();
  return text.str();
}

TEST(PlainBuild, ConsistsOfNothingThatItDoesWithout) {
  saltus::LyapunovRequest request;
  request.model = "examples/bouncing_ball.toml";
  request.time = 10.0;
  run(request);
  const std::string libraries = loaded_libraries();
  ASSERT_THAT(libraries, testing::HasSubstr("libsaltus.so"));
  for (const char* part : {"LLVM", "libtbb", "libnetcdf", "libmpi", "saltus_codegen"}) {
    SCOPED_TRACE(part);
    EXPECT_EQ(libraries.find(part) == std::string::npos, SALTUS_PLAIN || part == std::string("libmpi"));
  }
}

TEST(PlainBuild, RefusesNetcdfAndWritesTheRest) {
  saltus::SimulateRequest request;
  request.model = "examples/bouncing_ball.toml";
  request.time = 1.0;
  request.samples = 3;
  const saltus::ResultFile file = result_file(run(request));
  const std::string place = testing::TempDir() + "saltus_plain_test";
  if (SALTUS_PLAIN) {
    EXPECT_THAT([&] { write_result(place + ".nc", file); },
                testing::ThrowsMessage<saltus::Error>(testing::HasSubstr("this build has no NetCDF")));
  } else {
    EXPECT_EQ(write_result(place + ".nc", file).size(), 1U);
    EXPECT_EQ(saltus::read_result(place + ".nc").variables.size(), file.variables.size());
  }
  for (const std::string& written : write_result(place + ".csv", file))
    EXPECT_TRUE(std::ifstream(written).good()) << written;
}

}  // namespace
