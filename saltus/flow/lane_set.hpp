#pragma once

#include <bit>
#include <cstddef>

namespace saltus {

/// Some of the lanes of a row. To go through those that are meant costs one guess of the processor less per lane than to ask each of them
/// whether it is.
class LaneSet {
 public:
  constexpr LaneSet() = default;
  /// All lanes of a row.
  static constexpr LaneSet all(std::size_t width) { return LaneSet((1U << width) - 1U); }
  static constexpr LaneSet only(std::size_t l) { return LaneSet(1U << l); }
  static constexpr LaneSet only_if(std::size_t l, bool is_in) { return LaneSet(static_cast<unsigned>(is_in) << l); }

  constexpr bool has(std::size_t l) const { return ((bits_ >> l) & 1U) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr long count() const { return std::popcount(bits_); }
  constexpr std::size_t first() const { return static_cast<std::size_t>(std::countr_zero(bits_)); }
  constexpr std::size_t last() const { return static_cast<std::size_t>(std::bit_width(bits_)) - 1; }
  constexpr void set(std::size_t l, bool is_in) { bits_ = (bits_ & ~(1U << l)) | (static_cast<unsigned>(is_in) << l); }
  constexpr void add(std::size_t l) { bits_ |= 1U << l; }
  constexpr void remove(std::size_t l) { bits_ &= ~(1U << l); }

  friend constexpr LaneSet operator|(LaneSet a, LaneSet b) { return LaneSet(a.bits_ | b.bits_); }
  friend constexpr LaneSet operator&(LaneSet a, LaneSet b) { return LaneSet(a.bits_ & b.bits_); }
  /// Those of a that are not in b.
  friend constexpr LaneSet operator-(LaneSet a, LaneSet b) { return LaneSet(a.bits_ & ~b.bits_); }
  constexpr bool operator==(const LaneSet&) const = default;

  /// Goes through the lanes that were in the set when it began.
  class Iterator {
   public:
    constexpr explicit Iterator(unsigned bits) : bits_(bits) {}
    constexpr std::size_t operator*() const { return static_cast<std::size_t>(std::countr_zero(bits_)); }
    constexpr Iterator& operator++() {
      bits_ &= bits_ - 1U;
      return *this;
    }
    constexpr bool operator==(const Iterator&) const = default;

   private:
    unsigned bits_;
  };
  constexpr Iterator begin() const { return Iterator(bits_); }
  constexpr Iterator end() const { return Iterator(0); }

 private:
  constexpr explicit LaneSet(unsigned bits) : bits_(bits) {}
  unsigned bits_ = 0;
};

/// The lanes l < width for which `is_in(l)` holds; it is asked of all, without a branch.
template <class IsIn>
constexpr LaneSet lanes_where(std::size_t width, const IsIn& is_in) {
  LaneSet found;
  for (std::size_t l = 0; l < width; ++l) found = found | LaneSet::only_if(l, is_in(l));
  return found;
}

}  // namespace saltus
