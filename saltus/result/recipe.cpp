#include "saltus/result/recipe.hpp"

#include <algorithm>
#include <cctype>

namespace saltus {

std::string program_name() { return "saltus " SALTUS_VERSION; }

std::string shell_word(const std::string& word) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) || std::string_view("_-+=./:,@%").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace saltus
