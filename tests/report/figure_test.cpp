#include "saltus/report/figure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <numbers>

#include "saltus/base/error.hpp"
#include "saltus/report/gnuplot_script.hpp"
#include "saltus/report/level_curves.hpp"

namespace saltus {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr double gap = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

std::string script_of(const Figure& figure, const std::string& ending = ".svg") {
  return gnuplot_script(figure, gnuplot_data(figure), ending);
}

/// Draws into a folder that is removed afterwards; SALTUS_FIGURES=FOLDER keeps the pictures, to be looked at.
class Pictures : public testing::Test {
 protected:
  void SetUp() override {
    const char* kept = std::getenv("SALTUS_FIGURES");
    keep_ = kept != nullptr;
    folder_ = keep_ ? std::filesystem::path(kept)
                    : std::filesystem::temp_directory_path() /
                          (std::string("saltus_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override {
    if (!keep_) std::filesystem::remove_all(folder_);
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  /// A drawn picture is more than an empty frame.
  void expect_drawn(const Figure& figure, const std::string& name) const {
    draw(figure, path(name));
    EXPECT_GT(std::filesystem::file_size(path(name)), 4000U) << name;
  }

 private:
  std::filesystem::path folder_;
  bool keep_ = false;
};

Figure two_panels() {
  return {"Ball's flight",
          {{"t", "z", {{"", Stroke::line, {0, 1}, {1, 0.5}}, {"impacts", Stroke::marks, {}, {}}}},
           {"t", "v", {{"wall", Stroke::wall, {0, gap, 2}, {3, gap, 4}}}}}};
}

TEST(Figure, EveryCurveIsABlockOfTheDataAlsoWithoutPoints) {
  EXPECT_EQ(gnuplot_data(two_panels()).text,
            "# z\n0 1\n1 0.5\n\n\n# impacts\nnan nan\n\n\n# wall\n0 3\nnan nan\n2 4\n\n\n");
  EXPECT_TRUE(gnuplot_data(two_panels()).binary.empty());
}

TEST(Figure, TheScriptCountsTheBlocksThroughAllPanelsAndTakesTheNamesOfFilesFromItsOwn) {
  const std::string script = script_of(two_panels());
  EXPECT_THAT(script, HasSubstr("set output stem.'.svg'"));
  EXPECT_THAT(script, HasSubstr("text_data index 0"));
  EXPECT_THAT(script, HasSubstr("text_data index 1"));
  EXPECT_THAT(script, HasSubstr("text_data index 2"));
}

TEST(Figure, ATextOfTheModelCannotBecomeACommandOfTheScript) {
  Figure figure = two_panels();
  figure.title = "'; system('touch stolen'); `touch stolen`\nquit";
  figure.panels[0].curves.push_back({.label = "", .stroke = Stroke::names, .x = {0}, .y = {0}, .names = {"'\nquit"}});
  figure.panels[1].image = Image{{0, 1}, {0, 1}, {0, 1, gap, 0}};
  figure.panels[1].colours = {.palette = Palette::categorical, .names = {"'\nquit", "b"}, .missing = "'\nquit"};
  const std::string script = script_of(figure);
  // In double quotes, with quotes, backquotes, backslashes and @ as the numbers of their characters.
  EXPECT_THAT(script, HasSubstr(R"("\047; system(\047touch stolen\047); \140touch stolen\140\nquit")"));
  EXPECT_THAT(script, HasSubstr(R"(set label "\047\nquit")"));
  EXPECT_THAT(script, HasSubstr(R"(title "\047\nquit")"));
  EXPECT_THAT(script, Not(HasSubstr("\nquit")));
}

TEST(Figure, LongCurvesAndImagesAreRowsOfDoublesInTheOrderOfTheFigure) {
  std::vector<double> many(most_lines + 1, 2.0);
  Figure figure{"", {{"x", "y", {{.label = "", .stroke = Stroke::dots, .x = many, .y = many, .values = many}}}}};
  figure.panels[0].image = Image{{0, 1, 2}, {5, 6}, {1, 2, 3, 4, gap, -inf}};
  const GnuplotData data = gnuplot_data(figure);
  EXPECT_TRUE(data.text.empty());
  ASSERT_EQ(data.binary.size(), 6 * 8 + many.size() * 3 * 8);
  EXPECT_EQ(data.image_offsets, std::vector<std::size_t>{0});
  ASSERT_EQ(data.curves.size(), 1U);
  EXPECT_FALSE(data.curves[0].block);
  EXPECT_EQ(data.curves[0].offset, 48U);
  EXPECT_EQ(data.curves[0].columns, 3U);
  double last_pixel = 0.0;
  std::memcpy(&last_pixel, data.binary.data() + 40, 8);
  EXPECT_EQ(last_pixel, 1.0) << "minus infinity has the colour of the lowest value";
  EXPECT_THAT(script_of(figure), HasSubstr("binary skip=48 record=(20001) format='%3float64'"));
}

TEST(Figure, TheColourScaleEndsAtTheFiniteDataUnlessItIsTold) {
  Panel panel{"x", "y", {}};
  panel.image = Image{{0, 1}, {0, 1}, {-3, inf, gap, 5}};
  EXPECT_EQ(colour_range(panel).from, -3.0);
  EXPECT_EQ(colour_range(panel).to, 5.0);
  panel.colours.low = -1.0;
  EXPECT_EQ(colour_range(panel).from, -1.0);
  panel.image->values = {7, 7, 7, 7};
  panel.colours.low = {};
  EXPECT_LT(colour_range(panel).from, colour_range(panel).to) << "one value alone still needs a bar of some length";
}

TEST(Figure, ABandHasTheColourOfTheLineBehindItAndTheNextLineAnother) {
  const Figure figure{"",
                      {{"t",
                        "l",
                        {{.label = "", .stroke = Stroke::band, .x = {0, 1}, .y = {0, 0}, .upper = {1, 1}},
                         {"first", Stroke::line, {0, 1}, {0.5, 0.5}},
                         {"second", Stroke::line, {0, 1}, {0.2, 0.2}}}}}};
  const std::string script = script_of(figure);
  EXPECT_THAT(script, HasSubstr("using 1:2:3 with filledcurves fc rgb '#0072B2'"));
  EXPECT_THAT(script, HasSubstr("lc rgb '#0072B2' title \"first\""));
  EXPECT_THAT(script, HasSubstr("lc rgb '#D55E00' title \"second\""));
}

TEST(Figure, ACommonAxisIsLabelledOnceAndHasOneRange) {
  Figure figure{"",
                {{"t", "a", {{"", Stroke::line, {0, 1}, {0, 1}}}}, {"t", "b", {{"", Stroke::line, {-2, 0}, {0, 1}}}}}};
  figure.x_axis = Abscissa::common;
  const std::string script = script_of(figure);
  EXPECT_EQ(script.find("\nset xlabel"), script.rfind("\nset xlabel"));
  EXPECT_THAT(script.substr(0, script.find("plot text_data")), HasSubstr("set xrange [-2:1]"));
}

TEST(LevelCurve, OfAPlaneIsTheStraightLineOfItsEquation) {
  Image grid{{0, 1, 2}, {0, 1}, {}};
  for (const double y : grid.y)
    for (const double x : grid.x) grid.values.push_back(x + 0.5 * y);
  const Curve curve = level_curve(grid, 0.75);
  ASSERT_EQ(curve.x.size(), 3U);  // one cell is crossed
  for (const std::size_t i : {0U, 1U}) EXPECT_NEAR(curve.x[i] + 0.5 * curve.y[i], 0.75, 1e-15);
  EXPECT_TRUE(std::isnan(curve.x[2]));
}

TEST(LevelCurve, LeavesOutCellsWithoutAValueAndCutsASaddleAtItsMean) {
  EXPECT_TRUE(level_curve({{0, 1}, {0, 1}, {0, gap, 1, 0}}, 0.5).x.empty());
  // Corners (0,0) and (1,1) are high; the mean 0.6 is above 0.5, so the low corners (1,0) and (0,1) are cut off.
  const Curve saddle = level_curve({{0, 1}, {0, 1}, {1.2, 0, 0, 1.2}}, 0.5);
  ASSERT_EQ(saddle.x.size(), 6U);
  for (const std::size_t piece : {0U, 3U}) {
    const double x = 0.5 * (saddle.x[piece] + saddle.x[piece + 1]);
    const double y = 0.5 * (saddle.y[piece] + saddle.y[piece + 1]);
    EXPECT_GT(std::abs(x - y), 0.5) << "a piece near a low corner";
  }
}

TEST_F(Pictures, AreDrawnAndTheirScriptsAndDataStayBesideThem) {
  for (const char* name : {"ball.svg", "ball.png", "ball.pdf"}) expect_drawn(two_panels(), name);
  EXPECT_TRUE(std::filesystem::exists(path("ball.gp")));
  EXPECT_TRUE(std::filesystem::exists(path("ball.dat")));
  EXPECT_FALSE(std::filesystem::exists(path("ball.bin")));
}

TEST_F(Pictures, ShowLinesBandsDashesStemsNamesAndReferenceLines) {
  Panel panel{"t", "exponents", {}};
  Curve band{.label = "", .stroke = Stroke::band};
  Curve line{"λ1", Stroke::line};
  Curve dashed{"unstable", Stroke::dashed};
  for (int k = 1; k <= 200; ++k) {
    const double t = 0.5 * k;
    const double error = 0.4 / std::sqrt(t);
    line.x.push_back(t);
    line.y.push_back(0.3 + 0.5 * std::sin(t) / t);
    band.x.push_back(t);
    band.y.push_back(line.y.back() - error);
    band.upper.push_back(line.y.back() + error);
    dashed.x.push_back(t);
    dashed.y.push_back(-0.2 + 0.001 * t);
  }
  panel.curves = {band,
                  line,
                  dashed,
                  {"stems", Stroke::stems, {10, 20, 30}, {0.2, -0.1, 0.3}},
                  {.label = "", .stroke = Stroke::names, .x = {40, 70}, .y = {0.31, -0.13}, .names = {"LP", "PD 2"}}};
  panel.horizontals = {0.0, 0.306};
  panel.verticals = {50.0};
  expect_drawn({"Convergence", {panel}}, "lines.svg");
  expect_drawn({"Convergence", {panel}}, "lines.png");
}

Image waves(std::size_t columns, std::size_t rows) {
  Image image;
  for (std::size_t i = 0; i < columns; ++i) image.x.push_back(-2.0 + 4.0 * double(i) / double(columns - 1));
  for (std::size_t j = 0; j < rows; ++j) image.y.push_back(-1.0 + 2.0 * double(j) / double(rows - 1));
  for (const double y : image.y)
    for (const double x : image.x) image.values.push_back(x * x - 1.3 + 0.5 * std::sin(4 * y));
  return image;
}

TEST_F(Pictures, ShowImagesInEveryPaletteWithMissingPixelsAndLevelCurves) {
  Figure figure{"Palettes", {}};
  figure.columns = 2;
  Panel sequential{"q1", "ω", {}};
  sequential.image = waves(80, 60);
  sequential.colours = {.palette = Palette::sequential, .label = "impacts per time"};
  Panel diverging = sequential;
  for (std::size_t k = 0; k < 500; ++k) diverging.image->values[k * 7] = gap;
  for (std::size_t k = 4300; k < 4350; ++k) diverging.image->values[k] = -inf;
  diverging.colours = {.palette = Palette::diverging, .label = "largest exponent", .missing = "no result"};
  for (const double level : {0.0, 1.0}) diverging.curves.push_back(level_curve(*sequential.image, level));
  Panel categorical = sequential;
  for (double& value : categorical.image->values) value = value > 0.9 ? gap : std::floor(value + 2.0);
  categorical.colours = {
      .palette = Palette::categorical, .names = {"equilibrium", "periodic", "chaotic", "never"}, .missing = "stopped"};
  Panel areas{"α",
              "β",
              {{.label = "unstable",
                .stroke = Stroke::area,
                .x = {0, 1, 0.5, gap, 2, 3, 3, 2},
                .y = {0, 0, 1, gap, 0, 0, 1, 1}},
               {"", Stroke::level, {0, 3}, {0.2, 0.8}}}};
  figure.panels = {sequential, diverging, categorical, areas};
  EXPECT_THAT(script_of(figure), Not(HasSubstr("\"never\""))) << "only what occurs is in the legend";
  for (const char* name : {"images.svg", "images.png", "images.pdf"}) expect_drawn(figure, name);
}

TEST_F(Pictures, ShowDotsByColourByValueAndMultipliersInTheUnitCircle) {
  Curve up{.label = "upwards", .stroke = Stroke::dots};
  Curve down{.label = "downwards", .stroke = Stroke::dots};
  Curve coloured{.label = "", .stroke = Stroke::dots};
  for (int k = 0; k < 2000; ++k) {
    const double s = 0.01 * k;
    up.x.push_back(s);
    up.y.push_back(std::sin(s * k));
    down.x.push_back(s);
    down.y.push_back(0.5 * std::cos(s * k) - 0.5);
    coloured.x.push_back(std::cos(s) * s);
    coloured.y.push_back(std::sin(s) * s);
    coloured.values.push_back(s);
  }
  Panel diagram{"q1", "psi1", {up, down}};
  Panel exponents{"q1", "λ", {{"λ1", Stroke::line, {0, 20}, {0.1, -0.2}}, {"λ2", Stroke::line, {0, 20}, {-0.1, -0.2}}}};
  exponents.horizontals = {0.0};
  Figure stacked{"Diagram above exponents", {diagram, exponents}};
  stacked.x_axis = Abscissa::common;
  expect_drawn(stacked, "diagram.png");

  Panel spiral{"x", "y", {coloured}};
  spiral.colours.label = "psi3'";
  Panel multipliers{
      "Re",
      "Im",
      {unit_circle(), {.label = "", .stroke = Stroke::points, .x = {0.3, 0.3, -1.1}, .y = {0.5, -0.5, 0}}},
      Aspect::equal};
  Figure beside{"Side by side", {spiral, multipliers}};
  beside.columns = 2;
  expect_drawn(beside, "beside.png");
  expect_drawn({"Multipliers", {multipliers}}, "circle.svg");
}

TEST_F(Pictures, OfManyPointsAndPixelsAreDrawn) {
  Curve cloud{.label = "", .stroke = Stroke::dots};
  double x = 0.1, y = 0.1;
  for (int k = 0; k < 200'000; ++k) {  // Hénon's map
    const double image = 1.0 - 1.4 * x * x + y;
    y = 0.3 * x;
    x = image;
    cloud.x.push_back(x);
    cloud.y.push_back(y);
    cloud.values.push_back(k * 5e-6);
  }
  Panel points{"x", "y", {cloud}};
  points.colours.label = "age";
  Panel pixels{"x", "y", {}};
  pixels.image = waves(400, 400);
  Figure figure{"Many points", {points, pixels}};
  figure.columns = 2;
  expect_drawn(figure, "many.png");
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
