#include "saltus/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace saltus {
namespace {

/// Length of the valid UTF-8 sequence at `text[i]`, 0 if there is none.
std::size_t sequence_length(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char lead = byte(i);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 && lead < 0xF5   ? 4
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xC2 && lead < 0xE0 ? 2
                                                           : 0;
  if (length == 0 || i + length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k)
    if ((byte(i + k) & 0xC0) != 0x80) return 0;
  const unsigned char second = byte(i + 1);
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool surrogate = lead == 0xED && second >= 0xA0;
  const bool beyond = lead == 0xF4 && second >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

std::size_t step(std::string_view text, std::size_t i) { return std::max<std::size_t>(1, sequence_length(text, i)); }

}  // namespace

int character_count(std::string_view text) {
  int count = 0;
  for (std::size_t i = 0; i < text.size(); i += step(text, i)) ++count;
  return count;
}

std::string_view characters(std::string_view text, int first, int last) {
  std::size_t begin = text.size();
  std::size_t end = text.size();
  int count = 0;
  for (std::size_t i = 0; i < text.size(); i += step(text, i), ++count) {
    if (count == first) begin = i;
    if (count == last) end = i;
  }
  return begin < end ? text.substr(begin, end - begin) : std::string_view();
}

std::optional<std::size_t> invalid_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(text, i);
    if (length == 0) return i;
    i += length;
  }
  return std::nullopt;
}

namespace {

/// Does the sequence command a terminal, or the order in which it shows text? C0, DEL, C1, marks of direction.
bool is_command(std::string_view sequence) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(sequence[k]); };
  if (sequence.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7F;
  if (sequence.size() == 2) return byte(0) == 0xC2 && byte(1) < 0xA0;
  if (sequence.size() != 3 || byte(0) != 0xE2) return false;
  const bool directed = byte(1) == 0x80 && (byte(2) >= 0xA8 && byte(2) <= 0xAE);     // U+2028 to U+202E
  const bool isolated = byte(1) == 0x81 && (byte(2) >= 0xA6 && byte(2) <= 0xA9);     // U+2066 to U+2069
  return directed || isolated;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(text, i);
    if (text[i] == '\t') {
      result += ' ';
    } else if (length == 0 || is_command(text.substr(i, length))) {
      result += '?';
    } else {
      result += text.substr(i, length);
    }
    i += std::max<std::size_t>(1, length);
  }
  return result;
}

std::string without_controls(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(text, i);
    const bool kept = text[i] == '\n' || text[i] == '\t' || (length > 0 && !is_command(text.substr(i, length)));
    if (kept) result += text.substr(i, length);
    else result += '?';
    i += std::max<std::size_t>(1, length);
  }
  return result;
}

int edit_distance(std::string_view a, std::string_view b) {
  const std::size_t rows = a.size() + 1;
  const std::size_t columns = b.size() + 1;
  std::vector<int> d(rows * columns);
  const auto at = [&](std::size_t i, std::size_t j) -> int& { return d[i * columns + j]; };
  for (std::size_t i = 0; i < rows; ++i) at(i, 0) = static_cast<int>(i);
  for (std::size_t j = 0; j < columns; ++j) at(0, j) = static_cast<int>(j);
  for (std::size_t i = 1; i < rows; ++i) {
    for (std::size_t j = 1; j < columns; ++j) {
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (exchanged) at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
    }
  }
  return at(rows - 1, columns - 1);
}

std::optional<std::string> closest_name(std::string_view name, std::span<const std::string> candidates) {
  constexpr std::size_t longest_name = 64;  // the distance costs the product of the lengths
  if (name.size() > longest_name) return std::nullopt;
  std::optional<std::string> best;
  int best_distance = std::min(3, static_cast<int>(name.size()));
  for (const std::string& candidate : candidates) {
    if (candidate.size() > longest_name || candidate == name) continue;
    const int distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
  const auto nearest = closest_name(name, candidates);
  return nearest ? fmt::format("did you mean '{}'?", *nearest) : std::string();
}

std::string listed(std::span<const std::string> names, std::size_t limit) {
  const std::size_t shown = std::min(names.size(), limit);
  std::string text =
      fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (names.size() > limit) text += ", …";
  return text;
}

std::string shortest(double value) { return fmt::format("{}", value); }

std::string six_digits(double value) { return fmt::format("{:.6g}", value); }

}  // namespace saltus
