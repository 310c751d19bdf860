#include "saltus/driver/option.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

#include "saltus/base/error.hpp"
#include "saltus/base/text.hpp"
#include "saltus/result/recipe.hpp"

namespace saltus {
namespace {

using Words = std::vector<std::string>;

Words words(const bool* flag) { return *flag ? Words{""} : Words{}; }
Words words(const double* value) { return {shortest(*value)}; }
Words words(const std::string* value) { return value->empty() ? Words{} : Words{*value}; }
Words words(const Words* values) { return *values; }
Words words(const WordedValue& value) { return value.words(); }

template <class Whole>
Words words(const Whole* value) {
  return {std::to_string(*value)};
}

template <class Number>
Words words(const std::optional<Number>* value) {
  return *value ? words(&**value) : Words{};
}

/// The value if it is a number.
std::optional<double> number(const Option& option) {
  const Words found = words_of(option);
  if (found.size() != 1 || found.front().empty()) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(found.front().c_str(), &end);
  return *end == '\0' ? std::optional(value) : std::nullopt;
}

bool is_whole(const Option& option) {
  return !std::holds_alternative<double*>(option.place) &&
         !std::holds_alternative<std::optional<double>*>(option.place);
}

std::string spoken(const std::string& name, const std::string& value) {
  return " --" + name + (value.empty() ? "" : " " + shell_word(value));
}

}  // namespace

Options joined(std::initializer_list<Options> parts) {
  Options all;
  for (const Options& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

bool is_argument(const Option& option) { return std::isupper(static_cast<unsigned char>(option.name.front())) != 0; }

std::vector<std::string> words_of(const Option& option) {
  return std::visit([](const auto& place) { return words(place); }, option.place);
}

std::string default_of(const Option& option) {
  const Words found = words_of(option);
  return found.size() == 1 && found.front() != "0" ? found.front() : "";
}

void require_valid(const Options& options) {
  for (const Option& option : options) {
    const auto value = option.fault ? number(option) : std::nullopt;
    if (!value) continue;
    if (const std::string fault = option.fault(*value); !fault.empty())
      throw usage(fmt::format("⟨{}⟩ {} {}", option.name,
                              is_whole(option) ? words_of(option).front() : six_digits(*value), fault));
  }
}

std::string recorded_words(const Options& given, const Options& plain) {
  std::string text;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Option& option = given[i];
    const Words values = words_of(option);
    if (option.recorded == Recorded::never) continue;
    if (option.recorded == Recorded::if_changed && values == words_of(plain[i])) continue;
    for (const std::string& value : values)
      text += is_argument(option) ? " " + shell_word(value) : spoken(option.name, value);
  }
  return text;
}

Option repeated_option(const std::string& name, const std::string& unit, const std::string& meaning, Words& values) {
  return {.name = name, .unit = unit, .meaning = meaning, .place = &values, .repeated = true};
}

Option listed_option(const std::string& name, const std::string& unit, const std::string& meaning, Words& values) {
  return {.name = name, .unit = unit, .meaning = meaning, .place = &values, .repeated = true, .listed = true};
}

std::size_t place_among(const std::string& option, const std::string& word, const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), word);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const std::string hint = did_you_mean(word, names);
  std::string noun = option;
  const bool by_place = std::isupper(static_cast<unsigned char>(option.front())) != 0;
  std::transform(noun.begin(), noun.end(), noun.begin(), [](unsigned char c) { return std::tolower(c); });
  throw usage(fmt::format("{}'{}' is no {}\n  expected {} or {}{}", by_place ? "" : "⟨" + option + "⟩ ",
                          printable(word), noun, fmt::join(names.begin(), names.end() - 1, ", "), names.back(),
                          hint.empty() ? "" : "\n  " + hint));
}

std::function<std::string(double)> above_zero(const std::string& words) {
  return [words](double value) {
    return value > 0.0 && std::isfinite(value) ? "" : words + "\n  expected a number above 0";
  };
}

std::function<std::string(double)> from_one(const std::string& words, std::size_t most) {
  return [words, most](double value) {
    if (value < 1.0) return words + "\n  expected a number above 0";
    return value <= static_cast<double>(most) ? "" : fmt::format("are too many\n  expected at most {}", most);
  };
}

std::function<std::string(double)> not_negative(const std::string& words, const std::string& expected) {
  return [words, expected](double value) {
    return value >= 0.0 && std::isfinite(value) ? "" : words + "\n  expected " + expected;
  };
}

}  // namespace saltus
