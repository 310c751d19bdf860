#pragma once

#include <llvm-c/Core.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

// Included by codegen.cpp alone: everything here is LLVM.

namespace saltus {

/// Operations on numbers of `lanes` lanes in code being generated; those that `sine_cosine` asks for among them. No flag
/// that would let LLVM change a rounding is ever set.
class IrArithmetic {
 public:
  using Value = LLVMValueRef;

  using Tables = std::map<std::pair<unsigned, std::uint64_t>, Value>;  // of numbers, by lanes and bits

  IrArithmetic(LLVMModuleRef module, LLVMBuilderRef builder, Tables& tables, unsigned lanes)
      : module_(module), builder_(builder), context_(LLVMGetModuleContext(module)), tables_(&tables), lanes_(lanes) {
    LLVMTypeRef real = LLVMDoubleTypeInContext(context_);
    LLVMTypeRef integer = LLVMInt64TypeInContext(context_);
    real_ = lanes == 1 ? real : LLVMVectorType(real, lanes);
    integer_ = lanes == 1 ? integer : LLVMVectorType(integer, lanes);
  }

  LLVMBuilderRef builder() const { return builder_; }
  LLVMContextRef context() const { return context_; }
  LLVMTypeRef type() const { return real_; }
  LLVMTypeRef element_type() const { return LLVMDoubleTypeInContext(context_); }
  LLVMTypeRef index_type() const { return LLVMInt64TypeInContext(context_); }
  LLVMTypeRef pointer_type() const { return LLVMPointerTypeInContext(context_, 0); }
  unsigned lanes() const { return lanes_; }

  /// Of several lanes it is loaded from a table in full width: an instruction then takes it from memory by itself, where
  /// LLVM would spend another one to spread a single number over the lanes.
  Value number(double c) const {
    const Value plain = splat(LLVMConstReal(element_type(), c));
    if (lanes_ == 1 || c == 0.0) return plain;
    Value& table = (*tables_)[{lanes_, std::bit_cast<std::uint64_t>(c)}];
    if (table == nullptr) {
      table = LLVMAddGlobal(module_, real_, "");
      LLVMSetInitializer(table, plain);
      LLVMSetGlobalConstant(table, 1);
      LLVMSetLinkage(table, LLVMPrivateLinkage);
      LLVMSetAlignment(table, 64);
    }
    const Value loaded = LLVMBuildLoad2(builder_, real_, table, "");
    LLVMSetAlignment(loaded, 64);
    mark_invariant(loaded);
    return loaded;
  }
  Value index(std::uint64_t i) const { return LLVMConstInt(index_type(), i, 0); }

  Value add(Value a, Value b) const { return LLVMBuildFAdd(builder_, a, b, ""); }
  Value sub(Value a, Value b) const { return LLVMBuildFSub(builder_, a, b, ""); }
  Value mul(Value a, Value b) const { return LLVMBuildFMul(builder_, a, b, ""); }
  Value div(Value a, Value b) const { return LLVMBuildFDiv(builder_, a, b, ""); }
  Value neg(Value a) const { return LLVMBuildFNeg(builder_, a, ""); }
  Value fma(Value a, Value b, Value c) const { return intrinsic("llvm.fma", {a, b, c}); }
  Value fnma(Value a, Value b, Value c) const { return fma(neg(a), b, c); }
  Value sqrt(Value a) const { return intrinsic("llvm.sqrt", {a}); }
  Value abs(Value a) const { return intrinsic("llvm.fabs", {a}); }
  Value compare(LLVMRealPredicate how, Value a, Value b) const { return LLVMBuildFCmp(builder_, how, a, b, ""); }
  Value select(Value condition, Value a, Value b) const { return LLVMBuildSelect(builder_, condition, a, b, ""); }
  /// The one of a and b for which `how` holds; not a number if one of them is not.
  Value extreme(LLVMRealPredicate how, Value a, Value b) const {
    return select(compare(how, a, b), a, select(compare(LLVMRealORD, a, a), b, a));
  }

  Value bits(Value a) const { return LLVMBuildBitCast(builder_, a, integer_, ""); }
  Value next(Value bits) const { return LLVMBuildAdd(builder_, bits, whole(1), ""); }
  Value odd(Value bits) const {
    // As a sign, because blending instructions look at the sign.
    return LLVMBuildICmp(builder_, LLVMIntSLT, LLVMBuildShl(builder_, bits, whole(63), ""), whole(0), "");
  }
  Value with_sign_of_bit_1(Value a, Value bits_of_sign) const {
    const Value sign =
        LLVMBuildAnd(builder_, LLVMBuildShl(builder_, bits_of_sign, whole(62), ""), whole(1ULL << 63), "");
    return LLVMBuildBitCast(builder_, LLVMBuildXor(builder_, bits(a), sign, ""), real_, "");
  }

