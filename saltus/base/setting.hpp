#pragma once

#include <string>

namespace saltus {

/// Messages name what can be set in brackets: "⟨transient⟩ -1 is no length". How they are written is the front end's: "--transient" on
/// a command line, in a program that links the library the name alone. An Error does so with its message; other words go through this.
std::string said(const std::string& message);

/// What stands before the name of a setting from now on. A front end says it once, before anything else.
void name_settings_with(const std::string& prefix);

}  // namespace saltus
