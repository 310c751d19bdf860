#pragma once

#include <span>
#include <string>
#include <vector>

#include "saltus/base/source_span.hpp"

namespace saltus {

enum class Severity { error, warning, note };

/// One message to the author of a model: where, what is wrong, what was expected, one thing to do.
struct Diagnostic {
  Severity severity = Severity::error;
  SourceSpan span;
  std::string message;     // no capital, no full stop, names in quotes
  std::string expected;    // printed as "expected …"; empty if there is nothing to say
  std::string suggestion;  // printed as it is, usually "did you mean '…'?"
  std::vector<Diagnostic> notes;
};

/// The message as people read it: `file:line:column: error: …`, the source line with a caret, expectation, suggestion.
std::string rendered(const Diagnostic& diagnostic);

/// All messages in file order, each once, at most `limit` of them, with a last line that counts what was left out.
std::string rendered(std::span<const Diagnostic> diagnostics, int limit = 20);

/// True if one of them is an error.
bool has_errors(std::span<const Diagnostic> diagnostics);

/// Sorted by place, without repetitions.
std::vector<Diagnostic> in_file_order(std::vector<Diagnostic> diagnostics);

}  // namespace saltus
