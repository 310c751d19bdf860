#include "saltus/report/event.hpp"

#include <nlohmann/json.hpp>
#include <vector>

#include "saltus/driver/numbers.hpp"

namespace saltus {
namespace {

bool is_of_a_contact(EventKind kind) {
  switch (kind) {
    case EventKind::impact:
    case EventKind::chatter:
    case EventKind::slide_start:
    case EventKind::slide_end:
    case EventKind::grazing: return true;
    default: return false;
  }
}

}  // namespace

std::string contact_name(const Model& model, const Event& event) {
  return is_of_a_contact(event.kind) ? model.contacts[event.index].name : "";
}

std::string switch_name(const Model& model, const Event& event) {
  return is_of_a_contact(event.kind) || event.kind == EventKind::section ? "" : model.switches[event.index].text;
}

Json event_json(const Model& model, const Event& event) {
  const std::size_t n = model.n();
  const std::string contact = contact_name(model, event);
  Json json = {{"t", json_number(event.t)},
               {"kind", name_of(event.kind)},
               {"contact", contact.empty() ? Json(nullptr) : Json(contact)},
               {"gamma_minus", json_number(event.gamma_minus)},
               {"gamma_plus", json_number(event.gamma_plus)},
               {"impulse", json_number(event.impulse)},
               {"q", json_numbers(part(event.x_plus, 0, n))},
               {"v_minus", json_numbers(part(event.x_minus, n, n))},
               {"v_plus", json_numbers(part(event.x_plus, n, n))}};
  if (event.kind == EventKind::accumulation) {
    json["ratio"] = json_number(event.ratio);
    Json surfaces = Json::array();
    for (const std::size_t k : event.switches) surfaces.push_back(model.switches[k].text);
    json["surfaces"] = std::move(surfaces);
    return json;
  }
  if (const std::string name = switch_name(model, event); !name.empty()) json["switch"] = name;
  return json;
}

}  // namespace saltus
