#pragma once

#include <vector>

#include "saltus/flow/mode_table.hpp"
#include "saltus/kernel/layout.hpp"

namespace saltus {

/// What every contact and every switch is doing. In one mode everything is smooth.
class Mode {
 public:
  Mode() = default;
  /// Contacts open, switches on the plus side.
  explicit Mode(const Layout& layout)
      : contacts_(layout.contacts, ContactState::open), switches_(layout.switches, SwitchState::plus) {}
  Mode(std::vector<ContactState> contacts, std::vector<SwitchState> switches)
      : contacts_(std::move(contacts)), switches_(std::move(switches)) {}

  const std::vector<ContactState>& contacts() const { return contacts_; }
  const std::vector<SwitchState>& switches() const { return switches_; }

  bool is_closed(std::size_t i) const { return row_of(contacts_[i]).solved != Solved::nothing; }
  bool any_closed() const;
  std::vector<char> closed_contacts() const;  // one flag per contact

  /// ±1; −1 on the surface.
  double side(std::size_t k) const { return row_of(switches_[k]).inputs.front(); }
  /// On the surface of switch k and kept there: alone, or held where several meet.
  bool slides_along(std::size_t k) const { return row_of(switches_[k]).solved != Solved::nothing; }
  bool slides_alone(std::size_t k) const { return row_of(switches_[k]).solved == Solved::weight; }
  bool is_held(std::size_t k) const { return row_of(switches_[k]).solved == Solved::hull; }
  bool any_held() const;

  /// Something is solved for: the field is that of the kernels with masks.
  bool is_masked() const;
  /// Something is kept zero: the tangent loses directions, as many as `lost_directions` says.
  bool annihilates() const;

  void close(std::size_t i) { contacts_[i] = ContactState::closed; }
  void open(std::size_t i) { contacts_[i] = ContactState::open; }
  /// To the side of switch k: plus if `side` is positive.
  void pass(std::size_t k, double side) { switches_[k] = side > 0.0 ? SwitchState::plus : SwitchState::minus; }
  void slide(std::size_t k) { switches_[k] = SwitchState::slid; }
  /// Held, with sides that enter the function after `degree` differentiations, 1 or 2.
  void hold(std::size_t k, int degree) {
    switches_[k] = degree == 1 ? SwitchState::held_once : SwitchState::held_twice;
  }

  bool operator==(const Mode&) const = default;

 private:
  std::vector<ContactState> contacts_;
  std::vector<SwitchState> switches_;
};

/// What is watched in a mode: the guards of every state, those of a hull once, by the first switch in it.
std::vector<Guard> guards_of(const Mode& mode);

/// The mode as kernels read it, all elasticities 1.
std::vector<double> mode_inputs(const Mode& mode);

}  // namespace saltus
