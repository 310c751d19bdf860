#pragma once

#include "saltus/flow/mechanism.hpp"

namespace saltus {

/// Gradients by x of everything that a mode keeps zero, one row each: of every state what the table says of it.
Matrix kept_gradients(const Mechanism& mechanism, double t, const Vector& x, const Mode& mode);

/// How many directions of the tangent a mode annihilates at a state that it keeps: the rank of these gradients. A switch slid along that
/// closed contacts keep at zero anyway takes none of its own.
std::size_t lost_directions(const Mechanism& mechanism, double t, const Vector& x, const Mode& mode);

}  // namespace saltus
