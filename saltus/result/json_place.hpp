#pragma once

#include <string>
#include <vector>

#include "saltus/base/error.hpp"
#include "saltus/result/json_text.hpp"

namespace saltus {

/// The JSON of a file that anybody may have written: at most 64 MB, at most 32 deep. Throws Error(file) with line and column.
Json json_of_file(const std::string& path);

/// The same of a text; `name` is what messages call it.
Json json_of(const std::string& text, const std::string& name);

/// A place in it: everything that is taken from there is checked first, and a complaint names the file and the place, as
/// "special[2].orbit.segments[0].index". Throws Error(file).
class JsonPlace {
 public:
  JsonPlace(const Json& value, std::string file) : value_(value), file_(std::move(file)) {}

  /// Is there a member of this name that is not null?
  bool has(const std::string& name) const;
  JsonPlace at(const std::string& name) const;
  /// All of a list of at most so many.
  std::vector<JsonPlace> items(std::size_t most) const;

  bool is_list() const;
  bool is_text() const;
  bool is_number() const;
  bool is_object() const;
  double number() const;  // finite
  long whole(long lowest, long highest) const;
  bool truth() const;
  std::string text() const;  // of at most 1 MB
  std::vector<double> numbers(std::size_t most) const;
  const Json& value() const { return value_; }

  Error wrong(const std::string& expected) const;

 private:
  JsonPlace(const Json& value, std::string file, std::string path)
      : value_(value), file_(std::move(file)), path_(std::move(path)) {}
  const Json& value_;
  std::string file_;
  std::string path_ = {};
};

}  // namespace saltus
