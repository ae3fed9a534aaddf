// SPDX-License-Identifier: Apache-2.0
// The contract of an operation: attributes, inference, compilation, evaluation, and what passes ask it. See
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

namespace wasmvino::model {

class Model;
class Node;
struct OpClass;
struct Source;

// Says that an output shows the memory of an input, `offset` bytes in: nothing is computed.
struct ViewOf {
  size_t input = 0;
  size_t offset = 0;
};

// Inputs first .. last, without the last.
struct InputRange {
  size_t first = 0;
  size_t last = 0;
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

  // Where output `output` is a contiguous part of an input, says so; then neither compile() nor evaluate() is
  // called (if all outputs are views).
  virtual std::optional<ViewOf> view_of(const CompileContext&, size_t /*output*/) const {
    return std::nullopt;
  }
  // The same of all outputs; for operations with so many that each must not be looked for from the first on.
  virtual std::vector<std::optional<ViewOf>> views(const CompileContext& context) const;
  // Whether output `output` may stand in the memory of input `input`, of the same byte size (elementwise
  // operations).
  virtual bool can_overwrite(const CompileContext&, size_t /*input*/, size_t /*output*/) const {
    return false;
  }
  // Where the inputs may be produced right inside output 0: the offset of each in bytes (Concat along an
  // outer axis), or nothing. When the node runs, an input that stands at its place already must be left
  // alone.
  virtual std::vector<size_t> places_of_inputs(const CompileContext&) const { return {}; }
  // False for operations whose result is not a function of their inputs: random numbers, variables.
  virtual bool is_pure() const { return true; }
  // The variable that output 0 shows while it is set (ReadValue), or that input 0 becomes at the end of a run
  // (Assign); empty for all others. The plan moves variables in and out; neither kind of operation is ever
  // evaluated.
  virtual std::string_view reads_variable() const { return {}; }
  virtual std::string_view writes_variable() const { return {}; }
  // The operation for a variable of another shape; nullptr where it declares none.
  virtual std::shared_ptr<Op> with_variable_shape(const PartialShape&) const { return nullptr; }

  // Outputs that every node of the operation has. Layers may leave out the last ones where nobody reads them.
  virtual size_t least_outputs() const { return 1; }

  // --- What passes ask. The defaults say nothing: the operation then takes no part in the rewrite.

  // A value that equals output 0 of `node` and takes less to compute. The nodes that it needs are added to
  // `model`.
  virtual std::optional<Source> simplify(const Node& node, Model& model) const;
  // What `node` becomes where its data are channels last.
  virtual std::optional<ChannelsLastForm> channels_last_form(const Node& node) const;
  // The layouts of input 0 and output 0, of an operation that reads and writes either.
  virtual std::optional<EdgeLayouts> edge_layouts() const { return std::nullopt; }
  // The same operation with other ones; only where edge_layouts() gives some.
  virtual std::shared_ptr<Op> with_edge_layouts(EdgeLayouts layouts) const;
  // The inputs that the kernel also reads as the model stores them: weights of f16, bf16 or integers of 4 or
  // 8 bits, with scales and zero points.
  virtual InputRange quantised_inputs(const Node&) const { return {}; }
  // Whether all elements of the outputs are elements of input 0, of whatever type: what is quantised then
  // stays so.
  virtual bool copies_elements() const { return false; }
  // Whether the result in f32 may differ from that in f16 or bf16 by more than rounding.
  virtual bool depends_on_precision() const { return false; }
  // The operation with results of f32, where an attribute says f16 or bf16; else nullptr.
  virtual std::shared_ptr<Op> with_f32_results() const { return nullptr; }

  // Whether the operation is of the class with this kFamily; see op_cast.
  virtual bool is_a(const void* /*family*/) const { return false; }

 private:
  friend struct OpClass;
  const TypeContract* types_ = nullptr;  // the registry's
};

// The operation as a T, a class that passes look into, or nullptr: what dynamic_cast would do, which takes
// run-time type information that the modules leave out.
template <typename T>
const T* op_cast(const Op* op) {
  return op != nullptr && op->is_a(&T::kFamily) ? static_cast<const T*>(op) : nullptr;
}

// The base of an operation T whose attributes passes read or set. T is declared in a header of its own and
// has the operation's type as kType.
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
