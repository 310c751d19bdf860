#pragma once

#include <string>

#include "saltus/report/gnuplot_data.hpp"

namespace saltus {

/// What gnuplot made of a script: the bytes of the picture, or a complaint.
struct Drawn {
  std::string picture;
  std::string complaint;  // empty: it is drawn
};

/// Runs gnuplot without any file: script and data are handed over as descriptors, picture and complaints come back through
/// pipes. Nothing has a name that somebody else could guess, and nothing remains, whatever ends the program.
Drawn drawing_of(const std::string& script, const GnuplotData& data);

}  // namespace saltus
