// SPDX-License-Identifier: Apache-2.0
// The contract of an operation: attributes, inference, compilation, evaluation. See docs/adding_an_operator.md.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/checked.h"
#include "core/error.h"
#include "core/parallel.h"
#include "core/shape.h"
#include "core/tensor.h"
#include "model/attributes.h"
#include "model/constant.h"
#include "model/type_contract.h"

namespace wasmvino::model {

class Node;
class Model;
struct OpClass;

// What is known of a value before anything runs: type, shape, and the value itself where it is constant.
struct ValueInfo {
  ElementType type = ElementType::kDynamic;
  PartialShape shape;
  std::shared_ptr<const ConstantData> constant;

  static ValueInfo of(const Tensor& tensor) {
    return {tensor.type(), tensor.shape(), std::make_shared<ConstantData>(tensor)};
  }
};

// A variable of ReadValue and Assign, kept between runs of a request.
struct Variable {
  std::string id;
  ElementType type = ElementType::kDynamic;
  PartialShape shape;
  Tensor value;  // empty until set: ReadValue then gives its initial value
};
using Variables = std::vector<const Variable*>;

// The known values of a node's inputs, held from when they are first asked for: views of them stay valid as long as this
// lives.
class KnownValues {
 public:
  explicit KnownValues(std::span<const ValueInfo* const> inputs) : inputs_(inputs) {}
  // nullptr where it is not known.
  const TensorView* of(size_t i) const {
    if (inputs_[i]->constant == nullptr) return nullptr;
    if (held_.empty()) held_.resize(inputs_.size());
    if (!held_[i]) held_[i] = inputs_[i]->constant->value();
    return &held_[i].view();
  }
  // Lets go of one.
  void release(size_t i) {
    if (!held_.empty()) held_[i] = Tensor();
  }
  // Those that are held, by input; empty where none was asked for.
  std::vector<Tensor> take() { return std::move(held_); }

 private:
  std::span<const ValueInfo* const> inputs_;
  mutable std::vector<Tensor> held_;
};

// Element types and shapes of a node's inputs, and the place for those of its outputs.
class InferContext {
 public:
  InferContext(const Node& node, std::span<const ValueInfo* const> inputs, std::span<ValueInfo> outputs)
      : node_(node), inputs_(inputs), outputs_(outputs), asked_(inputs.size()), known_(inputs) {}

  const Node& node() const { return node_; }
  size_t input_count() const { return inputs_.size(); }
  size_t output_count() const { return outputs_.size(); }
  ElementType input_type(size_t i) const { return inputs_[i]->type; }
  // The type that inputs a and b share, as the operation's contract has it; either may be dynamic.
  ElementType common_type(size_t a, size_t b) const {
    return input_type(a) == ElementType::kDynamic ? input_type(b) : input_type(a);
  }
  const PartialShape& input_shape(size_t i) const { return inputs_[i]->shape; }
  const ValueInfo& input(size_t i) const { return *inputs_[i]; }
  // The value of an input where it is known, else nullptr; valid as long as the context. What is asked for here is what
  // the shapes depend on: it becomes part of what a plan is made for.
  const TensorView* input_value(size_t i) {
    asked_[i] = 1;
    return known_.of(i);
  }
  // The same for what is only checked: shapes do not depend on it.
  const TensorView* known_value(size_t i) const { return known_.of(i); }
  // The integers of a known input (shape, axes, pads ...).
  std::optional<Ints> input_ints(size_t i) {
    const TensorView* value = input_value(i);
    return value ? std::optional(to_ints(*value)) : std::nullopt;
  }
  void set_output(size_t i, ElementType type, PartialShape shape);
  // For an output whose value follows from types and shapes alone (ShapeOf): it is never computed.
  void set_output_value(size_t i, Tensor value);

  // Throws Error(kInvalidModel) unless first <= input_count() <= last.
  void expect_inputs(size_t first, size_t last) const;
  void expect_inputs(size_t count) const { expect_inputs(count, count); }

  // Types and shapes of the results of one of the node's bodies, for given parameters. Body parameters whose value
  // shapes inside depend on, known or not, are marked in `asked`.
  std::vector<ValueInfo> infer_body(size_t body, std::span<const ValueInfo> parameters, std::vector<char>& asked) const;
  // Says that shapes depend on the value of input i (for bodies).
  void mark_asked(size_t i) { asked_[i] = 1; }
  bool asked(size_t i) const { return asked_[i] != 0; }

  // The variable's present state; nullptr where no request runs.
  const Variable* variable(std::string_view id) const;
  void set_variables(const Variables* variables) { variables_ = variables; }
  // Whether this is for a request with full shapes, rather than for a model that is read.
  bool runs() const { return variables_ != nullptr; }

