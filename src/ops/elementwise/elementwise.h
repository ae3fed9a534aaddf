// SPDX-License-Identifier: Apache-2.0
// Base classes of operations that compute each element of the result from one element of each input. Such an
// operation provides an inner loop per element type. The rest is implemented here: broadcasting, threads,
// working in place, and conversion of types without own loops (f16 and bf16 to f32, i8 .. u16 to i32).
#pragma once

#include <array>
#include <cstdint>

#include "kernels/functions.h"
#include "model/registry.h"
#include "ops/elementwise/broadcast.h"
#include "ops/internal/activation.h"

namespace wasmvino::ops {

// One input of an inner loop.
struct LoopOperand {
  const void* data;
  size_t step;  // 1: `count` elements; 0: one element for all
  template <typename T>
  const T* as() const {
    return static_cast<const T*>(data);
  }
};

// What an inner loop may need besides its operands.
struct LoopParameters {
  kernels::UnaryFunction unary;
  kernels::Binary binary = kernels::Binary::kAdd;
  kernels::Comparison comparison = kernels::Comparison::kEqual;
  double (*scalar)(double x, double alpha, double beta) = nullptr;
  double alpha = 0.0;
  double beta = 0.0;
  const void* steps = nullptr;  // for a loop that runs a chain of others
};

// out[i] = f(in[0][i], in[1][i] ...) for i < count. `out` may be the memory of an operand with step 1 and
// elements of the same width, but must not overlap operands otherwise.
using ElementwiseLoop = void (*)(const LoopOperand* in, void* out, size_t count,
                                 const LoopParameters& parameters);

// The inner loop of an operation for one element type.
struct ElementwiseFunction {
  ElementwiseLoop loop = nullptr;  // nullptr: the type is not supported
  // Types that the loop reads and writes. Tensors of other types are converted block by block.
  std::array<ElementType, kMaxOperands> operands{};
  ElementType result = ElementType::kDynamic;
  LoopParameters parameters;
  // Whether results saturate that the loop computes in floating point or, for 8-bit integers, in a wider
  // type. OpenVINO's CPU plugin saturates them too. Floating point is rounded first.
  bool saturates = false;
  // Cost of one element, in additions. Decides whether work is split among threads.
  uint32_t cost = 1;
};

// Calls kernels::apply_unary with parameters.unary, which other kernels can also apply to their results.
void unary_kernel_loop(const LoopOperand* in, void* out, size_t count, const LoopParameters& parameters);

// Whether kernels::apply_binary computes the function in f32, with parameters.binary.
bool is_binary_kernel(const ElementwiseFunction& function);

// For a loop whose operands and result all have one type.
ElementwiseFunction elementwise_function(ElementwiseLoop loop, ElementType type, uint32_t cost = 1);

class ElementwiseOp : public Op {
 public:
  static constexpr char kFamily = 0;
  bool is_a(const void* family) const override { return family == &kFamily; }
  // The inner loop for inputs of `type` (the type of those inputs that share one). Used by the kernel and by
  // passes that fuse operations.
  virtual ElementwiseFunction function(ElementType type) const = 0;
  // The input whose type is passed to function().
  virtual size_t typed_input() const { return 0; }
  // The shape of input i, extended by sizes of 1 to the rank of the result, as broadcasting expects.
  virtual Shape aligned_shape(const CompileContext& context, size_t i) const;

  // The attribute auto_broadcast, if the operation has it.
  virtual std::optional<AutoBroadcast> auto_broadcast() const { return std::nullopt; }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override;
  bool can_overwrite(const CompileContext& context, size_t input, size_t output) const override;
  // Elements may be processed in any order that all inputs share.
  std::optional<ChannelsLastForm> channels_last_form(const Node& node) const override;
};

// Contracts of operations with one input, and with two inputs of one type.
TypeContract unary_types(TypeSet types);
TypeContract binary_types(TypeSet types);

// One input; the result has the same shape (and type).
class UnaryElementwise : public ElementwiseOp {
 public:
  void infer(InferContext& context) const override;
  std::optional<ViewOf> view_of(const CompileContext& context, size_t output) const override;

