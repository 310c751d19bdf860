#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/base/diagnostic.hpp"
#include "saltus/base/source_span.hpp"

namespace saltus {

enum class TomlKind { string, number, boolean, date, array, table };

struct TomlEntry;

/// A value of a TOML text together with its place.
struct TomlValue {
  TomlKind kind = TomlKind::table;
  SourceSpan span;
  std::size_t begin = 0;           // its first byte in the text
  std::string text;                // of a string
  double number = 0.0;             // of a number; a boolean is 0 or 1
  std::vector<TomlValue> items;    // of an array
  std::vector<TomlEntry> entries;  // of a table, in file order

  /// The entry's value, or nothing.
  const TomlValue* find(std::string_view key) const;
};

struct TomlEntry {
  std::string key;
  SourceSpan key_span;
  TomlValue value;
};

/// "a number", "a list", … for messages.
std::string_view in_words(TomlKind kind);

/// Where the characters of a text are: byte offset ↔ line and column, both ways without walking the text.
class SourceIndex {
 public:
  explicit SourceIndex(std::string_view text);
  /// Byte offset of a line and column (from 1, columns in characters); the end of the text if there is no such place.
  std::size_t offset(std::size_t line, std::size_t column) const;
  struct Position {
    int line;
    int column;
  };
  Position position(std::size_t offset) const;

 private:
  std::vector<std::uint32_t> characters_;  // first byte of every character, and the end
  std::vector<std::uint32_t> line_starts_;  // index in characters_ of the first character of every line
};

/// A TOML text taken apart.
class TomlDocument {
 public:
  /// Reads the text. What is wrong with it is added to `diagnostics`; the root is then empty.
  TomlDocument(std::shared_ptr<const SourceText> source, std::vector<Diagnostic>& diagnostics);

  const TomlValue& root() const { return root_; }
  const std::shared_ptr<const SourceText>& source() const { return source_; }
  /// The place of bytes first … last−1 of the text; on the first line if it goes over several.
  SourceSpan span(std::size_t first, std::size_t last) const;
  /// The place of bytes first … last−1 of a string value: in the file, inside the quotes, escapes counted as written.
  SourceSpan span_within(const TomlValue& value, std::size_t first, std::size_t last) const;
  /// The place of an expression: inside the quotes of a string, the whole of a number.
  SourceSpan inner_span(const TomlValue& value) const;

 private:
  std::shared_ptr<const SourceText> source_;
  SourceIndex index_;
  TomlValue root_;
};

}  // namespace saltus
