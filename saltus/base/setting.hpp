#pragma once

#include <string>

namespace saltus {

/// Messages name what can be set in brackets: "⟨transient⟩ -1 is no length". A front end has them its own way: this is the message
/// as it writes it, "--transient -1 is no length" on a command line, and unchanged where nobody has said how.
std::string said(const std::string& message);

/// What stands before the name of a setting, without brackets, from now on. A front end says it once, before anything else.
void name_settings_with(const std::string& prefix);

}  // namespace saltus
