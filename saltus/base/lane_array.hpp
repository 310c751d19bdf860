#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace saltus {

/// Memory that begins on a cache line: a register's load then never straddles two of them.
template <class T>
struct OnCacheLine {
  using value_type = T;
  static constexpr std::align_val_t alignment{64};

  OnCacheLine() = default;
  template <class U>
  OnCacheLine(const OnCacheLine<U>&) {}
  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), alignment)); }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, alignment); }
  bool operator==(const OnCacheLine&) const = default;
};

/// What kernels of lanes read and write: component i of lane l at [i * width + l].
using LaneArray = std::vector<double, OnCacheLine<double>>;

}  // namespace saltus
