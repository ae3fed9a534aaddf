// SPDX-License-Identifier: Apache-2.0
// The values of one graph by name, inside of those of the graphs around it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frontends/onnx/model_file.h"
#include "frontends/onnx/tensors.h"
#include "model/builder.h"

namespace wasmvino::onnx {

using model::Source;

struct Value {
  enum class Kind : uint8_t {
    kTensor,
    kSequence,     // tensors whose number is known
    kNone,         // an optional value without content
    kNotComputed,  // an output of an operator that gives fewer outputs
    kFailed,       // its operator has a problem, which was reported
  };
  Kind kind = Kind::kTensor;
  std::vector<Source> tensors;

  static Value of(const Source& tensor) { return {Kind::kTensor, {tensor}}; }
};

class Scope {
 public:
  // A value of a graph around a body, and the body's parameter for it.
  struct Capture {
    Source outer;
    Source parameter;
  };

  // `outer` is the scope of the graph around a body; nullptr for others.
  Scope(model::Builder& builder, TensorReader& tensors, Scope* outer)
      : builder_(builder), tensors_(tensors), outer_(outer) {}
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  model::Builder& builder() { return builder_; }

  // Initializers become constants when they are used.
  void add_initializers(const Graph& graph);
  bool is_initializer(std::string_view name) const;
  void set(std::string_view name, Value value) { values_[name] = std::move(value); }

  // The value of a name in this graph or one around it, or nullptr if there is none. A value from around a
  // body becomes a constant or a parameter of it. Throws Error if a tensor's data are wrong.
  const Value* find(std::string_view name);

  const std::vector<Capture>& captures() const { return captures_; }

 private:
  Value constant(std::string_view name, std::shared_ptr<const model::ConstantData> value);
  Source captured(std::string_view name, const Source& source);

  model::Builder& builder_;
  TensorReader& tensors_;
  Scope* outer_;
  // The texts of names live as long as the file's index.
  std::unordered_map<std::string_view, Value> values_;
  std::unordered_map<std::string_view, const TensorText*> initializers_;
  std::unordered_map<std::string_view, const SparseText*> sparse_initializers_;
  std::vector<Capture> captures_;
  std::map<std::pair<const model::Node*, size_t>, Source> captured_;  // the parameters by the outer value
};

}  // namespace wasmvino::onnx
