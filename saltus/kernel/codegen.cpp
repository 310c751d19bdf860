#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm/Support/ErrorHandling.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <tuple>

#include "saltus/kernel/codegen_module.hpp"
#include "saltus/kernel/ir_program.hpp"

namespace saltus {
namespace {

using Value = LLVMValueRef;

std::string taken(char* text) {
  std::string copy = text;
  LLVMDisposeMessage(text);
  return copy;
}

void require(LLVMErrorRef error) {
  if (error == nullptr) return;
  char* const text = LLVMGetErrorMessage(error);
  const std::string copy = text;
  LLVMDisposeErrorMessage(text);
  throw std::runtime_error(copy);
}

/// LLVM would end the program by a signal where it gets no memory. An exception would leave it with all its locks, for which other
/// threads would wait: the program ends, as it does for want of memory elsewhere where nothing can be caught.
void end_for_want_of_memory(void* /*nothing*/, const char* /*reason*/, bool /*diagnose*/) {
  try {
    throw std::bad_alloc();
  } catch (...) { std::terminate(); }
}

/// For which machine code is made.
struct Machine {
  std::string triple;
  std::string cpu;
  std::string features;

  bool has(const std::string& feature) const { return features.find('+' + feature) != std::string::npos; }
  /// Numbers in the largest register.
  unsigned lanes() const { return has("avx512f") ? 8 : has("avx") ? 4 : 2; }
};

Machine machine_of(Processor processor) {
  static std::once_flag initialized;
  std::call_once(initialized, [] {
    llvm::install_bad_alloc_error_handler(end_for_want_of_memory);
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
  });
  const std::string triple = taken(LLVMGetDefaultTargetTriple());
  if (processor == Processor::host) return {triple, taken(LLVMGetHostCPUName()), taken(LLVMGetHostCPUFeatures())};
  return {triple, triple.rfind("x86_64", 0) == 0 ? "x86-64" : "generic", ""};
}

LLVMTargetMachineRef target_machine(const Machine& machine, Effort effort) {
  LLVMTargetRef target = nullptr;
  char* message = nullptr;
  if (LLVMGetTargetFromTriple(machine.triple.c_str(), &target, &message) != 0) throw std::runtime_error(taken(message));
  return LLVMCreateTargetMachine(target, machine.triple.c_str(), machine.cpu.c_str(), machine.features.c_str(),
                                 effort == Effort::fast_code ? LLVMCodeGenLevelDefault : LLVMCodeGenLevelNone,
                                 LLVMRelocPIC, LLVMCodeModelSmall);
}

std::string kernel_symbol(std::size_t i) { return "kernel_" + std::to_string(i); }
std::string loop_symbol(std::size_t i) { return "loop_" + std::to_string(i); }

/// Writes the functions of a request into a module.
class ModuleWriter {
 public:
  ModuleWriter(LLVMModuleRef module, const CodegenRequest& request, unsigned register_lanes)
      : module_(module),
        context_(LLVMGetModuleContext(module)),
        builder_(LLVMCreateBuilderInContext(context_), LLVMDisposeBuilder),
        request_(request),
        register_lanes_(register_lanes) {}

  void write() {
    for (std::size_t i = 0; i < request_.kernel_count; ++i) write_kernel(kernel_symbol(i), request_.kernels[i]);
    for (std::size_t i = 0; i < request_.loop_count; ++i) write_loop(loop_symbol(i), *request_.loops[i]);
  }

 private:
  IrArithmetic arithmetic(unsigned lanes) { return {module_, builder_.get(), tables_, lanes}; }

  Value begin_function(const std::string& name, std::vector<LLVMTypeRef> arguments) {
    LLVMTypeRef type =
        LLVMFunctionType(LLVMVoidTypeInContext(context_), arguments.data(), static_cast<unsigned>(arguments.size()), 0);
    const Value function = LLVMAddFunction(module_, name.c_str(), type);
    add_attribute(function, LLVMAttributeFunctionIndex, "nounwind");
    LLVMAddTargetDependentFunctionAttr(function, "prefer-vector-width", "512");
    LLVMPositionBuilderAtEnd(builder_.get(), LLVMAppendBasicBlockInContext(context_, function, ""));
    return function;
  }

  void add_attribute(Value function, LLVMAttributeIndex where, const std::string& name) {
    const unsigned kind = LLVMGetEnumAttributeKindForName(name.c_str(), name.size());
    LLVMAddAttributeAtIndex(function, where, LLVMCreateEnumAttribute(context_, kind, 0));
  }

