#pragma once

#include <string>

#include "saltus/driver/continuation.hpp"
#include "saltus/report/figure.hpp"
#include "saltus/result/json_text.hpp"
#include "saltus/result/result_file.hpp"

namespace saltus {

std::string in_words(SpecialKind kind);

/// Special points and ends.
std::string to_text(const ContinueResult& result);

/// points [{point, p, x, period, multipliers, stable, converged, label, sequence, observed}], special [{label, point, kind, p, x, passage, note, sequence,
/// sequence_beyond, null_vector, orbit}], sequences, ends.
Json to_json(const ContinueResult& result);

ResultFile result_file(const ContinueResult& result);

/// Throws Error(file) or Error(usage) if the file is no result of `saltus diagram` in the parameter.
void require_diagram(const std::string& file, const std::string& parameter);

/// Stable orbits solid, unstable ones dashed, special points with their labels, over the points of a diagram if a file of one is named.
Figure figure(const ContinueResult& result, const std::string& over = {});

}  // namespace saltus
