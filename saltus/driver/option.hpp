#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace saltus {

/// A value with words of its own, such as the name of a method.
struct WordedValue {
  std::function<void(const std::string&)> read;     // throws Error(usage)
  std::function<std::vector<std::string>()> words;  // that give the value again; none where it is not given
};

using OptionPlace = std::variant<bool*, int*, long*, unsigned*, std::size_t*, double*, std::optional<long>*,
                                 std::optional<double>*, std::string*, std::vector<std::string>*, WordedValue>;

/// Does a recipe name the option? `if_changed`: where the value is not the default.
enum class Recorded { if_changed, always, never };

/// One option of a request, said once and bound to where its value is kept: the command line, help, completion, the man page,
/// recipes and messages read it here. Its default is the value of a fresh request. It lives no longer than its request.
struct Option {
  std::string name;  // "transient"; in capitals if it is an argument that is told by its place: "MODEL"
  std::string unit;  // what its value is, or is counted in: "T or N"; empty: a flag
  std::string meaning;  // one sentence without capital and full stop
  OptionPlace place;
  Recorded recorded = Recorded::if_changed;
  /// Why a number cannot be the value: "is no step\n  expected a number above 0"; empty where it can.
  std::function<std::string(double)> fault = {};
  std::vector<std::string> choices = {};  // the names among which the value is
  bool repeated = false;  // each occurrence adds a value
  bool listed = false;  // several values may stand in one word, commas between them
  std::string also = {};  // another name
};

using Options = std::vector<Option>;

/// One list after the other.
Options joined(std::initializer_list<Options> parts);

/// An argument is told by its place, not by its name.
bool is_argument(const Option& option);

/// The words that give its value again; none where there is none, one empty word for a flag that is set.
std::vector<std::string> words_of(const Option& option);

/// "0.1", "both": what the value is where it is not given; empty where that says nothing.
std::string default_of(const Option& option);

/// Throws Error(usage) if a number cannot be the value of its option.
void require_valid(const Options& options);

template <class AnyRequest>
void require_valid(AnyRequest request) {
  const Options options = options_of(request);
  require_valid(options);
}

/// What a shell reads to set these values in a request whose options are `plain` as yet: " ball.toml --case fast --set e=0.5".
std::string recorded_words(const Options& given, const Options& plain);

/// The command line that computes the request's result again, without what changes no number of it: threads, files, pictures.
template <class AnyRequest>
std::string command_of(const std::string& command, AnyRequest request) {
  AnyRequest plain;
  return "saltus " + command + recorded_words(options_of(request), options_of(plain));
}

/// An option that may be repeated; listed: its values may stand in one word, too, with commas between them.
Option repeated_option(const std::string& name, const std::string& unit, const std::string& meaning,
                       std::vector<std::string>& values);
Option listed_option(const std::string& name, const std::string& unit, const std::string& meaning,
                     std::vector<std::string>& values);

/// Which of the names the word is. Throws Error(usage) with all of them.
std::size_t place_among(const std::string& option, const std::string& word, const std::vector<std::string>& names);

/// An option whose value is one of some names, in the order of its enumeration.
template <class Enum>
Option choice(const std::string& name, const std::string& unit, const std::string& meaning, Enum& value,
              const std::vector<std::string>& names, Recorded recorded = Recorded::if_changed) {
  const WordedValue worded{
      [name, names, &value](const std::string& word) { value = static_cast<Enum>(place_among(name, word, names)); },
      [names, &value] { return std::vector{names[static_cast<std::size_t>(value)]}; }};
  return {.name = name, .unit = unit, .meaning = meaning, .place = worded, .recorded = recorded, .choices = names};
}

/// Faults of numbers: `words` is "is no step", what is expected follows.
std::function<std::string(double)> above_zero(const std::string& words);
std::function<std::string(double)> from_one(const std::string& words, std::size_t most);  // counts something
std::function<std::string(double)> not_negative(const std::string& words, const std::string& expected);

}  // namespace saltus
