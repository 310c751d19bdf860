#pragma once

#include "saltus/model/model.hpp"

namespace saltus {

/// A [hill] model as a mechanism, for the event-driven engine: one coordinate x, mass 1, force −ḡ(t) x − a x', the contact
/// 'stop' with the gap x and the restitution of the model, forced with the period of ḡ, at rest at x = 1. A model of its
/// own: parameters, cases and switching surfaces included.
Model hill_mechanics(const Model& hill);

}  // namespace saltus
