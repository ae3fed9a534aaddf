// SPDX-License-Identifier: Apache-2.0
// The context of one operator of a .param, for the function that builds it: inputs, parameters, weights,
// outputs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "frontends/pnnx/param.h"
#include "frontends/pnnx/zip.h"
#include "model/builder.h"

namespace wasmvino::pnnx {

using model::Source;

// An element of a list: a number, or a tensor.
struct Element {
  std::optional<double> number;
  bool integral = false;
  Source tensor;
};

// The value of an operand: a tensor, a tuple of tensors, or a literal such as "cpu".
struct Value {
  std::vector<Source> tensors;
  bool is_tuple = false;
  // Complex numbers are real numbers with an additional last axis of 2: the real and the imaginary parts. Of
  // a tuple: at least one tensor is complex.
  bool is_complex = false;
  std::optional<Parameter> literal;
  // Of a list that a pnnx.Expression makes: the values of @0, @1 ..., and the elements. There are no elements
  // if one is neither a number nor a tensor.
  std::vector<Source> list_inputs;
  std::vector<Element> elements;
};

// A number that an operator takes beside its tensors: written in the file, or computed by the graph as a
// scalar.
struct Scalar {
  std::optional<double> known;
  bool integral = false;
  Source computed;
};

// The .bin of a model.
struct Weights {
  std::shared_ptr<const ByteSource> bytes;
  StoredZip zip;
};

// The context records which inputs, parameters and weights are read. What a build leaves unread would have no
// effect, so check_read() refuses it.
class Context {
 public:
  // `weights` is nullptr if there are none. `values` has one entry per operand of the graph.
  Context(const Operator& op, const Graph& graph, model::Builder& builder, const Weights* weights,
          std::vector<Value>& values)
      : op_(op),
        graph_(graph),
        builder_(builder),
        weights_(weights),
        values_(values),
        read_inputs_(op.inputs.size()),
        read_parameters_(op.parameters.size()),
        read_weights_(op.attributes.size()) {}

  const Operator& op() const { return op_; }
  // The name is short because most lines of the builder functions use it.
  model::Builder& b() { return builder_; }

  // Inputs by position. Throws Error if the operator has fewer, or if the operand is not a tensor of real
  // numbers.
  size_t input_count() const { return op_.inputs.size(); }
  Source input(size_t i = 0) const;
  bool is_complex(size_t i) const { return value(i).is_complex; }
  // An input of real or of complex numbers.
  Source any_input(size_t i) const;
  const Value& value(size_t i) const;
  // What the file declares about an input, and about an output.
  const Operand& declared(size_t i) const { return graph_.operands[op_.inputs[i]]; }
  const Operand& declared_output(size_t i = 0) const { return graph_.operands[op_.outputs[i]]; }
  // The input that $name marks. If no input is marked, input `position`. nullopt if there is none.
  std::optional<Source> find_input(const char* name, size_t position) const;
  // The same, but throws Error(kInvalidModel) if there is none.
  Source required_input(const char* name, size_t position) const;
  bool is_marked(const char* name) const;

  // The value of a parameter; nullptr if the file has none of that name.
  const Parameter* find(std::string_view name) const;
  // Parameters. Those without a default are required. All throw Error(kInvalidModel) if the value has another
  // type, or if an integer is outside -2^31..2^31, and Error(kUnsupported) if the graph computes the value.
  bool has(const char* name) const;  // and it is not None
  int64_t integer(const char* name) const;
  int64_t integer(const char* name, int64_t otherwise) const { return has(name) ? integer(name) : otherwise; }
  double real(const char* name) const;
  double real(const char* name, double otherwise) const { return has(name) ? real(name) : otherwise; }
  // A number that the graph may compute.
  Scalar number(const char* name) const;
  Scalar number(const char* name, double otherwise) const;
  bool flag(const char* name, bool otherwise) const;
  std::string word(const char* name, const char* otherwise) const;
  // A list of integers. A single integer counts as a list of one.
  Ints ints(const char* name) const;
  // `count` integers. A single integer is repeated `count` times.
  Ints ints(const char* name, size_t count) const;
  Ints ints(const char* name, size_t count, int64_t otherwise) const;
  // The element type that a parameter such as dtype=torch.float names; `otherwise` if it is None or absent.
  ElementType dtype(ElementType otherwise) const;

  // Marks parameters, separated by spaces, as read: they have no effect in inference, or repeat what weights
  // and other parameters say.
  void ignore(std::string_view names) const;
  // Throws Error(kUnsupported) for an input, parameter or weight that was not read.
  void check_read() const;

  // The operator's weights. `shape` may regroup the elements of the stored weight.
  bool has_weight(std::string_view name) const;
  const AttributeText& weight_text(std::string_view name) const;
  Source weight(std::string_view name);
  Source weight(std::string_view name, const Shape& shape);
  // Rows `begin` to `begin + count` of a weight's first axis.
  Source weight_rows(std::string_view name, int64_t begin, int64_t count);

  // Converts an axis of an input with `rank` axes, which may be negative as in numpy, to an axis counted from
  // the front.
  int64_t axis(int64_t axis, size_t rank) const;

  // Sets the outputs, in order. There may be more than the operator names.
  void give(const std::vector<Source>& outputs);
  void give(const Source& output) { give(std::vector<Source>{output}); }
  // Sets the first output of an operator whose other outputs are not computed. Throws Error(kUnsupported) if
  // an operator reads one of them.
  void give_first(const Source& output);
  // Sets the only output to a list.
  void give_list(std::vector<Source> parts);
  void give_complex(const Source& output);
  void give_value(Value value);

 private:
  const Parameter& get(const char* name) const;
  // The position of the input that $name marks; the number of inputs if there is none.
  size_t marked(std::string_view name) const;
  std::string_view operand_name(size_t i) const { return graph_.operands[op_.inputs[i]].name; }
  Ints integers_of(const char* name, const char* wanted) const;
  [[noreturn]] void refuse(const char* name, const char* wanted) const;
  std::shared_ptr<const model::ConstantData> read(const AttributeText& text, const Shape& shape,
                                                  uint64_t first_row) const;

  const Operator& op_;
  const Graph& graph_;
  model::Builder& builder_;
  const Weights* weights_;
  std::vector<Value>& values_;
  // By input, parameter and weight.
  mutable std::vector<char> read_inputs_, read_parameters_, read_weights_;
};

// Builds an operator: reads its inputs from the context and sets its outputs.
using Build = void (*)(Context& c);

}  // namespace wasmvino::pnnx
