#include "saltus/model/toml_text.hpp"

// toml++ 3.3 asserts (and, with NDEBUG, assumes) some things before it checks them: a wrong table header "[*" would
// stop the program. Without its assertions the checks behind them give their diagnostics.
#undef NDEBUG
#define TOML_ASSERT(expr) static_assert(true)
#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>

#include "saltus/base/text.hpp"

namespace saltus {
namespace {

constexpr int deepest_brackets = 50;  // toml++ and every walk over its values are recursive
constexpr int longest_dotted_key = 20;

struct Fault {
  std::size_t first;
  std::size_t last;
  std::string message;
  std::string expected;
};

/// The length of a string's opening quotes at `at`: 1, 3, or 0 if no string begins there.
std::size_t quotes_at(std::string_view text, std::size_t at) {
  if (at >= text.size() || (text[at] != '"' && text[at] != '\'')) return 0;
  return text.substr(at, 3) == std::string(3, text[at]) ? 3 : 1;
}

/// The first byte behind the string that begins at `at`; the end of the text if it is not closed.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::size_t quotes = quotes_at(text, at);
  const std::string closing(quotes, quote);
  for (std::size_t i = at + quotes; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (quotes == 1 && text[i] == '\n') {
      return i;
    } else if (text.substr(i, quotes) == closing) {
      i += quotes;
      while (quotes == 3 && i < text.size() && text[i] == quote) ++i;  // """" ends with a quote inside
      return i;
    }
  }
  return text.size();
}

// toml++ 3.3 looks for blanks with a test that is undefined for most characters from U+00A0 to U+FEFF. It never sees
// them: they are moved to the private plane 16 before, and back in everything that comes out. Lines and columns stay.
constexpr char32_t private_plane = 0x100000;

void append_utf8(std::string& text, char32_t c) {
  const auto add = [&](char32_t byte) { text += static_cast<char>(byte); };
  if (c >= 0x10000) {
    add(0xF0 | c >> 18);
    add(0x80 | (c >> 12 & 0x3F));
  } else {
    add(0xE0 | c >> 12);
  }
  add(0x80 | (c >> 6 & 0x3F));
  add(0x80 | (c & 0x3F));
}

/// The text with every character of two or three bytes replaced by its counterpart of four. Requires valid UTF-8.
std::string hidden(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = [&](std::size_t k) { return static_cast<char32_t>(static_cast<unsigned char>(text[i + k])); };
    const bool inside_four_bytes = byte(0) >= 0x80 && byte(0) < 0xC0;
    if (byte(0) < 0x80 || byte(0) >= 0xF0 || inside_four_bytes) {
      result += text[i];
    } else if (byte(0) >= 0xE0) {
      append_utf8(result, private_plane + ((byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F)));
      i += 2;
    } else {
      append_utf8(result, private_plane + ((byte(0) & 0x1F) << 6 | (byte(1) & 0x3F)));
      i += 1;
    }
  }
  return result;
}

/// hidden() undone.
std::string shown(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = [&](std::size_t k) { return static_cast<char32_t>(static_cast<unsigned char>(text[i + k])); };
    if (byte(0) != 0xF4 || i + 3 >= text.size()) {
      result += text[i];
      continue;
    }
    const char32_t c = (byte(1) & 0x0F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
    if (c >= 0x800 && (c < 0xD800 || c > 0xDFFF)) {
      append_utf8(result, c);
    } else if (c >= 0x80 && c < 0x800) {
      result += {static_cast<char>(0xC0 | c >> 6), static_cast<char>(0x80 | (c & 0x3F))};
    } else {  // an escape such as \U00100041, written so by the author
      result += text.substr(i, 4);
    }
    i += 3;
  }
  return result;
}

bool is_foreign(char c) { return static_cast<unsigned char>(c) >= 0x80; }

Fault foreign_character(std::string_view text, std::size_t at, std::string expected) {
  std::size_t end = at + 1;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
  return {at, end, fmt::format("the character '{}' cannot stand here", printable(text.substr(at, end - at))),
          std::move(expected)};
}

