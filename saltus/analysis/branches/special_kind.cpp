#include <array>

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
    case SpecialKind::wanted: return "UZ";
  }
  return "";
}

namespace {

using enum SpecialKind;
constexpr std::array kinds = {fold, branch_point, period_doubling, torus, grazing, sliding, hopf, wanted};

}  // namespace

SpecialKind kind_of_label(std::string_view label) {
  for (const SpecialKind kind : kinds)
    if (label.starts_with(label_of(kind))) return kind;
  return none;
}

std::vector<std::string> special_labels() {
  std::vector<std::string> labels;
  for (const SpecialKind kind : kinds) labels.emplace_back(label_of(kind));
  return labels;
}

bool is_ordinary(SpecialKind kind) { return kind == SpecialKind::none || kind == SpecialKind::wanted; }

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