  void write_kernel(const std::string& name, const KernelSource& source) {
    const IrArithmetic a = arithmetic(request_.width);
    const unsigned arguments = slot_count + 1;
    const Value function = begin_function(name, std::vector<LLVMTypeRef>(arguments, a.pointer_type()));
    for (unsigned i = 1; i <= arguments; ++i) add_attribute(function, i, "noalias");
    const auto load = [&](std::size_t i) {
      const InputRef& from = source.program->inputs[i];
      const Value array = LLVMGetParam(function, static_cast<unsigned>(from.slot));
      const Value value = a.load(a.element(array, a.index(std::uint64_t{from.index} * request_.width)));
      a.mark_invariant(value);  // `out` does not overlap the arrays
      return value;
    };
    const auto store = [&](std::size_t k, Value value) {
      a.store(value, a.element(LLVMGetParam(function, slot_count), a.index(k * request_.width)));
    };
    Exit exit{function, nullptr};
    const auto check = [&](const IrArithmetic& wide, Value size) { leave_if_too_large(wide, size, exit); };
    const Sines sines{check, request_.width == 1 ? register_lanes_ : 1};
    IrProgram(a, *source.program, sines, [&] { begin_block(exit); }).generate(load, store);
    LLVMBuildRetVoid(builder_.get());
    if (exit.block != nullptr) write_exit(a, exit, source.tape);
  }

  /// Where a kernel leaves for the interpreter.
  struct Exit {
    Value function;
    LLVMBasicBlockRef block;
  };

  /// Goes on in a block of its own unless one of the numbers is outside the range of the code on the spot.
  void leave_if_too_large(const IrArithmetic& a, Value size, Exit& exit) {
    if (exit.block == nullptr) exit.block = LLVMAppendBasicBlockInContext(context_, exit.function, "again");
    LLVMBasicBlockRef next = LLVMInsertBasicBlockInContext(context_, exit.block, "");
    const Value too_large = a.any(a.compare(LLVMRealOGT, size, a.number(largest_sine_argument)));
    const Value branch = LLVMBuildCondBr(builder_.get(), too_large, exit.block, next);
    std::array<LLVMMetadataRef, 3> rarely = {LLVMMDStringInContext2(context_, "branch_weights", 14), weight(1),
                                             weight(1000000)};
    const unsigned kind = LLVMGetMDKindIDInContext(context_, "prof", 4);
    LLVMSetMetadata(branch, kind, LLVMMetadataAsValue(context_, LLVMMDNodeInContext2(context_, rarely.data(), 3)));
    LLVMPositionBuilderAtEnd(builder_.get(), next);
  }

  /// A block of its own, also after LLVM has joined what it can: its address is taken.
  void begin_block(const Exit& exit) {
    LLVMBasicBlockRef next = exit.block == nullptr ? LLVMAppendBasicBlockInContext(context_, exit.function, "")
                                                   : LLVMInsertBasicBlockInContext(context_, exit.block, "");
    LLVMBlockAddress(exit.function, next);
    LLVMBuildBr(builder_.get(), next);
    LLVMPositionBuilderAtEnd(builder_.get(), next);
  }

  LLVMMetadataRef weight(std::uint64_t count) {
    return LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(context_), count, 0));
  }

  /// All lanes again in the interpreter, from the start: what was stored already is stored anew.
  void write_exit(const IrArithmetic& a, const Exit& exit, const void* tape) {
    LLVMPositionBuilderAtEnd(builder_.get(), exit.block);
    std::vector<Value> arguments = {a.index(reinterpret_cast<std::uintptr_t>(tape))};
    std::vector<LLVMTypeRef> types = {a.index_type()};
    for (unsigned i = 0; i <= slot_count; ++i) {
      arguments.push_back(LLVMGetParam(exit.function, i));
      types.push_back(a.pointer_type());
    }
    LLVMTypeRef type =
        LLVMFunctionType(LLVMVoidTypeInContext(context_), types.data(), static_cast<unsigned>(types.size()), 0);
    a.call(type, reinterpret_cast<const void*>(request_.interpret), arguments);
    LLVMBuildRetVoid(builder_.get());
  }