/// Brackets or dotted keys so deep that a recursive reader runs out of stack; characters outside of strings that TOML
/// has no use for.
std::optional<Fault> harmful(std::string_view text) {
  int depth = 0;
  int dots = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (quotes_at(text, i) > 0) {
      i = end_of_string(text, i);
      continue;
    }
    if (is_foreign(c)) return foreign_character(text, i, "a-z, A-Z, 0-9, _ and - outside of quotes");
    if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') depth = std::max(0, depth - 1);
    if (c == '.') ++dots;
    if (c == ',' || c == '=' || c == '\n' || c == '[' || c == ']' || c == '{' || c == '}') dots = 0;
    if (depth > deepest_brackets)
      return Fault{i, i + 1, "brackets nest too deeply", fmt::format("at most {} levels", deepest_brackets)};
    if (dots > longest_dotted_key)
      return Fault{i, i + 1, "the dotted key is too long", fmt::format("at most {} parts", longest_dotted_key)};
    ++i;
  }
  return std::nullopt;
}

/// What must not be handed to the TOML reader at all.
std::optional<Fault> unreadable(std::string_view text) {
  if (const auto at = invalid_utf8(text))
    return Fault{*at, *at + 1,
                 fmt::format("the byte 0x{:02X} is not valid UTF-8", static_cast<unsigned char>(text[*at])),
                 "a text file in UTF-8"};
  const std::size_t nul = text.find('\0');
  if (nul != std::string_view::npos)
    return Fault{nul, nul + 1, "the file contains a zero byte", "a text file in UTF-8"};
  const std::size_t own = text.find('\xF4');  // would be mistaken for a hidden character
  if (own != std::string_view::npos) return foreign_character(text, own, "a character below U+100000");
  return harmful(text);
}

/// "a, saw b" of "… expected a, saw b": what was wanted and what was found.
struct Surprise {
  std::string expected;
  std::string found;
};

std::optional<Surprise> surprise(std::string_view text) {
  constexpr std::string_view first = "expected ";
  const std::size_t saw = text.rfind(", saw ");
  if (!text.starts_with(first) || saw == std::string_view::npos) return std::nullopt;
  const std::string_view found = text.substr(saw + 6);
  const bool line_end = found == "'\\n'" || found == "'\\r'";
  return Surprise{std::string(text.substr(first.size(), saw - first.size())),
                  line_end ? "end of the line" : std::string(found)};
}

/// toml++ says "Error while parsing key: expected …, saw …"; people read "cannot read the key: unexpected …".
Diagnostic reworded(std::string_view description, char at) {
  constexpr std::string_view prefix = "Error while parsing ";
  Diagnostic result;
  if (!description.starts_with(prefix)) {
    result.message = fmt::format("this is not TOML: {}", printable(description));
    return result;
  }
  description.remove_prefix(prefix.size());
  const std::size_t colon = std::min(description.find(':'), description.size());
  const std::string what = printable(description.substr(0, colon));
  const std::string_view detail = description.substr(std::min(colon + 2, description.size()));
  if (detail.find("control character") != std::string_view::npos && (at == '\n' || at == '\r' || at == '\0')) {
    result.message = "this string is not closed";
    result.expected = "a closing quote before the end of the line";
  } else if (detail.starts_with("cannot redefine existing") && detail.find('\'') != std::string_view::npos) {
    result.message = fmt::format("the key {} is given twice", printable(detail.substr(detail.find('\''))));
    result.expected = "each key once";
  } else if (const auto seen = surprise(detail)) {
    result.message = fmt::format("cannot read the {}: unexpected {}", what, printable(seen->found));
    result.expected = printable(seen->expected);
    if (seen->expected == "'='" && at == '\'') result.suggestion = "a velocity as a key stands in quotes: \"x'\" = 1";
  } else {
    result.message = fmt::format("cannot read the {}{}{}", what, detail.empty() ? "" : ": ", printable(detail));
  }
  return result;
}

