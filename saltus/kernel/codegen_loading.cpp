// Of a build with LLVM: the code generator is a module, loaded on first use, so that nobody else waits for LLVM.

#include <dlfcn.h>
#include <fmt/format.h>

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

const CodegenModule& loaded_module() {
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