 private:
  const Node& node_;
  std::span<const ValueInfo* const> inputs_;
  std::span<ValueInfo> outputs_;
  std::vector<char> asked_;
  KnownValues known_;
  const Variables* variables_ = nullptr;
};

// A body planned for given parameter shapes. Not for use by two threads.
class Subgraph {
 public:
  virtual ~Subgraph() = default;
  // The next run reads parameter i from `tensor`, whose memory must stay until then. Another shape than before makes
  // the body planned again for it (and remembered).
  virtual void bind_parameter(size_t i, const TensorView& tensor) = 0;
  // Plans the body for the bound parameters; run() does it too.
  virtual void prepare() = 0;
  // Type and shape that result i will have, after prepare(); nullptr where only the run tells.
  virtual const TensorView* planned_result(size_t i) const = 0;
  // The next run writes result i to `memory`, of as many bytes as the result has; nullptr lets the body choose.
  // Results whose shape the plan does not know are never written there.
  virtual void bind_result(size_t i, void* memory) = 0;
  // Runs the body; `iteration` is what observers and errors are told (-1: it has none).
  virtual void run(int64_t iteration) = 0;
  // Result i of the last run; valid until the next run.
  virtual const TensorView& result(size_t i) const = 0;
};

class CompileServices {
 public:
  virtual ~CompileServices() = default;
  virtual std::unique_ptr<Subgraph> subgraph(const Node& node, size_t body, std::span<const ValueInfo> parameters) = 0;
  virtual std::shared_ptr<const void>& cache(const Node& node, std::string_view key) = 0;
  virtual Variable& variable(std::string_view id) = 0;
  virtual const Parallel& parallel() const = 0;
};

// All that is fixed when a node is compiled for known input types and shapes.
class CompileContext {
 public:
  CompileContext(const Node& node, std::span<const ValueInfo* const> inputs, std::span<const ValueInfo> outputs,
                 CompileServices& services)
      : node_(node),
        inputs_(inputs),
        outputs_(outputs),
        services_(services),
        known_(inputs),
        consumed_(inputs.size()) {}

  const Node& node() const { return node_; }
  size_t input_count() const { return inputs_.size(); }
  size_t output_count() const { return outputs_.size(); }
  ElementType input_type(size_t i) const { return inputs_[i]->type; }
  Shape input_shape(size_t i) const { return inputs_[i]->shape.to_shape(); }
  const ValueInfo& input(size_t i) const { return *inputs_[i]; }
  ElementType output_type(size_t i) const { return outputs_[i].type; }
  // False where the shape depends on data: the kernel then calls EvalContext::set_output_shape.
  bool has_output_shape(size_t i) const { return outputs_[i].shape.is_static(); }
  Shape output_shape(size_t i) const { return outputs_[i].shape.to_shape(); }
  // False where nobody reads output i, so that the kernel need not write it.
  bool is_read(size_t i) const { return i >= 64 || (unread_ >> i & 1) == 0; }
  void set_unread(size_t i) { unread_ |= i < 64 ? uint64_t{1} << i : 0; }

  // The value of an input that is the same in every run, else nullptr. Valid as long as the context, and then as long as
  // the plan unless it is consumed.
  const TensorView* constant(size_t i) const { return known_.of(i); }
  std::optional<Ints> constant_ints(size_t i) const {
    const TensorView* value = constant(i);
    return value ? std::optional(to_ints(*value)) : std::nullopt;
  }
  // Says that run() never reads input i: the kernel has it packed. Its raw form is freed once nobody else holds it.
  void consume(size_t i) { consumed_[i] = 1; }
  bool consumed(size_t i) const { return consumed_[i] != 0; }
  // The constants that were looked at and that run() may read, by input; to be held as long as the kernel.
  std::vector<Tensor> take_constants() {
    for (size_t i = 0; i < consumed_.size(); ++i) {
      if (consumed_[i]) known_.release(i);
    }
    return known_.take();
  }

  // Memory for the kernel's own use during a run, aligned to 64 bytes: EvalContext::scratch().
  void request_scratch(CheckedSize bytes) { scratch_bytes_ = std::max(scratch_bytes_, bytes.value()); }
  size_t scratch_bytes() const { return scratch_bytes_; }

  // What make() makes of input i, once for all plans and requests of the compiled model: packed weights. Nodes that
  // read the same constant share it, so `key` says all that it depends on beside the constant.
  template <typename T, typename Make>
  std::shared_ptr<const T> shared(size_t i, std::string_view key, Make make) {
    std::shared_ptr<const void>& place = packed_place(i, key);
    if (place == nullptr) place = std::shared_ptr<const T>(make());
    return std::static_pointer_cast<const T>(place);
  }
  // A body of the node, planned for parameters of these types and shapes; known values are folded.
  std::unique_ptr<Subgraph> subgraph(size_t body, std::span<const ValueInfo> parameters) {
    return services_.subgraph(node_, body, parameters);
  }
  Variable& variable(std::string_view id) { return services_.variable(id); }
  const Parallel& parallel() const { return services_.parallel(); }
  // For compiling the same node again in other types.
  CompileServices& services() const { return services_; }

 private:
  // Where shared() keeps it: with the constant, or with the node where something was folded on the way.
  std::shared_ptr<const void>& packed_place(size_t i, std::string_view key);

