#pragma once

#include <span>
#include <vector>

#include "saltus/kernel/codegen.hpp"
#include "saltus/model/model.hpp"

namespace saltus {

/// What is certain about the stiffness g of a [hill] model over intervals of time: where it changes its piece, and how large it is.
class HillBounds {
 public:
  /// Of a model and of the same as mechanics, whose switches they are.
  HillBounds(const Model& model, const Model& mechanics);

  /// Where the pieces of g meet, in order, between two times; parameters p.
  struct Instants {
    std::vector<double> t;
    bool complete = true;  // else there are so many that some may be missing
  };
  Instants switching_instants(std::span<const double> p, double start, double end) const;

  /// The side of every switch at a time: which piece g has there.
  std::vector<double> sides(std::span<const double> p, double t) const;

  /// Not below the largest g of a piece between two times; not a number, or infinite, if nothing is known.
  double largest_stiffness(std::span<const double> p, const std::vector<double>& sides, double from, double to) const;

  /// May g have features between the nodes of a step that none of them sees, such as exp(−((t − c)/w)²)?
  bool may_hide() const { return stiffness_discs_ != nullptr; }
  /// Is a piece of g between two times a polynomial of degree 15, but for a relative 10⁻¹³, or the interval so short that it does not
  /// matter beside `pace`, a number per time? Nodes of steps see such a polynomial.
  bool is_seen(std::span<const double> p, const std::vector<double>& sides, double from, double to, double pace) const;

  /// The parameters on which the switching instants depend.
  const std::vector<std::size_t>& switch_parameters() const { return switch_parameters_; }

 private:
  std::size_t surfaces_ = 0;
  std::vector<std::size_t> switch_parameters_;
  std::vector<NativeCode> code_;
  Kernel switches_ = nullptr;  // s, ṡ
  Kernel switches_bounds_ = nullptr;  // s, ṡ, s̈ over an interval: middle and radius of each
  Kernel stiffness_bounds_ = nullptr;
  Kernel stiffness_discs_ = nullptr;  // over discs of complex times; nothing if g can hide nothing
};

}  // namespace saltus
