// Any bytes as a branch of `saltus continue`: it is read and fits the model, or is refused in words.

#include "saltus/driver/stored_orbits.hpp"
#include "tests/fuzz/fuzz_file.hpp"

namespace {

const saltus::Model& model() {
  static const saltus::ModelReading reading = saltus::read_model_file("examples/vibrating_table.toml");
  if (!reading.model) std::abort();
  return *reading.model;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const FuzzFile file(data, size);
  expect_words([&] {
    const saltus::StoredOrbits stored = saltus::read_orbits(file.path(), model(), 6.283185307179586);
    for (const saltus::StoredOrbit& orbit : stored.orbits) {
      saltus::require_fitting(orbit, model());
      if (!orbit.orbit) continue;
      for (const saltus::SegmentPlan& segment : orbit.orbit->plan.segments) {
        if (segment.mode.contacts().size() != model().contacts.size()) std::abort();
        if (saltus::is_event(segment.end) && segment.end.index >= model().contacts.size()) std::abort();
        if (segment.chatter && *segment.chatter >= model().contacts.size()) std::abort();
      }
    }
  });
  return 0;
}
