// SPDX-License-Identifier: Apache-2.0
// The interface of an operation: attributes, inference, compilation, evaluation, and hooks for passes. See
// docs/adding_an_operator.md.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "model/attributes.h"
#include "model/compile_context.h"
#include "model/eval_context.h"
#include "model/infer_context.h"
#include "model/kernel.h"
#include "model/layout.h"
#include "model/type_contract.h"
#include "model/variable.h"

namespace wasmvino::model {

class Model;
class Node;
struct OpClass;
struct Source;

// Says that an output is a view of an input's memory, starting `offset` bytes into it. Nothing is computed.
struct ViewOf {
  size_t input = 0;
  size_t offset = 0;
};

// Inputs first .. last, `last` excluded.
struct InputRange {
  size_t first = 0;
  size_t last = 0;
};

// An operation with its attributes. Immutable once these are read. Clones of a node share it.
class Op {
 public:
  virtual ~Op() = default;

  virtual void visit_attributes(AttributeVisitor&) {}

  // The accepted element types of the inputs. nullptr for internal operations: passes have already checked
  // their inputs.
  const TypeContract* types() const { return types_; }

  // Sets types and shapes of all outputs as far as the inputs determine them. Throws if the inputs contradict
  // the operation. The element types of the inputs obey the contract. Called with partial shapes when a model
  // is read, and with full ones when it is planned.
  virtual void infer(InferContext& context) const = 0;

  // Chooses and prepares a kernel for known input shapes. nullptr means that evaluate() computes the node.
  virtual std::unique_ptr<Kernel> compile(CompileContext&) const { return nullptr; }
  // Computes the outputs, for operations that prepare nothing.
  virtual void evaluate(EvalContext& context) const;

  // Returns the view if output `output` is a contiguous part of an input. If all outputs are views, neither
  // compile() nor evaluate() is called.
  virtual std::optional<ViewOf> view_of(const CompileContext&, size_t /*output*/) const {
    return std::nullopt;
  }
  // The same for all outputs. Override it if the operation has many outputs and finding one view takes time
  // linear in their number.
  virtual std::vector<std::optional<ViewOf>> views(const CompileContext& context) const;
  // Whether output `output` may use the memory of input `input`, which has the same byte size (elementwise
  // operations).
  virtual bool can_overwrite(const CompileContext&, size_t /*input*/, size_t /*output*/) const {
    return false;
  }
  // If the inputs can be computed directly inside output 0, the byte offset of each (Concat along an outer
  // axis); else empty. When the node runs, it must not touch an input that is already in its place.
  virtual std::vector<size_t> places_of_inputs(const CompileContext&) const { return {}; }
  // False for operations whose result is not a function of their inputs: random numbers, variables.
  virtual bool is_pure() const { return true; }
  // ReadValue: the variable whose value output 0 shows while it is set. Assign: the variable that takes the
  // value of input 0 at the end of a run. Empty for all other operations. The plan moves variables in and
  // out, so neither kind of operation is ever evaluated.
  virtual std::string_view reads_variable() const { return {}; }
  virtual std::string_view writes_variable() const { return {}; }
  // ReadValue: how a plan keeps the variable.
  virtual VariableForm variable_form() const { return {}; }
  // The operation for a variable of another shape, or nullptr if the operation declares none.
  virtual std::shared_ptr<Op> with_variable_shape(const PartialShape&) const { return nullptr; }

  // The number of outputs that every node of the operation has. Layers may omit the last ones if they have no
  // users.
  virtual size_t least_outputs() const { return 1; }

  // --- Hooks for passes. With the defaults, an operation takes no part in the rewrite.

  // A value that equals output 0 of `node` and costs less to compute. The nodes that it needs are added to
  // `model`.
  virtual std::optional<Source> simplify(const Node& node, Model& model) const;
  // What `node` becomes if its data are channels-last.
  virtual std::optional<ChannelsLastForm> channels_last_form(const Node& node) const;
  // The layouts of input 0 and output 0, for operations that can read and write either layout.
  virtual std::optional<EdgeLayouts> edge_layouts() const { return std::nullopt; }
  // The same operation with other layouts. Called only if edge_layouts() returns a value.
  virtual std::shared_ptr<Op> with_edge_layouts(EdgeLayouts layouts) const;
  // The inputs that the kernel also accepts in their quantised form: weights of f16, bf16, or integers of 4
  // or 8 bits, with scales and zero points.
  virtual InputRange quantised_inputs(const Node&) const { return {}; }
  // Whether all elements of the outputs are elements of input 0, of any type. Quantised data then stay
  // quantised.
  virtual bool copies_elements() const { return false; }
  // Whether the result in f32 may differ from that in f16 or bf16 by more than rounding.
  virtual bool depends_on_precision() const { return false; }
  // The operation with results of f32, if an attribute says f16 or bf16; else nullptr.
  virtual std::shared_ptr<Op> with_f32_results() const { return nullptr; }

  // The attribute `version` of layers of operations that belong to no opset: the domain of the operation, or
  // what a user's operation states. Empty: the opset of the class.
  virtual std::string_view version_of_layer() const { return domain_; }

  // Whether the operation belongs to the class with this kFamily; see op_cast.
  virtual bool is_a(const void* /*family*/) const { return false; }

 private:
  friend struct OpClass;
  const TypeContract* types_ = nullptr;  // owned by the registry
  std::string_view domain_;              // see OpClass
};

// The operation as a T, a class whose attributes passes read, or nullptr. This replaces dynamic_cast, which
// needs run-time type information that the modules are built without.
template <typename T>
const T* op_cast(const Op* op) {
  return op != nullptr && op->is_a(&T::kFamily) ? static_cast<const T*>(op) : nullptr;
}

// The base class of an operation T whose attributes passes read or set. T is declared in a header of its own,
// and T::kType is the operation's type.
template <typename T, typename AttributesOfT, typename Base = Op>
class OpWithAttributes : public Base {
 public:
  using Attributes = AttributesOfT;
  static constexpr char kFamily = 0;
  bool is_a(const void* family) const override { return family == &kFamily || Base::is_a(family); }

  const Attributes& attributes() const { return attributes_; }
  // Only before the operation is shared.
  void set_attributes(Attributes attributes) { attributes_ = std::move(attributes); }

 protected:
  using Base::Base;
  Attributes attributes_;
};

}  // namespace wasmvino::model

namespace wasmvino::ops {
using namespace wasmvino::model;  // NOLINT: operations are written in terms of the model layer throughout
}
