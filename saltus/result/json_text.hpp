#pragma once

#include <complex>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "saltus/base/diagnostic.hpp"

namespace saltus {

/// JSON whose members keep the order in which they were written.
using Json = nlohmann::ordered_json;

/// A number for JSON: itself if finite, else one of the strings "inf", "-inf", "nan", which JSON has no numbers for.
Json json_number(double value);
Json json_numbers(std::span<const double> values);
/// {re, im, abs}.
Json json_complex(const std::complex<double>& value);

/// The value as indented text with a line feed at its end. A list of numbers or short texts stands on one line. A number
/// has as many digits, at most 17, as it takes to read back the same double; one that is not finite is written as its
/// string. Bytes that are no UTF-8 become U+FFFD.
std::string json_text(const Json& value);

/// [{file, line, column, last_column, severity, message, expected, suggestion, notes}] in file order, each once.
Json json_diagnostics(std::span<const Diagnostic> diagnostics);

}  // namespace saltus
