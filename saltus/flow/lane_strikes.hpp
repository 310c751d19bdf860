#pragma once

#include "saltus/flow/lane_row.hpp"
#include "saltus/flow/single_impact.hpp"

namespace saltus {

/// Plain impacts, done together for all lanes that stand before one.
class LaneStrikes {
 public:
  LaneStrikes(const Kernels& kernels, const FlowOptions& options, LaneRow& row);

  /// In free motion, and nothing but the gap has been met.
  bool may_be_plain(std::size_t l, const Guard& guard) const;
  /// The impacts of all lanes that are striking. What turns out not to be plain has no record, and is where it was.
  std::span<const SingleImpact::Blow> strike();
  /// A lane whose plain impact has been done.
  void fly_on(const SingleImpact::Blow& blow);

 private:
  bool is_near_watched(std::size_t l) const;

  const FlowOptions& options_;
  LaneRow& row_;
  SingleImpact single_impact_;
  std::vector<SingleImpact::Blow> blows_;
};

}  // namespace saltus
