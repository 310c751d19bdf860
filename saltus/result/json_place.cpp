#include "saltus/result/json_place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "saltus/base/input_file.hpp"
#include "saltus/base/text.hpp"

namespace saltus {
namespace {

constexpr std::size_t largest_json = std::size_t{1} << 26U;  // bytes; in memory it takes some twenty times as many
constexpr int deepest = 32;
constexpr std::size_t longest_text = std::size_t{1} << 20U;

Error cannot_read_json(const std::string& file, const std::string& why) {
  return {ExitCode::file, fmt::format("cannot read '{}': {}", printable(file), why)};
}

std::string place_of(const std::string& text, std::size_t byte) {
  const std::size_t end = std::min(byte, text.size());
  const auto lines = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
  const std::size_t before = text.rfind('\n', end == 0 ? 0 : end - 1);
  const std::size_t column = before == std::string::npos || before >= end ? end : end - before - 1;
  return fmt::format("line {}, column {}", lines + 1, std::max<std::size_t>(1, column));
}

struct TooDeep {};

}  // namespace

Json json_of(const std::string& text, const std::string& name) {
  const auto shallow = [](int depth, Json::parse_event_t, Json&) {
    if (depth > deepest) throw TooDeep{};
    return true;
  };
  try {
    return Json::parse(text, shallow);
  } catch (const Json::parse_error& error) {
    throw cannot_read_json(name, fmt::format("no JSON at {}", place_of(text, error.byte)));
  } catch (const Json::exception&) {
    throw cannot_read_json(name, "a number in it is out of range");
  } catch (const TooDeep&) {
    throw cannot_read_json(name, fmt::format("its lists and objects are nested more than {} deep", deepest));
  }
}

Json json_of_file(const std::string& path) { return json_of(input_text(path, largest_json), path); }

Error JsonPlace::wrong(const std::string& expected) const {
  return cannot_read_json(file_, fmt::format("at {}: expected {}", path_.empty() ? "its beginning" : path_, expected));
}

bool JsonPlace::has(const std::string& name) const {
  const auto found = value_.is_object() ? value_.find(name) : value_.end();
  return found != value_.end() && !found->is_null();
}

JsonPlace JsonPlace::at(const std::string& name) const {
  const std::string path = path_.empty() ? name : path_ + "." + name;
  if (!value_.is_object() || !value_.contains(name))
    throw JsonPlace(value_, file_, path).wrong("something, and there is nothing");
  return {value_[name], file_, path};
}

std::vector<JsonPlace> JsonPlace::items(std::size_t most) const {
  if (!value_.is_array() || value_.size() > most) throw wrong(fmt::format("a list of at most {}", most));
  std::vector<JsonPlace> all;
  for (std::size_t i = 0; i < value_.size(); ++i) all.push_back({value_[i], file_, fmt::format("{}[{}]", path_, i)});
  return all;
}

bool JsonPlace::is_list() const { return value_.is_array(); }
bool JsonPlace::is_text() const { return value_.is_string(); }
bool JsonPlace::is_number() const { return value_.is_number(); }
bool JsonPlace::is_object() const { return value_.is_object(); }

double JsonPlace::number() const {
  const double number = value_.is_number() ? value_.get<double>() : NAN;
  if (!std::isfinite(number)) throw wrong("a finite number");
  return number;
}

long JsonPlace::whole(long lowest, long highest) const {
  const double number = value_.is_number() ? value_.get<double>() : NAN;
  const bool fits = number >= static_cast<double>(lowest) && number <= static_cast<double>(highest);
  if (!fits || number != std::floor(number)) throw wrong(fmt::format("a whole number from {} to {}", lowest, highest));
  return std::lround(number);
}

bool JsonPlace::truth() const {
  if (!value_.is_boolean()) throw wrong("true or false");
  return value_.get<bool>();
}

std::string JsonPlace::text() const {
  if (!value_.is_string() || value_.get_ref<const std::string&>().size() > longest_text) throw wrong("a text");
  return value_.get<std::string>();
}

std::vector<double> JsonPlace::numbers(std::size_t most) const {
  std::vector<double> numbers;
  for (const JsonPlace& each : items(most)) numbers.push_back(each.number());
  return numbers;
}

}  // namespace saltus