  const Node& node_;
  std::span<const ValueInfo* const> inputs_;
  std::span<const ValueInfo> outputs_;
  CompileServices& services_;
  KnownValues known_;
  std::vector<char> consumed_;
  uint64_t unread_ = 0;  // a bit an output
  size_t scratch_bytes_ = 0;
};

class EvalServices {
 public:
  virtual ~EvalServices() = default;
  // Gives output i of the running step this shape and memory for it.
  virtual void set_output_shape(size_t i, const Shape& shape) = 0;
};

// One run of a node: memory of inputs and outputs.
class EvalContext {
 public:
  EvalContext(const Node& node, std::span<TensorView* const> inputs, std::span<TensorView* const> outputs,
              void* scratch, const Parallel& parallel, EvalServices& services)
      : EvalContext(node, inputs, outputs, scratch, parallel) {
    services_ = &services;
  }
  // All outputs have shapes and memory.
  EvalContext(const Node& node, std::span<TensorView* const> inputs, std::span<TensorView* const> outputs,
              void* scratch, const Parallel& parallel)
      : node_(&node), inputs_(inputs), outputs_(outputs), scratch_(scratch), parallel_(&parallel) {}

  const Node& node() const { return *node_; }
  size_t input_count() const { return inputs_.size(); }
  size_t output_count() const { return outputs_.size(); }
  const TensorView& input(size_t i) const { return *inputs_[i]; }
  TensorView& output(size_t i) const { return *outputs_[i]; }
  // For outputs whose shape inference left open; afterwards output(i) has the shape and memory. To be called once for
  // each such output. Where inference could tell the shape all the same (no row of no box), it must be this one.
  void set_output_shape(size_t i, const Shape& shape) const;
  void* scratch() const { return scratch_; }
  void set_scratch(void* memory) { scratch_ = memory; }
  const Parallel& parallel() const { return *parallel_; }

 private:
  const Node* node_;
  std::span<TensorView* const> inputs_;
  std::span<TensorView* const> outputs_;
  void* scratch_;
  const Parallel* parallel_;
  EvalServices* services_ = nullptr;
};

// A node compiled for known shapes. run() allocates nothing.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual void run(EvalContext& context) = 0;
};

// Says that an output shows the memory of an input, `offset` bytes in: nothing is computed.
struct ViewOf {
  size_t input = 0;
  size_t offset = 0;
};

// An operation with its attributes. Immutable once these are read; shared by clones of a node.
class Op {
 public:
  virtual ~Op() = default;

  virtual void visit_attributes(AttributeVisitor&) {}

  // The element types of its inputs. nullptr for operations that passes make: what they take has been
  // checked.
  const TypeContract* types() const { return types_; }

  // Sets types and shapes of all outputs, as far as the inputs tell them; throws where the inputs contradict
  // the operation. Their element types are those of the contract. Called with partial shapes when a model is
  // read and with full ones when it is planned.
  virtual void infer(InferContext& context) const = 0;

  // Chooses and prepares a kernel for known input shapes; nullptr: evaluate() serves.
  virtual std::unique_ptr<Kernel> compile(CompileContext&) const { return nullptr; }
  // Computes the outputs; for operations without anything to prepare.
  virtual void evaluate(EvalContext& context) const;

  // Where output `output` is a contiguous part of an input, says so; then neither compile() nor evaluate() is called
  // (if all outputs are views).
  virtual std::optional<ViewOf> view_of(const CompileContext&, size_t /*output*/) const { return std::nullopt; }
  // The same of all outputs; for operations with so many that each must not be looked for from the first on.
  virtual std::vector<std::optional<ViewOf>> views(const CompileContext& context) const;
  // Whether output `output` may stand in the memory of input `input`, of the same byte size (elementwise operations).
  virtual bool can_overwrite(const CompileContext&, size_t /*input*/, size_t /*output*/) const { return false; }
  // Where the inputs may be produced right inside output 0: the offset of each in bytes (Concat along an outer axis), or
  // nothing. When the node runs, an input that stands at its place already must be left alone.
  virtual std::vector<size_t> places_of_inputs(const CompileContext&) const { return {}; }
  // False for operations whose result is not a function of their inputs: random numbers, variables.
  virtual bool is_pure() const { return true; }
  // The variable that output 0 shows while it is set (ReadValue), or that input 0 becomes at the end of a run (Assign);
  // empty for all others. The plan moves variables in and out; neither kind of operation is ever evaluated.
  virtual std::string_view reads_variable() const { return {}; }
  virtual std::string_view writes_variable() const { return {}; }

  // Outputs that every node of the operation has. Layers may leave out the last ones where nobody reads them.
  virtual size_t least_outputs() const { return 1; }

  // The address of the kFamily of the class that passes look into; see op_cast.
  virtual const void* family() const { return nullptr; }

 private:
  friend struct OpClass;
  const TypeContract* types_ = nullptr;  // the registry's
};

// The operation as a T, a class that passes look into, or nullptr: what dynamic_cast would do, which takes run-time
// type information that the modules leave out.
template <typename T>
const T* op_cast(const Op* op) {
  return op != nullptr && op->family() == &T::kFamily ? static_cast<const T*>(op) : nullptr;
}

}  // namespace wasmvino::model

namespace wasmvino::ops {
using namespace wasmvino::model;  // NOLINT: operations are written in terms of the model layer throughout
}
