// Of a build without LLVM: the code generator is the one of interpreted_code.cpp, linked.

#include "saltus/kernel/codegen_module.hpp"

extern "C" const saltus::CodegenModule* saltus_codegen_module(int version);

namespace saltus {

const CodegenModule& codegen_module() { return *saltus_codegen_module(codegen_module_version); }

}  // namespace saltus
