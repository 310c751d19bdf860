#include "saltus/analysis/branches/orbit_branch.hpp"

namespace saltus {

std::string_view label_of(SpecialKind kind) {
  switch (kind) {
    case SpecialKind::none: return "";
    case SpecialKind::fold: return "LP";
    case SpecialKind::branch_point: return "BP";
    case SpecialKind::period_doubling: return "PD";
    case SpecialKind::torus: return "NS";
    case SpecialKind::grazing: return "GR";
    case SpecialKind::sliding: return "SL";
    case SpecialKind::hopf: return "HB";
  }
  return "";
}

std::string_view name_of(Passage passage) {
  switch (passage) {
    case Passage::none: return "none";
    case Passage::persists: return "persists";
    case Passage::folds_back: return "folds_back";
    case Passage::disappears: return "disappears";
  }
  return "";
}

}  // namespace saltus