  /// True if the condition holds in one of the lanes.
  Value any(Value condition) const {
    if (lanes_ == 1) return condition;
    LLVMTypeRef mask = LLVMIntTypeInContext(context_, lanes_);
    return LLVMBuildICmp(builder_, LLVMIntNE, LLVMBuildBitCast(builder_, condition, mask, ""), LLVMConstNull(mask), "");
  }

  Value lane(Value a, unsigned l) const { return lanes_ == 1 ? a : LLVMBuildExtractElement(builder_, a, index(l), ""); }

  /// f(a) or f(a, b) lane by lane, f a function at a fixed address.
  Value call_in_lanes(const void* address, const std::vector<Value>& args) const {
    std::vector<LLVMTypeRef> types(args.size(), element_type());
    LLVMTypeRef type = LLVMFunctionType(element_type(), types.data(), static_cast<unsigned>(types.size()), 0);
    Value result = LLVMGetUndef(real_);
    for (unsigned l = 0; l < lanes_; ++l) {
      std::vector<Value> scalars;
      for (const Value arg : args) scalars.push_back(lane(arg, l));
      const Value one = call(type, address, scalars);
      result = lanes_ == 1 ? one : LLVMBuildInsertElement(builder_, result, one, index(l), "");
    }
    return result;
  }

  Value call(LLVMTypeRef type, const void* address, std::vector<Value> args) const {
    const Value function = LLVMConstIntToPtr(index(reinterpret_cast<std::uintptr_t>(address)), pointer_type());
    return LLVMBuildCall2(builder_, type, function, args.data(), static_cast<unsigned>(args.size()), "");
  }

  /// The same numbers in another number of lanes.
  IrArithmetic with_lanes(unsigned lanes) const { return {module_, builder_, *tables_, lanes}; }

  /// What is loaded never changes: it may be read in any order and at any time.
  void mark_invariant(Value load) const {
    const unsigned kind = LLVMGetMDKindIDInContext(context_, "invariant.load", 14);
    LLVMSetMetadata(load, kind, LLVMMetadataAsValue(context_, LLVMMDNodeInContext2(context_, nullptr, 0)));
  }

  /// Numbers side by side in one register, and one of them.
  Value packed(const std::vector<Value>& numbers) const {
    Value result = LLVMGetUndef(real_);
    for (unsigned l = 0; l < lanes_; ++l)
      result =
          LLVMBuildInsertElement(builder_, result, numbers[std::min<std::size_t>(l, numbers.size() - 1)], index(l), "");
    return result;
  }

  /// The address of element i of an array of doubles.
  Value element(Value array, Value i) const {
    return LLVMBuildInBoundsGEP2(builder_, element_type(), array, &i, 1, "");
  }
  Value load(Value address) const {
    const Value value = LLVMBuildLoad2(builder_, real_, address, "");
    LLVMSetAlignment(value, alignof(double));
    return value;
  }
  void store(Value value, Value address) const {
    LLVMSetAlignment(LLVMBuildStore(builder_, value, address), alignof(double));
  }

 private:
  Value splat(Value scalar) const {
    if (lanes_ == 1) return scalar;
    std::vector<Value> copies(lanes_, scalar);
    return LLVMConstVector(copies.data(), lanes_);
  }
  Value whole(std::uint64_t i) const { return splat(index(i)); }

  Value intrinsic(const char* name, std::vector<Value> args) const {
    LLVMTypeRef overload = real_;
    const unsigned id = LLVMLookupIntrinsicID(name, std::strlen(name));
    const Value function = LLVMGetIntrinsicDeclaration(module_, id, &overload, 1);
    LLVMTypeRef type = LLVMIntrinsicGetType(context_, id, &overload, 1);
    return LLVMBuildCall2(builder_, type, function, args.data(), static_cast<unsigned>(args.size()), "");
  }

  LLVMModuleRef module_;
  LLVMBuilderRef builder_;
  LLVMContextRef context_;
  Tables* tables_;
  unsigned lanes_;
  LLVMTypeRef real_ = nullptr;
  LLVMTypeRef integer_ = nullptr;
};

}  // namespace saltus