 protected:
  virtual ElementType result_type(ElementType input) const { return input; }
  // Whether the result is the input itself, such as a rounded integer or the magnitude of an unsigned number.
  virtual bool is_identity(ElementType) const { return false; }
};

// The inner loops of an operation by the type that they compute in; nullptr: none. Smaller types are
// converted: f16 and bf16 to f32; boolean, i8, u8, i16 and u16 to i32.
struct LoopTable {
  ElementwiseLoop f32 = nullptr;
  ElementwiseLoop f64 = nullptr;
  ElementwiseLoop i32 = nullptr;
  ElementwiseLoop i64 = nullptr;
  ElementwiseLoop u32 = nullptr;
  ElementwiseLoop u64 = nullptr;
};

// The type in which elements of `type` are computed.
ElementType compute_type(ElementType type);

// The function that computes `type` with one of the table's loops.
ElementwiseFunction choose_loop(const LoopTable& table, ElementType type, uint32_t cost = 1);

// How a function of reals treats integers.
enum class Integers {
  kNone,     // its contract allows none
  kRounded,  // computed in f64 and rounded half to even, as in OpenVINO's CPU plugin
  kOwn,      // it has loops for them
};

using ScalarFunction = double (*)(double x, double alpha, double beta);

// A function of one number and two attributes.
class FunctionElementwise : public UnaryElementwise {
 public:
  // f32, f16 and bf16 are computed by the kernel `kind`. If that is kIdentity, they are computed by `scalar`,
  // like f64.
  FunctionElementwise(kernels::Unary kind, ScalarFunction scalar, Integers integers, uint32_t cost = 1);
  ElementwiseFunction function(ElementType type) const override;

 protected:
  // The loops for Integers::kOwn.
  virtual const LoopTable& integer_loops() const;

  kernels::Unary kind_;
  double alpha_ = 0.0;
  double beta_ = 0.0;

 private:
  ScalarFunction scalar_;
  Integers integers_;
  uint32_t cost_;
};

// A function of the elements of input 0 and one or two parameters, which are the other inputs. Omitted
// parameters are 1 and 0.
class ParametricElementwise : public ElementwiseOp {
 public:
  // f32, f16 and bf16 are computed by the kernel `kind`, other types by `scalar`.
  ParametricElementwise(kernels::Unary kind, ScalarFunction scalar, uint32_t cost);
  void infer(InferContext& context) const override;
  ElementwiseFunction function(ElementType type) const override;
  Shape aligned_shape(const CompileContext& context, size_t i) const override;

 private:
  kernels::Unary kind_;
  ScalarFunction scalar_;
  uint32_t cost_;
};

// Two inputs of one type, broadcast to each other; the result has the same type.
class BinaryElementwise : public ElementwiseOp {
 public:
  void visit_attributes(AttributeVisitor& visitor) override { visit_auto_broadcast(visitor, broadcast_); }
  void infer(InferContext& context) const override;
  Shape aligned_shape(const CompileContext& context, size_t i) const override;
  std::optional<AutoBroadcast> auto_broadcast() const override { return broadcast_; }

 protected:
  virtual ElementType result_type(ElementType input) const { return input; }

 private:
  AutoBroadcast broadcast_ = AutoBroadcast::kNumpy;
};

// Arithmetic on two numbers. `loops` must outlive the operation.
class ArithmeticElementwise : public BinaryElementwise {
 public:
  // `op` tells those loops that are kernels what to compute.
  ArithmeticElementwise(kernels::Binary op, const LoopTable& loops, uint32_t cost = 1)
      : loops_(loops), cost_(cost), op_(op) {}
  explicit ArithmeticElementwise(const LoopTable& loops, uint32_t cost = 1)
      : ArithmeticElementwise({}, loops, cost) {}
  ElementwiseFunction function(ElementType type) const override;

 private:
  const LoopTable& loops_;
  uint32_t cost_;
  kernels::Binary op_;
};

// Compares two numbers or booleans; the loops write booleans. `loops` must outlive the operation.
class ComparisonElementwise : public BinaryElementwise {
 public:
  ComparisonElementwise(kernels::Comparison op, const LoopTable& loops) : loops_(loops), op_(op) {}
  ElementwiseFunction function(ElementType type) const override;

 protected:
  ElementType result_type(ElementType) const override { return ElementType::kBoolean; }

 private:
  const LoopTable& loops_;
  kernels::Comparison op_;
};

}  // namespace wasmvino::ops
