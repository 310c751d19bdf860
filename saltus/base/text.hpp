#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace saltus {

/// Number of UTF-8 characters; a byte that is no part of valid UTF-8 counts as one.
int character_count(std::string_view text);

/// Characters first … last−1 (from 0) of a UTF-8 text.
std::string_view characters(std::string_view text, int first, int last);

/// Position of the first byte that breaks UTF-8, or nothing.
std::optional<std::size_t> invalid_utf8(std::string_view text);

/// The text with control characters, C1 and those that turn the direction of writing included, and broken UTF-8 shown as '?',
/// tabs as blanks: safe for a terminal, on one line, and one column per character.
std::string printable(std::string_view text);

/// The same for whole pages: line feeds and tabs stay. Everything that goes to a terminal goes through it.
std::string without_controls(std::string_view text);

/// Damerau-Levenshtein distance (insertion, deletion, replacement, exchange of neighbours).
int edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `name` if its distance is at most 2 and less than the name's length.
std::optional<std::string> closest_name(std::string_view name, std::span<const std::string> candidates);

/// "did you mean 'height'?" or nothing.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

/// a, b, c joined; at most `limit` of them, then "…".
std::string listed(std::span<const std::string> names, std::size_t limit = 12);

/// The shortest decimal that reads back as the same double ("0.1", "1e-10"); "inf", "-inf", "nan".
std::string shortest(double value);

/// Six significant digits, for messages.
std::string six_digits(double value);

}  // namespace saltus
