// Of a build with LLVM: the code generator is a module, loaded on first use, so that nobody else waits for LLVM.

#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <array>
#include <cstdlib>
#include <filesystem>

#include "saltus/base/error.hpp"
#include "saltus/base/module_file.hpp"
#include "saltus/kernel/codegen_module.hpp"

namespace saltus {
namespace {

std::vector<std::string> places() {
  const char* const given = std::getenv("SALTUS_CODEGEN");
  if (given != nullptr && *given != '\0') return {given};  // the empty name would be that of this program
  return module_places("saltus_codegen.so");
}

[[noreturn]] void refuse_module(const std::string& tried) {
  throw Error(ExitCode::file, fmt::format("the code generator cannot be loaded:{}\n"
                                          "  name its file in the environment variable SALTUS_CODEGEN, or install the "
                                          "package libllvm19",
                                          tried));
}

/// An exception that passes through the C library, as through call_once, makes it load what unwinds, and end the program by a signal
/// where there is no memory for that. It is loaded ahead.
void make_ready_to_unwind() {
  std::array<void*, 1> frame{};
  backtrace(frame.data(), 1);
}

/// LLVM and the loader of modules are left by no exception unharmed: others wait for their locks for ever. So it is not begun where
/// memory is limited to less than it and a small model take.
void require_room() {
  constexpr std::size_t megabytes = 384;
  void* const room = mmap(nullptr, megabytes << 20U, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED)
    throw Error(ExitCode::file,
                fmt::format("out of memory: to compile a model takes {} MB\n  see ulimit -v", megabytes));
  munmap(room, megabytes << 20U);
}

const CodegenModule& loaded_module() {
  require_room();
  make_ready_to_unwind();
  std::string tried;
  for (const std::string& place : places()) {
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

}  // namespace

const CodegenModule& codegen_module() {
  static const CodegenModule& module = loaded_module();
  return module;
}

}  // namespace saltus
