#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "saltus/kernel/program.hpp"

namespace saltus {

/// Component i of lane l stands at array[i * W + l]; arrays need no alignment beyond that of double. `out` must not overlap
/// the inputs; an array that the program does not read may be null.
using Kernel = void (*)(const double* t, const double* x, const double* p, const double* mode, const double* X,
                        double* out);

/// Element d of stream j in lane l stands at streams[j][d * W + l], scalar i at scalars[i * W + l]. The accumulated outputs are
/// added to what is in sums. An output may be one of the streams: element d is read before it is written.
using LoopKernel = void (*)(const double* const* streams, const double* scalars, double* const* outputs, double* sums,
                            std::size_t count);

struct NamedProgram {
  std::string name;
  Program program;
};

struct NamedLoop {
  std::string name;
  LoopProgram loop;
};

/// For which processor: this one, or the oldest of its kind (no fused multiply-add; slow, the same results).
enum class Processor { host, oldest };

/// What the code generator saves: time of the functions it makes, or its own (a quarter of it; the same results).
enum class Effort { fast_code, fast_compilation };

/// Programs compiled in this process for W = 1, 2, 4 or 8 lanes. Each lane gives the bits that Tape<double> gives (the
/// payload and sign of what is not a number excepted). Its functions live as long as it does.
class NativeCode {
 public:
  /// Throws Error(file) if the code generator cannot be loaded, Error(fault) if it refuses a program.
  NativeCode(std::span<const NamedProgram> programs, std::span<const NamedLoop> loops, unsigned width,
             Processor processor = Processor::host, Effort effort = Effort::fast_code);
  ~NativeCode();
  NativeCode(NativeCode&&) noexcept;
  NativeCode& operator=(NativeCode&&) noexcept;

  unsigned width() const;
  /// The function of that name; it must exist.
  Kernel kernel(std::string_view name) const;
  LoopKernel loop(std::string_view name) const;

 private:
  struct Compiled;
  std::unique_ptr<const Compiled> compiled_;
};

struct HostInfo {
  std::string llvm_version;
  std::string cpu;
  unsigned lanes = 1;  // 8 with AVX-512, 4 with AVX, else 2
};
HostInfo host();

}  // namespace saltus
