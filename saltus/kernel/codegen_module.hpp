#pragma once

#include <cstddef>

#include "saltus/kernel/codegen.hpp"

namespace saltus {

// The door of the code generator: of lib/saltus_codegen.so, the only part that knows LLVM, or of the interpreter in its place. Both
// sides of it come from the same build.

/// Runs all lanes of a kernel in the interpreter: what native code calls when the argument of a sine is too large for
/// its own reduction.
using LaneInterpreter = void (*)(const void* tape, const double* t, const double* x, const double* p,
                                 const double* mode, const double* X, double* out);

struct KernelSource {
  const Program* program;
  const void* tape;  // for the LaneInterpreter; lives as long as the code
};

struct CodegenRequest {
  const KernelSource* kernels;
  std::size_t kernel_count;
  const LoopProgram* const* loops;
  std::size_t loop_count;
  unsigned width;
  Processor processor;
  Effort effort;
  LaneInterpreter interpret;
};

struct CodegenModule {
  /// Fills `addresses` (kernels, then loops) and returns the owner of the code, or null and a message; an empty one: memory has run out.
  void* (*compile)(const CodegenRequest* request, void** addresses, char* message, std::size_t message_size);
  void (*release)(void* code);
  void (*describe_host)(char* llvm_version, char* cpu, std::size_t size, unsigned* lanes);
};

inline constexpr int codegen_module_version = 3;
inline constexpr const char* codegen_entry_point = "saltus_codegen_module";
/// Null if the module is of another version.
using CodegenEntryPoint = const CodegenModule* (*)(int version);

/// The code generator of this build; it is never unloaded. Throws Error(fault) if it cannot be loaded.
const CodegenModule& codegen_module();

}  // namespace saltus
