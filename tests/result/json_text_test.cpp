#include "saltus/result/json_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

constexpr double endless = std::numeric_limits<double>::infinity();

TEST(JsonText, EveryFiniteNumberReadsBackAsTheSameDouble) {
  std::mt19937_64 random(7);
  Json list = Json::array();
  std::vector<double> values = {0.1, 1.0 / 3.0, 5e-324, 1.7976931348623157e308, -0.0, 1e22};
  while (values.size() < 1000) {
    const std::uint64_t bits = random();
    double value = 0.0;
    std::memcpy(&value, &bits, sizeof value);
    if (std::isfinite(value)) values.push_back(value);
  }
  const std::vector<double> read = nlohmann::json::parse(json_text(json_numbers(values))).get<std::vector<double>>();
  EXPECT_CLOSE(read, values, exact);
}

TEST(JsonText, NumbersThatAreNotFiniteAreStringsWhicheverWayTheyGotThere) {
  const std::vector<double> values = {endless, -endless, 2.5};
  EXPECT_EQ(json_text(json_numbers(values)), "[\"inf\", \"-inf\", 2.5]\n");
  EXPECT_EQ(json_text(Json(-endless)), "\"-inf\"\n");
  EXPECT_EQ(json_text(json_number(std::nan(""))), "\"nan\"\n");
}

TEST(JsonText, ListsOfNumbersStandOnOneLineAndMembersKeepTheirOrder) {
  const Json value = {{"z", {1, 2}}, {"a", {{"b", nullptr}}}, {"empty", Json::array()}, {"none", Json::object()}};
  EXPECT_EQ(json_text(value),
            "{\n  \"z\": [1, 2],\n  \"a\": {\n    \"b\": null\n  },\n  \"empty\": [],\n  \"none\": {}\n}\n");
}

TEST(JsonText, BytesThatAreNoUtf8DoNotBreakTheObject) {
  const std::string text = json_text({{"name", "a\xff"}});
  EXPECT_EQ(nlohmann::json::parse(text)["name"], "a\xEF\xBF\xBD");
}

TEST(JsonText, DiagnosticsCarryTheirPlaceAndTheirNotes) {
  const auto source = std::make_shared<SourceText>("ball.toml", "gap = \"zz\"\n");
  const Diagnostic note{Severity::note, {source, 1, 1, 3}, "here", "", "", {}};
  const Diagnostic error{Severity::error, {source, 1, 8, 9}, "unknown name 'zz'", "z", "did you mean 'z'?", {note}};
  const Json list = json_diagnostics(std::vector{error});
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0]["file"], "ball.toml");
  EXPECT_EQ(list[0]["line"], 1);
  EXPECT_EQ(list[0]["column"], 8);
  EXPECT_EQ(list[0]["last_column"], 9);
  EXPECT_EQ(list[0]["severity"], "error");
  EXPECT_EQ(list[0]["suggestion"], "did you mean 'z'?");
  EXPECT_EQ(list[0]["notes"][0]["severity"], "note");
}

}  // namespace
}  // namespace saltus