  /// The arrays of a loop, loaded before it begins.
  struct LoopFrame {
    Value function;
    std::vector<Value> inputs;  // the array of each stream, the number of each scalar, as the body orders them
    std::vector<Value> outputs;  // arrays
    std::vector<Value> sums;  // numbers so far
  };

  /// Elements that go through a register together.
  unsigned most_together() const { return std::max(1U, register_lanes_ / request_.width); }

  /// Narrow lanes leave most of a register empty: then several elements go through it at once, and a second loop does
  /// what remains. The sums still take the elements in order.
  void write_loop(const std::string& name, const LoopProgram& loop) {
    const IrArithmetic a = arithmetic(request_.width);
    LLVMTypeRef pointer = a.pointer_type();
    LoopFrame frame;
    frame.function = begin_function(name, {pointer, pointer, pointer, pointer, a.index_type()});
    load_frame(a, loop, frame);
    const Value sums = LLVMGetParam(frame.function, 3);
    const Value count = LLVMGetParam(frame.function, 4);
    const unsigned together = most_together();
    Value first = a.index(0);
    if (together > 1) first = write_elements(loop, frame, together, first, count);
    write_elements(loop, frame, 1, first, count);
    for (std::size_t i = 0; i < frame.sums.size(); ++i)
      a.store(frame.sums[i], a.element(sums, a.index(i * request_.width)));
    LLVMBuildRetVoid(builder_.get());
  }

  Value loaded_pointer(const IrArithmetic& a, Value array, std::uint64_t i) {
    Value index = a.index(i);
    const Value place = LLVMBuildInBoundsGEP2(builder_.get(), a.pointer_type(), array, &index, 1, "");
    return LLVMBuildLoad2(builder_.get(), a.pointer_type(), place, "");
  }

  void load_frame(const IrArithmetic& a, const LoopProgram& loop, LoopFrame& frame) {
    const Value streams = LLVMGetParam(frame.function, 0);
    const Value scalars = LLVMGetParam(frame.function, 1);
    const Value outputs = LLVMGetParam(frame.function, 2);
    const Value sums = LLVMGetParam(frame.function, 3);
    Value records = nullptr;
    for (const InputRef& from : loop.body.inputs) {
      if (in_records(loop, from)) {
        if (records == nullptr) records = loaded_pointer(a, streams, loop.records->first);
        frame.inputs.push_back(records);
        continue;
      }
      frame.inputs.push_back(from.slot == Slot::state
                                 ? loaded_pointer(a, streams, from.index)
                                 : a.load(a.element(scalars, a.index(std::uint64_t{from.index} * request_.width))));
    }
    for (std::size_t k = 0; k < loop.stored; ++k) frame.outputs.push_back(loaded_pointer(a, outputs, k));
    for (std::size_t i = 0; i < loop.accumulated(); ++i)
      frame.sums.push_back(a.load(a.element(sums, a.index(i * request_.width))));
  }

  static bool in_records(const LoopProgram& loop, const InputRef& from) {
    return loop.records && from.slot == Slot::state && from.index >= loop.records->first;
  }

  /// Where slot 0 of the record of an element stands. A record holds `most_together` elements side by side in each slot; in the
  /// second loop, which begins at `first`, only the last record is left.
  Value record_place(const LoopProgram& loop, Value element, unsigned together, Value first) {
    const IrArithmetic a = arithmetic(request_.width);
    const auto times = [&](Value i, std::uint64_t factor) {
      return LLVMBuildMul(builder_.get(), i, a.index(factor * request_.width), "");
    };
    if (together == most_together()) return times(element, loop.records->slots);
    return LLVMBuildAdd(builder_.get(), times(element, 1), times(first, loop.records->slots - 1), "");
  }

  Value slot_offset(std::uint64_t slot) {
    return arithmetic(request_.width).index(slot * most_together() * request_.width);
  }

