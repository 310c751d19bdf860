#include "saltus/base/setting.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

namespace saltus {
namespace {

constexpr std::string_view opens = "⟨", closes = "⟩";

std::optional<std::string>& prefix_in_use() {
  static std::optional<std::string> prefix;
  return prefix;
}

bool is_name(std::string_view text) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; };
  return !text.empty() && std::all_of(text.begin(), text.end(), fits);
}

}  // namespace

std::string said(const std::string& message) {
  const std::optional<std::string>& prefix = prefix_in_use();
  if (!prefix) return message;
  std::string text;
  std::size_t at = 0;
  for (std::size_t open = message.find(opens); open != std::string::npos; open = message.find(opens, open + 1)) {
    const std::size_t name = open + opens.size();
    const std::size_t close = message.find(closes, name);
    if (close == std::string::npos) break;
    if (!is_name(std::string_view(message).substr(name, close - name))) continue;
    text += message.substr(at, open - at) + *prefix + message.substr(name, close - name);
    at = close + closes.size();
  }
  return text + message.substr(at);
}

void name_settings_with(const std::string& prefix) { prefix_in_use() = prefix; }

}  // namespace saltus
