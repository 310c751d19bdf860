#pragma once

#include <string>
#include <utility>
#include <vector>

namespace saltus {

/// What it takes to compute a result again.
struct Recipe {
  std::string program;     // "saltus 0.1.0"
  std::string command;     // "saltus simulate ball.toml --time 5"
  std::string model_file;  // as it was named
  std::string model_text;
  std::string case_name;   // empty: none
  std::vector<std::pair<std::string, std::string>> assignments;
  std::vector<std::pair<std::string, std::string>> settings;  // "rtol" → "1e-10": all that were in force, given or not

  bool operator==(const Recipe&) const = default;
};

/// "saltus 0.1.0"
std::string program_name();

/// The word as a shell reads it: quoted if it has to be.
std::string shell_word(const std::string& word);

}  // namespace saltus
