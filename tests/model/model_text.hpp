#pragma once
// Models in a test's own text.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "saltus/expr/evaluate.hpp"
#include "saltus/model/model.hpp"

namespace saltus::test {

/// The model of a text that must be right.
inline std::shared_ptr<const Model> model_of(const std::string& text) {
  const ModelReading reading = read_model("model.toml", text);
  EXPECT_EQ(rendered(reading.diagnostics), "") << text;
  return reading.model;
}

/// The messages about a text that must be wrong.
inline std::string messages_about(const std::string& text) {
  const ModelReading reading = read_model("model.toml", text);
  EXPECT_EQ(reading.model, nullptr) << text;
  return rendered(reading.diagnostics);
}

/// The first line of the first message.
inline std::string first_message_about(const std::string& text) {
  const std::string all = messages_about(text);
  return all.substr(0, all.find('\n'));
}

/// An expression at given values of its symbols.
inline double value(Expr e, const std::map<std::string, double>& at) {
  return evaluate(e, [&](const std::string& name) { return at.at(name); });
}

/// A ball: the shortest right model.
inline const std::string ball = R"toml([mechanics]
coordinates = ["z"]
mass  = [["1"]]
force = ["-9.81"]
)toml";

}  // namespace saltus::test
