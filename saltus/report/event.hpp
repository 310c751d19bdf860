#pragma once

#include <string>

#include "saltus/flow/event.hpp"
#include "saltus/model/model.hpp"
#include "saltus/result/json_text.hpp"

namespace saltus {

/// The contact of an event; empty if it belongs to none.
std::string contact_name(const Model& model, const Event& event);
/// The switching surface of an event; empty if it belongs to none.
std::string switch_name(const Model& model, const Event& event);

/// {t, kind, contact, gamma_minus, gamma_plus, impulse, q, v_minus, v_plus}, and switch at a switching surface.
Json event_json(const Model& model, const Event& event);

}  // namespace saltus
