#pragma once

#include <optional>
#include <vector>

#include "saltus/flow/mechanism.hpp"
#include "saltus/flow/stop.hpp"

namespace saltus {

/// Which of the contacts that rest on each other stay closed.
struct Closing {
  std::optional<Outcome> stop;        // their forces are not determined, or no motion keeps them from overlapping
  std::vector<std::size_t> contacts;  // that closed, or that the stop is about
};

/// What tells accelerations from rounding: the state just before the instant, the forces that cancel in slides (`pulls_of`), the pace.
struct ClosingScales {
  const Vector& x_minus;
  const Vector& pulls;
  double natural_step;
};

/// Of the contacts `resting`, with h = γ = 0, those with a force in 0 ≤ λ ⊥ ḧ = G λ + b ≥ 0. Where λ and ḧ vanish together, what
/// they are a little later decides, along the motion that keeps the pressed ones closed; where they vanish for good, those of
/// `together` stay closed: contacts that were, or that an impulse has just made move as one. What the speeds just before and those of x
/// leave by rounding is no acceleration, nor is what forces leave that cancel in slides.
Closing closing_of(const Mechanism& mechanism, double t, const Vector& x, const Mode& mode,
                   const std::vector<std::size_t>& resting, const std::vector<char>& together,
                   const ClosingScales& scales);

/// |v̇| on the sides of the switches that a mode slides along or that hold it, the largest of each: what v̇ of the slide, and of its end, is a
/// difference of.
Vector pulls_of(const Mechanism& mechanism, double t, const Vector& x, const Mode& sliding);

/// A closed contact that pulls, beyond all doubt. To steps that begin with it its force never falls through zero: it would not be let go.
std::optional<std::size_t> pulling_contact(const Mechanism& mechanism, double t, const Vector& x, const Mode& mode);

/// Is there no velocity with γ ≥ 0 at all of these contacts?
bool exclude_each_other(const ContactValue& at, const Vector& x, const std::vector<std::size_t>& touching);

}  // namespace saltus
