#pragma once

#include <cstddef>

#include "saltus/kernel/program.hpp"

namespace saltus {

/// The arrays a kernel reads, those of Slot in their order; an array that the program does not read may be null.
template <class Real>
struct KernelInputs {
  const Real* t = nullptr;
  const Real* x = nullptr;
  const Real* p = nullptr;
  const Real* mode = nullptr;
  const Real* X = nullptr;
};

/// The interpreter of a program, the second road beside native code: in double it gives the very same bits, in long double
/// it is a reference. Real is double or long double. Const and thread-safe.
template <class Real>
class Tape {
 public:
  explicit Tape(Program program);
  const Program& program() const { return program_; }

  /// out[i] = output i: the signature of native kernels, with one lane. `out` must not overlap the inputs.
  void operator()(const Real* t, const Real* x, const Real* p, const Real* mode, const Real* X, Real* out) const;

  /// One lane of arrays of the given width: component i is found at array[i * width + lane].
  void run_lane(const KernelInputs<Real>& in, Real* out, std::size_t width, std::size_t lane) const;

 private:
  Program program_;
};

/// The interpreter of a loop; arguments as in native code, with one lane.
template <class Real>
class LoopTape {
 public:
  explicit LoopTape(LoopProgram loop);
  const LoopProgram& loop() const { return loop_; }

  void operator()(const Real* const* streams, const Real* scalars, Real* const* outputs, Real* sums,
                  std::size_t count) const;

 private:
  LoopProgram loop_;
};

extern template class Tape<double>;
extern template class Tape<long double>;
extern template class LoopTape<double>;
extern template class LoopTape<long double>;

}  // namespace saltus
