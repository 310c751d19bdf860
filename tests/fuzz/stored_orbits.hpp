#pragma once

#include "saltus/driver/stored_orbits.hpp"
#include "tests/fuzz/fuzz_file.hpp"

/// Reads the bytes as orbits of the vibrating table: they fit the model, or are refused in words.
inline void read_as_orbits(const std::uint8_t* data, std::size_t size) {
  static const saltus::ModelReading reading = saltus::read_model_file("examples/vibrating_table.toml");
  if (!reading.model) std::abort();
  const saltus::Model& model = *reading.model;
  const FuzzFile file(data, size);
  expect_words([&] {
    const saltus::StoredOrbits stored = saltus::read_orbits(file.path(), model, 6.283185307179586);
    for (const saltus::StoredOrbit& orbit : stored.orbits) {
      saltus::require_fitting(orbit, model);
      if (!orbit.orbit) continue;
      for (const saltus::SegmentPlan& segment : orbit.orbit->plan.segments) {
        if (segment.mode.contacts().size() != model.contacts.size()) std::abort();
        if (saltus::is_event(segment.end) && segment.end.index >= model.contacts.size()) std::abort();
        if (segment.chatter && *segment.chatter >= model.contacts.size()) std::abort();
      }
    }
  });
}