  /// The lanes first … first + width − 1 (mod the length) of a value.
  Value shuffled(Value value, unsigned from, unsigned modulus, unsigned length) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(context_);
    std::vector<Value> mask;
    for (unsigned l = 0; l < length; ++l) mask.push_back(LLVMConstInt(i32, from + l % modulus, 0));
    return LLVMBuildShuffleVector(builder_.get(), value, LLVMGetUndef(LLVMTypeOf(value)),
                                  LLVMConstVector(mask.data(), length), "");
  }

  /// The number of each lane, once for each of `together` elements.
  Value repeated(Value scalar, unsigned together) {
    if (together == 1) return scalar;
    if (request_.width > 1) return shuffled(scalar, 0, request_.width, request_.width * together);
    LLVMTypeRef one = LLVMVectorType(LLVMTypeOf(scalar), 1);
    const Value first = LLVMBuildInsertElement(builder_.get(), LLVMGetUndef(one), scalar, arithmetic(1).index(0), "");
    return shuffled(first, 0, 1, together);
  }

  /// Element u of `together` in a value.
  Value part(const IrArithmetic& wide, Value value, unsigned u) {
    if (wide.lanes() == request_.width) return value;
    if (request_.width == 1) return wide.lane(value, u);
    return shuffled(value, u * request_.width, request_.width, request_.width);
  }

  /// Elements first, first + together, … as long as `together` of them remain. Returns the first element not done.
  Value write_elements(const LoopProgram& loop, LoopFrame& frame, unsigned together, Value first, Value count) {
    const IrArithmetic narrow = arithmetic(request_.width);
    const IrArithmetic wide = arithmetic(request_.width * together);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(builder_.get());
    std::vector<Value> inputs = frame.inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (loop.body.inputs[i].slot != Slot::state) inputs[i] = repeated(inputs[i], together);
    LLVMBasicBlockRef head = LLVMAppendBasicBlockInContext(context_, frame.function, "head");
    LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(context_, frame.function, "body");
    LLVMBasicBlockRef after = LLVMAppendBasicBlockInContext(context_, frame.function, "after");
    LLVMBuildBr(builder_.get(), head);

    LLVMPositionBuilderAtEnd(builder_.get(), head);
    std::vector<Value> carried = {first};
    carried.insert(carried.end(), frame.sums.begin(), frame.sums.end());
    std::vector<Value> phis;
    for (Value& value : carried) {
      phis.push_back(LLVMBuildPhi(builder_.get(), LLVMTypeOf(value), ""));
      LLVMAddIncoming(phis.back(), &value, &before, 1);
    }
    const Value next = LLVMBuildAdd(builder_.get(), phis[0], narrow.index(together), "");
    LLVMBuildCondBr(builder_.get(), LLVMBuildICmp(builder_.get(), LLVMIntULE, next, count, ""), body, after);

    LLVMPositionBuilderAtEnd(builder_.get(), body);
    const Value place = LLVMBuildMul(builder_.get(), phis[0], narrow.index(request_.width), "");
    const Value record = loop.records ? record_place(loop, phis[0], together, first) : nullptr;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const InputRef& from = loop.body.inputs[i];
      if (in_records(loop, from))
        inputs[i] =
            wide.load(wide.element(wide.element(inputs[i], record), slot_offset(from.index - loop.records->first)));
      else if (from.slot == Slot::state) inputs[i] = wide.load(wide.element(inputs[i], place));
    }
    // Stored last, because an output may be one of the streams.
    std::vector<Value> results(loop.body.outputs.size());
    IrProgram(wide, loop.body, {})
        .generate([&](std::size_t i) { return inputs[i]; }, [&](std::size_t k, Value value) { results[k] = value; });
    for (std::size_t k = 0; k < loop.stored; ++k) {
      const bool recorded = loop.records && loop.records->output == k;
      const Value to = wide.element(frame.outputs[k], recorded ? record : place);
      wide.store(results[k], recorded ? wide.element(to, slot_offset(loop.records->slot)) : to);
    }
    std::vector<Value> updated = {next};
    for (std::size_t i = 0; i < frame.sums.size(); ++i) {
      Value sum = phis[i + 1];
      for (unsigned u = 0; u < together; ++u) sum = narrow.add(sum, part(wide, results[loop.stored + i], u));
      updated.push_back(sum);
    }
    LLVMBasicBlockRef last = LLVMGetInsertBlock(builder_.get());
    for (std::size_t i = 0; i < phis.size(); ++i) LLVMAddIncoming(phis[i], &updated[i], &last, 1);
    LLVMBuildBr(builder_.get(), head);

    LLVMPositionBuilderAtEnd(builder_.get(), after);
    frame.sums.assign(phis.begin() + 1, phis.end());
    return phis[0];
  }

  LLVMModuleRef module_;
  LLVMContextRef context_;
  std::unique_ptr<LLVMOpaqueBuilder, void (*)(LLVMBuilderRef)> builder_;
  const CodegenRequest& request_;
  unsigned register_lanes_;
  IrArithmetic::Tables tables_;
};

