// COUNT SEED...: what libFuzzer does with a target, in short, without coverage and always the same: every seed as it is, then COUNT random changes of them.
// The seeds are files, or folders of which all files count. It is linked to one LLVMFuzzerTestOneInput; a fault ends it by a signal.

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Random = std::mt19937_64;
using Seeds = std::vector<std::string>;

constexpr std::size_t longest = 65536;
constexpr std::array<std::string_view, 16> words = {
    "-1",       "1e999",   "nan",      "\"inf\"", "18446744073709551616", "0", "{", "[", "]", "null", "\n", "#",
    "\xc2\x9b", "\\u0000", "[[[[[[[[", "'"};

std::size_t below(Random& random, std::size_t count) { return count == 0 ? 0 : random() % count; }

/// One change at a random place: a bit, a word, a stretch that goes, comes twice or comes from another seed, or an early end.
void change(std::string& text, const Seeds& seeds, Random& random) {
  const std::size_t at = below(random, text.size() + 1);
  const std::size_t length = below(random, 64);
  switch (below(random, 6)) {
    case 0:
      if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(random, 8)));
      break;
    case 1: text.replace(at, std::min(length / 8, text.size() - at), words[below(random, words.size())]); break;
    case 2: text.erase(at, length); break;
    case 3: text.insert(at, text.substr(at, length)); break;
    case 4: {
      const std::string& other = seeds[below(random, seeds.size())];
      text.insert(at, other, below(random, other.size() + 1), length);
      break;
    }
    default: text.resize(at); break;
  }
}

Seeds read_seeds(char** begin, char** end) {
  std::vector<std::filesystem::path> paths;
  for (char** name = begin; name != end; ++name) {
    if (!std::filesystem::is_directory(*name)) paths.emplace_back(*name);
    else
      for (const auto& entry : std::filesystem::recursive_directory_iterator(*name))
        if (entry.is_regular_file() && entry.file_size() <= longest) paths.push_back(entry.path());
  }
  std::ranges::sort(paths);  // folders are in no order
  Seeds seeds;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return seeds;
}

void run(const std::string& text) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), std::min(text.size(), longest));
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t count = 0;
  const std::string_view number = argc > 1 ? argv[1] : "";
  if (std::from_chars(number.data(), number.data() + number.size(), count).ec != std::errc() || argc < 3) {
    std::fputs("usage: saltus_NAME_mutations COUNT SEED...\n", stderr);
    return 2;
  }
  const Seeds seeds = read_seeds(argv + 2, argv + argc);
  if (seeds.empty()) {
    std::fputs("no seeds\n", stderr);
    return 2;
  }
  for (const std::string& seed : seeds) run(seed);
  Random random(1);
  for (std::size_t done = 0; done < count; ++done) {
    std::string text = seeds[below(random, seeds.size())];
    for (std::size_t changes = 1 + below(random, 4); changes > 0; --changes) change(text, seeds, random);
    run(text);
  }
  std::printf("%zu seeds, %zu changes of them\n", seeds.size(), count);
  return 0;
}
