#include "saltus/result/json_place.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace saltus {
namespace {

using testing::HasSubstr;

template <class Action>
std::string complaint(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::file);
    return error.what();
  }
  return "";
}

TEST(JsonPlace, ComplaintsNameFileAndPlace) {
  const Json json = json_of(R"({"points": [{"x": 1}, {"x": "one"}]})", "a.json");
  const JsonPlace file(json, "a.json");
  const JsonPlace second = file.at("points").items(2)[1];
  EXPECT_EQ(complaint([&] { second.at("x").number(); }),
            "cannot read 'a.json': at points[1].x: expected a finite number");
  EXPECT_THAT(complaint([&] { second.at("y"); }), HasSubstr("at points[1].y: expected something"));
  EXPECT_THAT(complaint([&] { file.at("points").items(1); }), HasSubstr("at points: expected a list of at most 1"));
}

TEST(JsonPlace, AWholeNumberIsOneAndInItsRange) {
  for (const char* text : {"1.5", "-1", "11", "1e300", "-1e300", "\"3\"", "null", "[3]", "true"}) {
    const Json json = json_of(text, "a.json");
    EXPECT_THAT(complaint([&] { JsonPlace(json, "a.json").whole(0, 10); }), HasSubstr("a whole number from 0 to 10"))
        << text;
  }
  const Json ten = json_of("10", "a.json");
  EXPECT_EQ(JsonPlace(ten, "a.json").whole(0, 10), 10);
}

TEST(JsonPlace, DeepNestingIsRefusedBeforeItIsBuilt) {
  const std::string deep(1'000'000, '[');
  EXPECT_THAT(complaint([&] { json_of(deep, "a.json"); }), HasSubstr("nested more than 32 deep"));
}

TEST(JsonPlace, WhatIsNoJsonIsRefusedWithLineAndColumn) {
  EXPECT_THAT(complaint([&] { json_of("{\n  \"a\": 1,\n  b\n}", "a.json"); }),
              HasSubstr("no JSON at line 3, column 3"));
  EXPECT_THAT(complaint([&] { json_of("", "a.json"); }), HasSubstr("no JSON at line 1"));
}

}  // namespace
}  // namespace saltus