struct Jit {
  LLVMOrcLLJITRef jit = nullptr;
  std::string complaint;  // the first; what a lookup says is that there is no such function

  Jit(const Machine& machine, Effort effort) {
    LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
    LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(
        builder, LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(target_machine(machine, effort)));
    require(LLVMOrcCreateLLJIT(&jit, builder));
    LLVMOrcExecutionSessionSetErrorReporter(LLVMOrcLLJITGetExecutionSession(jit), keep_complaint, this);
  }
  Jit(const Jit&) = delete;
  Jit& operator=(const Jit&) = delete;
  ~Jit() { LLVMConsumeError(LLVMOrcDisposeLLJIT(jit)); }

  void* address(const std::string& symbol) const {
    LLVMOrcExecutorAddress found = 0;
    LLVMErrorRef error = LLVMOrcLLJITLookup(jit, &found, symbol.c_str());
    if (error != nullptr && !complaint.empty()) {
      LLVMConsumeError(error);
      if (complaint.find(std::generic_category().message(ENOMEM)) != std::string::npos) throw std::bad_alloc();
      throw std::runtime_error(complaint);
    }
    require(error);
    return std::bit_cast<void*>(found);
  }

 private:
  static void keep_complaint(void* self, LLVMErrorRef error) {
    char* const text = LLVMGetErrorMessage(error);
    std::string& complaint = static_cast<Jit*>(self)->complaint;
    if (complaint.empty()) complaint = text;
    LLVMDisposeErrorMessage(text);
  }
};

void add_functions(const Jit& jit, const CodegenRequest& request, const Machine& machine) {
  LLVMOrcThreadSafeContextRef shared = LLVMOrcCreateNewThreadSafeContext();
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext("saltus", LLVMOrcThreadSafeContextGetContext(shared));
  LLVMSetDataLayout(module, LLVMOrcLLJITGetDataLayoutStr(jit.jit));
  LLVMSetTarget(module, machine.triple.c_str());
  ModuleWriter(module, request, machine.lanes()).write();
  LLVMOrcThreadSafeModuleRef owned = LLVMOrcCreateNewThreadSafeModule(module, shared);
  LLVMOrcDisposeThreadSafeContext(shared);  // the module keeps it alive
  char* message = nullptr;
  const bool broken = LLVMVerifyModule(module, LLVMReturnStatusAction, &message) != 0;
  const std::string complaint = taken(message);
  if (broken) {
    LLVMOrcDisposeThreadSafeModule(owned);
    throw std::runtime_error(complaint);
  }
  require(LLVMOrcLLJITAddLLVMIRModule(jit.jit, LLVMOrcLLJITGetMainJITDylib(jit.jit), owned));
}

void* compile(const CodegenRequest* request, void** addresses, char* message, std::size_t message_size) {
  std::unique_ptr<Jit> jit;
  try {
    const Machine machine = machine_of(request->processor);
    jit = std::make_unique<Jit>(machine, request->effort);
    add_functions(*jit, *request, machine);
    for (std::size_t i = 0; i < request->kernel_count; ++i) *addresses++ = jit->address(kernel_symbol(i));
    for (std::size_t i = 0; i < request->loop_count; ++i) *addresses++ = jit->address(loop_symbol(i));
    return jit.release();
  } catch (const std::bad_alloc&) {
    std::ignore = jit.release();  // LLVM, which the exception has left, may hold its locks, and cannot clear away
    *message = '\0';  // no words: there is no memory
    return nullptr;
  } catch (const std::exception& error) {
    std::snprintf(message, message_size, "%s", error.what());
    return nullptr;
  }
}

void release(void* code) { delete static_cast<Jit*>(code); }
void describe_host(char* llvm_version, char* cpu, std::size_t size, unsigned* lanes) {
  unsigned major = 0, minor = 0, patch = 0;
  LLVMGetVersion(&major, &minor, &patch);
  std::snprintf(llvm_version, size, "%u.%u.%u", major, minor, patch);
  const Machine machine = machine_of(Processor::host);
  std::snprintf(cpu, size, "%s", machine.cpu.c_str());
  *lanes = machine.lanes();
}

}  // namespace
}  // namespace saltus

extern "C" const saltus::CodegenModule* saltus_codegen_module(int version) {
  static const saltus::CodegenModule module = {saltus::compile, saltus::release, saltus::describe_host};
  return version == saltus::codegen_module_version ? &module : nullptr;
}
