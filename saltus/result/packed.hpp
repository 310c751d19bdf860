#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace saltus {

/// Numbers and texts as bytes, each list with its length before it.
class Packing {
 public:
  void put(std::uint64_t number) { put_bytes(&number, sizeof number); }
  void put(const std::string& text) {
    put(static_cast<std::uint64_t>(text.size()));
    bytes_ += text;
  }
  void put(const std::vector<double>& numbers) {
    put(static_cast<std::uint64_t>(numbers.size()));
    if (!numbers.empty()) put_bytes(numbers.data(), numbers.size() * sizeof(double));
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void put_bytes(const void* data, std::size_t size) { bytes_.append(static_cast<const char*>(data), size); }
  std::string bytes_;
};

/// The same read back in the same order. Throws Broken where the bytes end too early.
class Unpacking {
 public:
  struct Broken {};
  explicit Unpacking(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    const std::string_view bytes = take(sizeof value);
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  std::string text() { return std::string(take(number())); }
  std::vector<double> numbers() {
    const std::uint64_t count = number();
    if (count > rest_.size() / sizeof(double)) throw Broken{};
    const std::string_view bytes = take(count * sizeof(double));
    std::vector<double> values(count);
    if (count > 0) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }

 private:
  std::string_view take(std::uint64_t size) {
    if (size > rest_.size()) throw Broken{};
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  std::string_view rest_;
};

}  // namespace saltus