/// The byte of the text that each byte of a decoded string comes from, and that of the closing quotes at the end.
/// Empty if the text at `begin` does not decode to `decoded`.
class StringWalk {
 public:
  StringWalk(std::string_view text, std::size_t begin) : text_(text), at_(begin) {}

  std::vector<std::size_t> offsets(std::string_view decoded) {
    const std::size_t quotes = quotes_at(text_, at_);
    if (quotes == 0) return {};
    const char quote = text_[at_];
    const std::size_t end = end_of_string(text_, at_) - quotes;
    at_ += quotes;
    if (quotes == 3) skip_line_end();
    while (at_ < end) {
      if (quote == '"' && text_[at_] == '\\') {
        escape(end);
      } else {
        if (text_.substr(at_, 2) == "\r\n" && !decoded.substr(result_.size()).starts_with("\r")) ++at_;
        result_.push_back(at_++);
      }
    }
    if (result_.size() != decoded.size()) return {};
    result_.push_back(end);
    return result_;
  }

 private:
  void skip_line_end() {
    if (text_.substr(at_, 2) == "\r\n") ++at_;
    if (at_ < text_.size() && text_[at_] == '\n') ++at_;
  }

  void escape(std::size_t end) {
    const char kind = at_ + 1 < end ? text_[at_ + 1] : '\0';
    if (kind == 'u' || kind == 'U' || kind == 'x') {
      const std::size_t digits = kind == 'u' ? 4 : kind == 'U' ? 8 : 2;
      std::uint32_t code = 0;
      for (const char c : text_.substr(at_ + 2, digits))
        code = code * 16 + static_cast<std::uint32_t>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
      const std::size_t bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
      result_.insert(result_.end(), bytes, at_);
      at_ += 2 + digits;
    } else if (kind == '\n' || kind == '\r' || kind == ' ' || kind == '\t') {  // the line goes on
      ++at_;
      while (at_ < end && (text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    } else {
      result_.push_back(at_);
      at_ += 2;
    }
  }

  std::string_view text_;
  std::size_t at_;
  std::vector<std::size_t> result_;
};

class Converter {
 public:
  Converter(const TomlDocument& document, const SourceIndex& index) : document_(document), index_(index) {}

  TomlValue value(const toml::node& node) const {
    TomlValue result;
    std::tie(result.begin, std::ignore) = bytes(node.source());
    result.span = span(node.source());
    if (const toml::table* table = node.as_table()) {
      result.kind = TomlKind::table;
      result.entries = entries(*table);
    } else if (const toml::array* array = node.as_array()) {
      result.kind = TomlKind::array;
      for (const toml::node& item : *array) result.items.push_back(value(item));
    } else {
      scalar(node, result);
    }
    return result;
  }

 private:
  static void scalar(const toml::node& node, TomlValue& result) {
    if (const auto* text = node.as_string()) {
      result.kind = TomlKind::string;
      result.text = shown(text->get());
    } else if (const auto* integer = node.as_integer()) {
      result.kind = TomlKind::number;
      result.number = static_cast<double>(integer->get());
    } else if (const auto* number = node.as_floating_point()) {
      result.kind = TomlKind::number;
      result.number = number->get();
    } else if (const auto* boolean = node.as_boolean()) {
      result.kind = TomlKind::boolean;
      result.number = boolean->get() ? 1.0 : 0.0;
    } else {
      result.kind = TomlKind::date;
    }
  }

  /// toml++ keeps tables in alphabetical order; here it is that of the file.
  std::vector<TomlEntry> entries(const toml::table& table) const {
    std::vector<TomlEntry> result;
    for (const auto& [key, node] : table) result.push_back({shown(key.str()), span(key.source()), value(node)});
    const auto place = [](const TomlEntry& e) { return std::pair(e.key_span.line, e.key_span.first); };
    std::sort(result.begin(), result.end(),
              [&](const TomlEntry& a, const TomlEntry& b) { return place(a) < place(b); });
    return result;
  }

  std::pair<std::size_t, std::size_t> bytes(const toml::source_region& region) const {
    const std::size_t first = index_.offset(region.begin.line, region.begin.column);
    return {first, std::max(first + 1, index_.offset(region.end.line, region.end.column))};
  }

  SourceSpan span(const toml::source_region& region) const {
    const auto [first, last] = bytes(region);
    return document_.span(first, last);
  }

  const TomlDocument& document_;
  const SourceIndex& index_;
};

}  // namespace

const TomlValue* TomlValue::find(std::string_view key) const {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const TomlEntry& e) { return e.key == key; });
  return found == entries.end() ? nullptr : &found->value;
}

