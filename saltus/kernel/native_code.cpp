#include <algorithm>
#include <array>
#include <cassert>
#include <new>
#include <vector>

#include <fmt/format.h>

#include "saltus/kernel/codegen.hpp"
#include "saltus/kernel/codegen_module.hpp"
#include "saltus/kernel/tape.hpp"

namespace saltus {
namespace {

template <unsigned width>
void interpret_lanes(const void* tape, const double* t, const double* x, const double* p, const double* mode,
                     const double* X, double* out) {
  for (unsigned lane = 0; lane < width; ++lane)
    static_cast<const Tape<double>*>(tape)->run_lane({t, x, p, mode, X}, out, width, lane);
}

LaneInterpreter interpreter_of(unsigned width) {
  switch (width) {
    case 1: return interpret_lanes<1>;
    case 2: return interpret_lanes<2>;
    case 4: return interpret_lanes<4>;
    case 8: return interpret_lanes<8>;
    default: throw Error(ExitCode::fault, fmt::format("no code of {} lanes: 1, 2, 4 or 8 are possible", width));
  }
}

}  // namespace

struct NativeCode::Compiled {
  unsigned width = 1;
  std::vector<std::unique_ptr<const Tape<double>>> tapes;
  std::vector<std::string> kernel_names;
  std::vector<std::string> loop_names;
  std::vector<void*> addresses;  // of the kernels, then of the loops
  void* code = nullptr;

  Compiled() = default;
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  ~Compiled() {
    if (code != nullptr) codegen_module().release(code);
  }

  void* find(const std::vector<std::string>& names, std::string_view name, std::size_t offset) const {
    const auto place = std::find(names.begin(), names.end(), name);
    if (place == names.end()) throw Error(ExitCode::fault, fmt::format("no function '{}' was compiled", name));
    return addresses[offset + static_cast<std::size_t>(place - names.begin())];
  }
};

NativeCode::NativeCode(std::span<const NamedProgram> programs, std::span<const NamedLoop> loops, unsigned width,
                       Processor processor, Effort effort) {
  auto compiled = std::make_unique<Compiled>();
  compiled->width = width;
  std::vector<KernelSource> kernel_sources;
  for (const NamedProgram& named : programs) {
    compiled->kernel_names.push_back(named.name);
    compiled->tapes.push_back(std::make_unique<const Tape<double>>(named.program));
    kernel_sources.push_back({&named.program, compiled->tapes.back().get()});
  }
  std::vector<const LoopProgram*> loop_sources;
  for (const NamedLoop& named : loops) {
    compiled->loop_names.push_back(named.name);
    loop_sources.push_back(&named.loop);
  }
  compiled->addresses.resize(programs.size() + loops.size());
  const CodegenRequest request = {
      kernel_sources.data(), kernel_sources.size(), loop_sources.data(), loop_sources.size(), width, processor, effort,
      interpreter_of(width)};
  std::array<char, 1000> message{};
  compiled->code = codegen_module().compile(&request, compiled->addresses.data(), message.data(), message.size());
  if (compiled->code == nullptr && message[0] == '\0') throw std::bad_alloc();
  if (compiled->code == nullptr)
    throw Error(ExitCode::fault, fmt::format("the code generator failed: {}", message.data()));
  compiled_ = std::move(compiled);
}

NativeCode::~NativeCode() = default;
NativeCode::NativeCode(NativeCode&&) noexcept = default;
NativeCode& NativeCode::operator=(NativeCode&&) noexcept = default;

unsigned NativeCode::width() const { return compiled_->width; }

Kernel NativeCode::kernel(std::string_view name) const {
  return reinterpret_cast<Kernel>(compiled_->find(compiled_->kernel_names, name, 0));
}

LoopKernel NativeCode::loop(std::string_view name) const {
  return reinterpret_cast<LoopKernel>(compiled_->find(compiled_->loop_names, name, compiled_->kernel_names.size()));
}

HostInfo host() {
  std::array<char, 64> version{};
  std::array<char, 64> cpu{};
  HostInfo info;
  codegen_module().describe_host(version.data(), cpu.data(), version.size(), &info.lanes);
  info.llvm_version = version.data();
  info.cpu = cpu.data();
  return info;
}

}  // namespace saltus
