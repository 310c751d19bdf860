#pragma once

#include <string>

#include "saltus/report/gnuplot_data.hpp"

namespace saltus {

/// What gnuplot made of a script: the bytes of the picture, or a complaint.
struct DrawnPicture {
  std::string picture;
  std::string complaint;  // empty: it is drawn
};

/// Runs gnuplot without any file: script and data are handed over as descriptors, picture and complaints come back through
/// pipes. Nothing has a name that somebody else could guess, and nothing remains, whatever ends the program.
DrawnPicture drawing_of(const std::string& script, const GnuplotData& data);

/// Ends the gnuplot that is at work. May be called in the handler of a signal.
void stop_drawing() noexcept;

}  // namespace saltus
