#include <fmt/format.h>

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
    case SpecialKind::cusp: return "CP";
    case SpecialKind::resonance_11: return "R1";
    case SpecialKind::resonance_12: return "R2";
    case SpecialKind::resonance_13: return "R3";
    case SpecialKind::resonance_14: return "R4";
    case SpecialKind::fold_flip: return "FF";
    case SpecialKind::generalized_doubling: return "GPD";
    case SpecialKind::degenerate_torus: return "CH";
    case SpecialKind::fold_torus: return "LPNS";
    case SpecialKind::flip_torus: return "PDNS";
    case SpecialKind::generalized_hopf: return "GH";
    case SpecialKind::zero_hopf: return "ZH";
    case SpecialKind::double_hopf: return "HH";
  }
  return "";
}

namespace {

constexpr std::array all_kinds = {SpecialKind::fold,
                                  SpecialKind::branch_point,
                                  SpecialKind::period_doubling,
                                  SpecialKind::torus,
                                  SpecialKind::grazing,
                                  SpecialKind::sliding,
                                  SpecialKind::hopf,
                                  SpecialKind::wanted,
                                  SpecialKind::cusp,
                                  SpecialKind::resonance_11,
                                  SpecialKind::resonance_12,
                                  SpecialKind::resonance_13,
                                  SpecialKind::resonance_14,
                                  SpecialKind::fold_flip,
                                  SpecialKind::generalized_doubling,
                                  SpecialKind::degenerate_torus,
                                  SpecialKind::fold_torus,
                                  SpecialKind::flip_torus,
                                  SpecialKind::generalized_hopf,
                                  SpecialKind::zero_hopf,
                                  SpecialKind::double_hopf};

}  // namespace

std::string numbered_label(SpecialKind kind, int number) {
  const std::string_view name = label_of(kind);
  const bool ends_with_digit = !name.empty() && name.back() >= '0' && name.back() <= '9';
  return fmt::format("{}{}{}", name, ends_with_digit ? "-" : "", number);
}

SpecialKind kind_of_label(std::string_view label) {
  SpecialKind found = SpecialKind::none;  // LPNS is no LP
  for (const SpecialKind kind : all_kinds)
    if (label.starts_with(label_of(kind)) && label_of(kind).size() > label_of(found).size()) found = kind;
  return found;
}

std::vector<std::string> special_labels() {
  std::vector<std::string> labels;
  for (const SpecialKind kind : all_kinds) labels.emplace_back(label_of(kind));
  return labels;
}

bool is_ordinary(SpecialKind kind) { return kind == SpecialKind::none || kind == SpecialKind::wanted; }

bool is_equilibrium(SpecialKind kind) {
  return kind == SpecialKind::hopf || kind == SpecialKind::generalized_hopf || kind == SpecialKind::zero_hopf ||
         kind == SpecialKind::double_hopf;
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
