// A code generator that generates none: kernels run in the interpreter, to the same bits. It is linked into builds without LLVM. Of others
// it is a module, which SALTUS_CODEGEN names to the program: a command of milliseconds spends nearly all its time in LLVM, and without it
// twenty thousand of them fit into a night.

#include <array>
#include <cstdio>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#include "saltus/kernel/codegen_module.hpp"
#include "saltus/kernel/tape.hpp"

namespace saltus {
namespace {

/// A kernel or a loop in the interpreter. One lane of a loop holds element d of a slot of its records at d slots + slot.
struct Interpreted {
  const void* tape = nullptr;
  LaneInterpreter interpret = nullptr;
  std::unique_ptr<const Tape<double>> body;
  const LoopProgram* loop = nullptr;
  unsigned width = 1;

  /// Element d of stream j: its place in lane 0.
  const double* element(const double* const* streams, std::uint32_t j, std::size_t d) const {
    const auto& records = loop->records;
    if (!records || j < records->first) return streams[j] + d * width;
    return streams[records->first] + (d * records->slots + (j - records->first)) * width;
  }
  double* output(double* const* outputs, std::size_t k, std::size_t d) const {
    const auto& records = loop->records;
    if (!records || k != records->output) return outputs[k] + d * width;
    return outputs[k] + (d * records->slots + records->slot) * width;
  }
};

/// Functions without arguments of their own, as many as there may be kernels at once; each finds in its place what it runs.
template <std::size_t size>
struct Places {
  std::array<Interpreted, size> all;
  std::vector<std::size_t> empty;
  std::mutex mutex;

  Places() {
    for (std::size_t i = size; i-- > 0;) empty.push_back(i);
  }
  std::size_t taken() {
    const std::lock_guard lock(mutex);
    if (empty.empty()) throw std::runtime_error("no place for another interpreted function");
    const std::size_t i = empty.back();
    empty.pop_back();
    return i;
  }
  void free(std::size_t i) {
    const std::lock_guard lock(mutex);
    all[i] = {};
    empty.push_back(i);
  }
};

constexpr std::size_t most_functions = 2048;
Places<most_functions> kernels;
Places<most_functions> loops;

template <std::size_t I>
void run_kernel(const double* t, const double* x, const double* p, const double* mode, const double* X, double* out) {
  const Interpreted& kernel = kernels.all[I];
  kernel.interpret(kernel.tape, t, x, p, mode, X, out);
}

void run_all_elements(const Interpreted& at, const double* const* streams, const double* scalars,
                      double* const* outputs, double* sums, std::size_t count) {
  const Program& body = at.body->program();
  std::uint32_t last_stream = 0;
  for (const InputRef& from : body.inputs)
    if (from.slot == Slot::state) last_stream = std::max(last_stream, from.index);
  std::vector<double> x(last_stream + 1);
  std::vector<double> p(1);
  for (const InputRef& from : body.inputs)
    if (from.slot != Slot::state) p.resize(std::max<std::size_t>(p.size(), from.index + 1));
  std::vector<double> results(body.outputs.size());
  for (unsigned lane = 0; lane < at.width; ++lane) {
    for (const InputRef& from : body.inputs)
      if (from.slot != Slot::state) p[from.index] = scalars[from.index * at.width + lane];
    for (std::size_t d = 0; d < count; ++d) {
      for (const InputRef& from : body.inputs)
        if (from.slot == Slot::state) x[from.index] = at.element(streams, from.index, d)[lane];
      at.body->run_lane({.x = x.data(), .p = p.data()}, results.data(), 1, 0);
      for (std::size_t k = 0; k < at.loop->stored; ++k) at.output(outputs, k, d)[lane] = results[k];
      for (std::size_t i = 0; i < at.loop->accumulated(); ++i)
        sums[i * at.width + lane] += results[at.loop->stored + i];
    }
  }
}

template <std::size_t I>
void run_loop(const double* const* streams, const double* scalars, double* const* outputs, double* sums,
              std::size_t count) {
  run_all_elements(loops.all[I], streams, scalars, outputs, sums, count);
}

template <std::size_t... I>
constexpr std::array<Kernel, sizeof...(I)> kernel_functions(std::index_sequence<I...>) {
  return {run_kernel<I>...};
}
template <std::size_t... I>
constexpr std::array<LoopKernel, sizeof...(I)> loop_functions(std::index_sequence<I...>) {
  return {run_loop<I>...};
}
constexpr auto functions_of_kernels = kernel_functions(std::make_index_sequence<most_functions>());
constexpr auto functions_of_loops = loop_functions(std::make_index_sequence<most_functions>());

/// The places that one request has taken; the loops of a request end with it.
struct Taken {
  std::vector<std::size_t> kernels_taken;
  std::vector<std::size_t> loops_taken;
  std::vector<std::unique_ptr<const LoopProgram>> programs;

  Taken() = default;
  Taken(const Taken&) = delete;
  Taken& operator=(const Taken&) = delete;
  ~Taken() {
    for (const std::size_t i : kernels_taken) kernels.free(i);
    for (const std::size_t i : loops_taken) loops.free(i);
  }
};

void* compile(const CodegenRequest* request, void** addresses, char* message, std::size_t message_size) {
  try {
    auto taken = std::make_unique<Taken>();
    for (std::size_t k = 0; k < request->kernel_count; ++k) {
      const std::size_t i = kernels.taken();
      taken->kernels_taken.push_back(i);
      kernels.all[i] = {.tape = request->kernels[k].tape, .interpret = request->interpret};
      *addresses++ = reinterpret_cast<void*>(functions_of_kernels[i]);
    }
    for (std::size_t k = 0; k < request->loop_count; ++k) {
      const std::size_t i = loops.taken();
      taken->loops_taken.push_back(i);
      taken->programs.push_back(std::make_unique<const LoopProgram>(*request->loops[k]));
      const LoopProgram* const loop = taken->programs.back().get();
      loops.all[i] = {.body = std::make_unique<const Tape<double>>(loop->body), .loop = loop, .width = request->width};
      *addresses++ = reinterpret_cast<void*>(functions_of_loops[i]);
    }
    return taken.release();
  } catch (const std::exception& error) {
    std::snprintf(message, message_size, "%s", error.what());
    return nullptr;
  }
}

void release(void* code) { delete static_cast<Taken*>(code); }

void describe_host(char* llvm_version, char* cpu, std::size_t size, unsigned* lanes) {
  std::snprintf(llvm_version, size, "none");
  std::snprintf(cpu, size, "interpreter");
  *lanes = 4;
}

}  // namespace
}  // namespace saltus

extern "C" const saltus::CodegenModule* saltus_codegen_module(int version) {
  static const saltus::CodegenModule module = {saltus::compile, saltus::release, saltus::describe_host};
  return version == saltus::codegen_module_version ? &module : nullptr;
}
