// SPDX-License-Identifier: Apache-2.0
// The context of one node of an ONNX graph, for the function that builds it: inputs, attributes, outputs.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/build/functions.h"
#include "frontends/onnx/model_file.h"
#include "frontends/onnx/scope.h"
#include "frontends/onnx/tensors.h"
#include "model/builder.h"

namespace wasmvino::onnx {

// Where a node stands: in the model's graph, or in a function that is inlined.
struct Frame {
  const OpsetImports* opsets = nullptr;
  const FunctionText* function = nullptr;
  const Frame* caller = nullptr;
  // Of a function: the attributes of the call, by the names that its nodes refer to.
  std::map<std::string_view, const AttributeText*> attributes;
  std::string prefix;  // of the names of nodes

  // The version of a domain's operators. A domain without one has version 1.
  int opset(std::string_view domain) const;
};

// A graph that an attribute holds, as a body of an operation.
struct BodyGraph {
  std::unique_ptr<model::Model> model;  // indexed and inferred; its results are the outputs of the graph
  std::vector<Source> captured;         // the values that its last parameters take from the graphs around it
};

// The type and shape of an input of a body.
struct BodyParameter {
  ElementType type = ElementType::kDynamic;
  PartialShape shape;
  // An axis of size 1 that the graph does not see: the parameter is a slice along it.
  std::optional<int64_t> sliced = std::nullopt;
};

// For each output of a graph, the axis of size 1 that its result gets, if any.
using StackedAxes = std::vector<std::optional<int64_t>>;

// Builds the graphs of attributes.
class BodyBuilder {
 public:
  virtual ~BodyBuilder() = default;
  virtual BodyGraph build(const Graph& graph, const std::vector<BodyParameter>& parameters,
                          const StackedAxes& stacked, Scope& outer, const Frame& frame) = 0;
  // Inlines a graph into the surrounding graph. Returns its outputs.
  virtual std::vector<Value> merge(const Graph& graph, const std::vector<Value>& inputs, Scope& outer,
                                   const Frame& frame) = 0;
  // Counts what a few bytes of a file may multiply: nodes of graphs that are inlined, tensors of sequences.
  // Throws Error(kUnsupported) if they are too many.
  virtual void count_made(size_t count) = 0;
};

class Context {
 public:
  // `operations` are those of the operator's entry.
  Context(const NodeText& node, std::string_view operations, const Frame& frame, Scope& scope,
          TensorReader& tensors, BodyBuilder& bodies);

  const NodeText& node() const { return node_; }
  // The first operation of the operator's entry.
  std::string_view operation() const { return operations_.substr(0, operations_.find(' ')); }
  // The version of the operator set that the node belongs to.
  int opset() const { return frame_.opset(node_.domain); }
  // The name is short because most lines of the builder functions use it.
  model::Builder& b() { return scope_.builder(); }

  // Inputs by position. Absent ones at the end are not counted.
  size_t input_count() const { return values_.size(); }
  bool has_input(size_t i) const { return i < values_.size() && values_[i] != nullptr; }
  // A tensor. Throws Error if the input is absent or something else.
  Source input(size_t i = 0) const;
  std::optional<Source> find_input(size_t i) const;
  const Value& value(size_t i) const;

  // The number of outputs that the node names, and whether it names one: an empty name is none.
  size_t output_count() const { return node_.outputs.size(); }
  bool wants(size_t output) const { return output < node_.outputs.size() && !node_.outputs[output].empty(); }

  // Attributes. Those without a default are required. All throw Error(kInvalidModel) if the attribute has
  // another type.
  bool has(const char* name) const { return find(name) != nullptr; }
  int64_t integer(const char* name) const;
  int64_t integer(const char* name, int64_t otherwise) const { return has(name) ? integer(name) : otherwise; }
  bool flag(const char* name, bool otherwise = false) const { return integer(name, otherwise ? 1 : 0) != 0; }
  // A number of something, from 1 to 2^31. Products of two do not overflow.
  int64_t count(const char* name) const;
  int64_t count(const char* name, int64_t otherwise) const { return has(name) ? count(name) : otherwise; }
  double real(const char* name) const;
  double real(const char* name, double otherwise) const { return has(name) ? real(name) : otherwise; }
  std::string word(const char* name) const;
  std::string word(const char* name, const char* otherwise) const {
    return has(name) ? word(name) : std::string(otherwise);
  }
  // Lists are empty if they are absent.
  Ints ints(const char* name) const;
  model::Floats reals(const char* name) const;
  std::vector<std::string> words(const char* name) const;
  // `count` integers, which are `otherwise` if the attribute is absent.
  Ints ints(const char* name, size_t count, int64_t otherwise) const;
  // A tensor as a constant.
  Source tensor(const char* name);
  std::shared_ptr<const model::ConstantData> tensor_data(const char* name) const;
  // An element type, by its number in ONNX.
  ElementType element_type(const char* name) const;
  ElementType element_type(const char* name, ElementType otherwise) const {
    return has(name) ? element_type(name) : otherwise;
  }
  const AttributeText* find(const char* name) const;
  // A graph as a body, for parameters of these types. `stacked` may be empty.
  BodyGraph body(const char* name, const std::vector<BodyParameter>& parameters,
                 const StackedAxes& stacked = {});
  // The outputs of a graph for these inputs. Its nodes become nodes of the graph around it.
  std::vector<Value> merged(const char* name, const std::vector<Value>& inputs = {});
  const Graph& graph(const char* name) const;
  void count_made(size_t count) { bodies_.count_made(count); }

  // An axis of a value with `rank` axes, counted from the front. Throws Error(kInvalidModel) if there is
  // none.
  int64_t axis(int64_t axis, size_t rank) const;

  // Sets the outputs, in order. Outputs that are not given must have no users.
  void give(const std::vector<Source>& outputs);
  void give(const Source& output) { give(std::vector<Source>{output}); }
  void give_value(size_t output, Value value);

 private:
  const AttributeText& get(const char* name) const;
  [[noreturn]] void refuse(const char* name, const char* wanted) const;

  const NodeText& node_;
  const std::string_view operations_;
  const Frame& frame_;
  Scope& scope_;
  TensorReader& tensors_;
  BodyBuilder& bodies_;
  std::vector<const Value*> values_;  // of the inputs; nullptr for absent ones
};

// Builds a node: reads its inputs from the context and sets its outputs.
using Build = void (*)(Context& c);

}  // namespace wasmvino::onnx
