// SPDX-License-Identifier: Apache-2.0
// Adds operations of one opset to a model and infers them immediately. Front ends, passes and preprocessing
// make nodes this way.
#pragma once

#include <deque>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/node.h"
#include "model/registry.h"

namespace wasmvino::model {

using AttributeValue = std::variant<int64_t, double, bool, std::string, std::vector<std::string>, Ints,
                                    Floats, ElementType, PartialShape>;

// An attribute of an operation, by its name in the specification. The value of an enumeration is its word:
// {"mode", "linear"}.
struct Attribute {
  std::string_view name;
  AttributeValue value;
};
using Attributes = std::vector<Attribute>;

class Builder {
 public:
  // Every operation is added in the version that `opset` contains. A model that has nodes must be indexed and
  // inferred. Its nodes may be inputs of new ones.
  Builder(Model& model, const Registry& registry, int opset);

  // Sets the line in the file, and the prefix of the names, of the nodes that are added next.
  void begin(std::string name, int line);

  // Adds an operation and returns its output 0. Throws Error(kUnsupported) if this build lacks the operation,
  // and Error(kInternal) if an attribute is unknown or has the wrong type. Errors of the operation's
  // inference pass through.
  Source add(std::string_view type, const std::vector<Source>& inputs, const Attributes& attributes = {},
             size_t outputs = 1);
  // The same, for calls that list their inputs. The vectors are made here and not at each call, so that front
  // ends stay small. Names are `const char*` and values `const Source&` because WebAssembly copies a struct
  // of two words at each call by value. These copies took 33 KB of the module, with gzip.
  Source add(const char* type, std::initializer_list<Source> inputs,
             std::initializer_list<Attribute> attributes = {}, size_t outputs = 1);
  // The same for an operation of another domain than OpenVINO's opsets, in its newest version.
  Source add_of(std::string_view domain, std::string_view type, const std::vector<Source>& inputs,
                const Attributes& attributes = {}, size_t outputs = 1);
  // The same for an operation with bodies, which are indexed and inferred.
  Source add_with_bodies(std::string_view type, const std::vector<Source>& inputs, std::vector<Body> bodies,
                         size_t outputs);
  // The same for texts as in the IR, and for the newest version of the operation. Throws
  // Error(kInvalidArgument) if the operation or an attribute is unknown, and Error(kInvalidModel) if an
  // attribute is missing or cannot be read.
  Source add_by_texts(std::string_view type, const std::vector<Source>& inputs, const AttributeTexts& texts,
                      size_t outputs);
  // Output `port` of the node that produces `source`.
  static Source output(const Source& source, size_t port) { return {source.node, port}; }

  // The number of nodes of the model.
  size_t node_count() const { return model_.nodes.size(); }

  Source parameter(ElementType type, PartialShape shape, std::vector<std::string> names);
  Source constant(std::shared_ptr<const ConstantData> value);
  Source constant(Tensor value) { return constant(std::make_shared<ConstantData>(std::move(value))); }
  // i64 constants: a scalar and a list.
  Source scalar(int64_t value);
  Source list(const Ints& values);
  // A scalar of a numeric type or boolean. Throws Error(kInvalidValue) if an integer type cannot hold the
  // value.
  Source scalar(double value, ElementType type);
  // Adds a result of the model. `names` are the tensor names of the output.
  void result(const Source& source, std::vector<std::string> names);

  // What inference found out about a value.
  const ValueInfo& info(const Source& source) const {
    return values_[source.node->first_value + source.port];
  }
  ElementType type(const Source& source) const { return info(source).type; }
  const PartialShape& shape(const Source& source) const { return info(source).shape; }
  // The number of axes. Throws Error(kUnsupported) if it is unknown.
  size_t rank(const Source& source) const;
  // The elements of a small known value, as integers; nullopt if the value is unknown.
  std::optional<Ints> known_ints(const Source& source) const;

  // Gives the node that produces `source` the name set by begin().
  void name(const Source& source);

 private:
  // `found` is nullptr if this build lacks the operation.
  std::unique_ptr<Node> make(const OpClass* found, std::string_view type, const std::vector<Source>& inputs,
                             const Attributes& attributes, size_t outputs);
  // Adds an operation that has its inputs, after inferring its outputs. Returns output 0.
  Source infer_and_append(std::unique_ptr<Node> made);
  Node* append(std::unique_ptr<Node> node);
  std::string next_name(std::string_view type);

  Model& model_;
  const Registry& registry_;
  int opset_;
  std::string name_;
  int line_ = 0;
  size_t made_ = 0;  // number of nodes since begin()
  // By value number. Not a vector: what shape() and info() return must outlive the nodes that are added
  // later.
  std::deque<ValueInfo> values_;
};

}  // namespace wasmvino::model
