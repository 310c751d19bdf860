#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <vector>

#include <fmt/format.h>

#include "saltus/kernel/codegen.hpp"
#include "saltus/kernel/codegen_module.hpp"
#include "saltus/kernel/tape.hpp"

namespace saltus {
namespace {

#ifndef SALTUS_CODEGEN_FILE
#define SALTUS_CODEGEN_FILE "saltus_codegen.so"
#endif

/// Where the code generator may be, best first; the bare name goes through the search path of the program.
std::vector<std::string> module_places() {
  if (const char* given = std::getenv("SALTUS_CODEGEN")) return {given};
  std::vector<std::string> places;
  std::error_code none;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", none);
  if (!none) places.push_back((program.parent_path().parent_path() / "lib" / SALTUS_CODEGEN_FILE).string());
  Dl_info ours{};
  static const char inside = 0;
  if (dladdr(&inside, &ours) != 0 && ours.dli_fname != nullptr) {
    const std::filesystem::path folder = std::filesystem::path(ours.dli_fname).parent_path();
    places.push_back((folder / SALTUS_CODEGEN_FILE).string());
    places.push_back((folder / "lib" / SALTUS_CODEGEN_FILE).string());
  }
  places.emplace_back(SALTUS_CODEGEN_FILE);
  return places;
}

[[noreturn]] void refuse_module(const std::string& tried) {
  throw Error(ExitCode::file, fmt::format("the code generator cannot be loaded:{}\n"
                                          "  name its file in the environment variable SALTUS_CODEGEN, or install the "
                                          "package libllvm19",
                                          tried));
}

const CodegenModule& loaded_module() {
  std::string tried;
  for (const std::string& place : module_places()) {
    const bool is_path = place.find('/') != std::string::npos;
    if (is_path && !std::filesystem::exists(place)) {
      tried += fmt::format("\n  {}: no such file", place);
      continue;
    }
    void* const library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      tried += fmt::format("\n  {}", dlerror());
      continue;
    }
    const auto entry = reinterpret_cast<CodegenEntryPoint>(dlsym(library, codegen_entry_point));
    const CodegenModule* const module = entry == nullptr ? nullptr : entry(codegen_module_version);
    if (module != nullptr) return *module;
    tried += fmt::format("\n  {}: of another version", place);
  }
  refuse_module(tried);
}

/// Loaded on first use, so that nobody else waits for LLVM; never unloaded.
const CodegenModule& codegen_module() {
  static const CodegenModule& module = loaded_module();
  return module;
}

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
