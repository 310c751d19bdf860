#pragma once

#include <vector>

#include "saltus/kernel/layout.hpp"

namespace saltus {

/// Which contacts are closed, on which side of each switch the motion is, along which switches it slides, and which hold it
/// where they meet.
/// In one mode everything is smooth.
struct Mode {
  std::vector<char> closed;  // per contact
  std::vector<double> sign;  // per switch, ±1; −1 while sliding along it
  std::vector<char> filippov;  // per switch
  std::vector<char>
      held;  // per switch: 0, or how often the function is differentiated until the sides enter; see HeldField

  Mode() = default;
  explicit Mode(const Layout& layout)
      : closed(layout.contacts, 0),
        sign(layout.switches, 1.0),
        filippov(layout.switches, 0),
        held(layout.switches, 0) {}

  bool any_closed() const {
    for (const char c : closed)
      if (c) return true;
    return false;
  }
  /// On the surface of switch k and kept there.
  bool slides_along(std::size_t k) const { return filippov[k] != 0 || held[k] != 0; }
  bool any_held() const {
    for (const char h : held)
      if (h) return true;
    return false;
  }
  bool is_masked() const {
    for (const char f : filippov)
      if (f) return true;
    return any_closed() || any_held();
  }
  bool operator==(const Mode&) const = default;
};

/// The mode as kernels read it, all elasticities 1.
inline std::vector<double> mode_inputs(const Mode& mode) {
  std::vector<double> values(mode.closed.begin(), mode.closed.end());
  values.insert(values.end(), mode.sign.begin(), mode.sign.end());
  values.insert(values.end(), mode.filippov.begin(), mode.filippov.end());
  values.insert(values.end(), mode.closed.size(), 1.0);
  return values;
}

}  // namespace saltus
