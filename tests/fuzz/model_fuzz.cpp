// Any bytes as a model file: read_model must end soon, with a model or with diagnostics that can be printed; what it
// accepts can be set up, with settings from the same bytes too.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "saltus/model/model.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const saltus::ModelReading reading = saltus::read_model("fuzz.toml", text);
  const std::string messages = saltus::rendered(reading.diagnostics);
  if (!reading.model && messages.empty()) std::abort();  // refused without a word
  if (!reading.model) return 0;
  for (const std::string& name : reading.model->component_names()) {
    const auto setup = saltus::set_up(*reading.model, "", {{name, text.substr(0, 40)}, {text.substr(0, 3), name}});
    if (!setup.setup && setup.diagnostics.empty()) std::abort();
  }
  for (const saltus::Case& variant : reading.model->cases)
    if (!saltus::set_up(*reading.model, variant.name, {}).setup) std::abort();  // read_model has checked every case
  return 0;
}
