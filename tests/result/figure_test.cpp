#include "saltus/result/figure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "saltus/base/error.hpp"

namespace saltus {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr double gap = std::numeric_limits<double>::quiet_NaN();

Figure two_panels() {
  return {"Ball's flight",
          {{"t", "z", {{"", Stroke::line, {0, 1}, {1, 0.5}}, {"impacts", Stroke::marks, {}, {}}}},
           {"t", "v", {{"wall", Stroke::wall, {0, gap, 2}, {3, gap, 4}}}}}};
}

TEST(Figure, EveryCurveIsABlockOfTheDataAlsoWithoutPoints) {
  EXPECT_EQ(gnuplot_data(two_panels()), "# z\n0 1\n1 0.5\n\n\n# impacts\nnan nan\n\n\n# wall\n0 3\nnan nan\n2 4\n\n\n");
}

TEST(Figure, TheScriptNamesItsFilesAndCountsTheBlocksThroughAllPanels) {
  const std::string script = gnuplot_script(two_panels(), "ball.svg", "ball.dat");
  EXPECT_THAT(script, HasSubstr("set output 'ball.svg'"));
  EXPECT_THAT(script, HasSubstr("'ball.dat' index 0"));
  EXPECT_THAT(script, HasSubstr("'ball.dat' index 1"));
  EXPECT_THAT(script, HasSubstr("'ball.dat' index 2"));
  EXPECT_THAT(script, HasSubstr("layout 2,1"));
}

TEST(Figure, ATextOfTheModelCannotBecomeACommandOfTheScript) {
  Figure figure = two_panels();
  figure.title = "'; system('touch stolen'); `touch stolen`\nquit";
  const std::string script = gnuplot_script(figure, "ball.svg", "ball.dat");
  EXPECT_THAT(script, HasSubstr("'''; system(''touch stolen''); `touch stolen`?quit'"));
  EXPECT_THAT(script, Not(HasSubstr("\nquit")));
}

TEST(Figure, ThePictureIsDrawnAndItsScriptAndDataStayBesideIt) {
  const auto folder = std::filesystem::temp_directory_path() / "saltus_figure_test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  for (const char* name : {"ball.svg", "ball.png", "ball.pdf"}) {
    draw(two_panels(), (folder / name).string());
    EXPECT_GT(std::filesystem::file_size(folder / name), 1000U) << name;
  }
  EXPECT_TRUE(std::filesystem::exists(folder / "ball.gp"));
  EXPECT_TRUE(std::filesystem::exists(folder / "ball.dat"));
  std::filesystem::remove_all(folder);
}

TEST(Figure, AMissingGnuplotIsAFileErrorWithARemedyAndTheScriptIsKept) {
  const auto folder = std::filesystem::temp_directory_path() / "saltus_figure_without_gnuplot";
  std::filesystem::create_directories(folder);
  const std::string old_path = std::getenv("PATH");
  setenv("PATH", "/nowhere", 1);
  try {
    draw(two_panels(), (folder / "ball.svg").string());
    ADD_FAILURE() << "drawn without gnuplot";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::file);
    EXPECT_THAT(error.what(), HasSubstr("gnuplot is not installed\n  install it"));
  }
  setenv("PATH", old_path.c_str(), 1);
  EXPECT_TRUE(std::filesystem::exists(folder / "ball.gp"));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace saltus