std::string_view in_words(TomlKind kind) {
  switch (kind) {
    case TomlKind::string: return "a string";
    case TomlKind::number: return "a number";
    case TomlKind::boolean: return "true or false";
    case TomlKind::date: return "a date or time";
    case TomlKind::array: return "a list";
    case TomlKind::table: return "a table";
  }
  return "a value";
}

SourceIndex::SourceIndex(std::string_view text) {
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) == 0x80 && i > 0) continue;
    characters_.push_back(static_cast<std::uint32_t>(i));
    if (text[i] == '\n') line_starts_.push_back(static_cast<std::uint32_t>(characters_.size()));
  }
  characters_.push_back(static_cast<std::uint32_t>(text.size()));
}

std::size_t SourceIndex::offset(std::size_t line, std::size_t column) const {
  if (line < 1 || column < 1 || line > line_starts_.size()) return characters_.back();
  const std::size_t character = line_starts_[line - 1] + column - 1;
  return character < characters_.size() ? characters_[character] : characters_.back();
}

SourceIndex::Position SourceIndex::position(std::size_t offset) const {
  const auto next = std::upper_bound(characters_.begin(), characters_.end(), offset);
  const auto character = static_cast<std::uint32_t>(std::max<std::ptrdiff_t>(0, next - characters_.begin() - 1));
  const auto line = std::upper_bound(line_starts_.begin(), line_starts_.end(), character) - line_starts_.begin();
  return {static_cast<int>(line), static_cast<int>(character - line_starts_[static_cast<std::size_t>(line - 1)] + 1)};
}

TomlDocument::TomlDocument(std::shared_ptr<const SourceText> source, std::vector<Diagnostic>& diagnostics)
    : source_(std::move(source)), index_(source_->text()) {
  if (const auto fault = unreadable(source_->text())) {
    diagnostics.push_back({Severity::error, span(fault->first, fault->last), fault->message, fault->expected, "", {}});
    return;
  }
  const toml::parse_result parsed = toml::parse(hidden(source_->text()));
  if (!parsed) {
    const toml::source_region& region = parsed.error().source();
    const std::size_t first = index_.offset(region.begin.line, region.begin.column);
    const std::string& text = source_->text();
    diagnostics.push_back(reworded(shown(parsed.error().description()), first < text.size() ? text[first] : '\0'));
    diagnostics.back().span = span(first, first + 1);
    return;
  }
  root_ = Converter(*this, index_).value(parsed.table());
}

SourceSpan TomlDocument::span(std::size_t first, std::size_t last) const {
  const auto begin = index_.position(first);
  const auto end = index_.position(std::max(first, last > 0 ? last - 1 : 0));
  if (end.line == begin.line) return {source_, begin.line, begin.column, std::max(begin.column, end.column)};
  return {source_, begin.line, begin.column, std::max(begin.column, character_count(source_->line(begin.line)))};
}

SourceSpan TomlDocument::span_within(const TomlValue& value, std::size_t first, std::size_t last) const {
  const std::vector<std::size_t> offsets = StringWalk(source_->text(), value.begin).offsets(value.text);
  if (offsets.empty() || value.text.empty()) return value.span;
  const std::size_t begin = std::min(first, value.text.size());
  const std::size_t end = std::clamp(last, begin, value.text.size());
  return span(offsets[begin], std::max(offsets[begin] + 1, offsets[end]));
}

SourceSpan TomlDocument::inner_span(const TomlValue& value) const {
  return value.kind == TomlKind::string ? span_within(value, 0, value.text.size()) : value.span;
}

}  // namespace saltus
