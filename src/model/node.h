// SPDX-License-Identifier: Apache-2.0
// The graph: nodes with ports, models, and bodies inside nodes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/op.h"

namespace wasmvino::model {

// Output `port` of `node`.
struct Source {
  Node* node = nullptr;
  size_t port = 0;
  friend bool operator==(Source a, Source b) { return a.node == b.node && a.port == b.port; }
};

struct OutputPort {
  ElementType type = ElementType::kDynamic;
  PartialShape shape;
  std::vector<std::string> names;  // tensor names
  SharedQuantization quantization = nullptr;
};

// How an input of a node reaches a parameter of its body.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/infrastructure/tensor-iterator-1.html
struct BodyInput {
  enum class Purpose { kNone, kCurrentIteration };
  size_t input = 0;             // of the node; not used for kCurrentIteration
  size_t parameter = 0;         // of the body
  std::optional<int64_t> axis;  // the axis along which it is sliced, if any
  int64_t start = 0, end = -1, stride = 1, part_size = 1;
  Purpose purpose = Purpose::kNone;
};

// How a result of a body reaches an output of its node.
struct BodyOutput {
  enum class Purpose { kNone, kExecutionCondition };
  size_t output = 0;  // of the node; not used for kExecutionCondition
  size_t result = 0;  // of the body
  // The axis along which the iterations are concatenated. If empty, the output is the value of the last
  // iteration.
  std::optional<int64_t> axis;
  int64_t start = 0, end = -1, stride = 1, part_size = 1;
  Purpose purpose = Purpose::kNone;
};

// Passes this iteration's `result` to the next iteration as `parameter`.
struct BackEdge {
  size_t result = 0;
  size_t parameter = 0;
};

struct Body {
  std::unique_ptr<Model> model;
  std::vector<BodyInput> inputs;
  std::vector<BodyOutput> outputs;
  std::vector<BackEdge> back_edges;
};

enum class NodeKind : uint8_t { kOperation, kParameter, kConstant, kResult };

// Input `input` of `node`, which uses a value.
struct User {
  Node* node = nullptr;
  size_t input = 0;
  friend bool operator==(User a, User b) { return a.node == b.node && a.input == b.input; }
};

// The inputs of a node. Every change also updates the lists of users of the sources, in constant time per
// changed input.
class Inputs {
 public:
  explicit Inputs(Node& node) : node_(node) {}
  Inputs(const Inputs&) = delete;
  ~Inputs() { clear(); }
  Inputs& operator=(const Inputs& other) { return *this = other.sources_; }
  Inputs& operator=(const std::vector<Source>& sources);

  size_t size() const { return sources_.size(); }
  bool empty() const { return sources_.empty(); }
  const Source& operator[](size_t i) const { return sources_[i]; }
  const Source& back() const { return sources_.back(); }
  auto begin() const { return sources_.begin(); }
  auto end() const { return sources_.end(); }
  operator const std::vector<Source>&() const { return sources_; }  // NOLINT: used like a vector

  void set(size_t i, Source source);
  void push_back(Source source);
  // Removes input i and moves the later inputs up.
  void erase(size_t i);
  void clear();

 private:
  void link(size_t i);
  void unlink(size_t i);

  Node& node_;
  std::vector<Source> sources_;
  std::vector<size_t> places_;  // by input: its position in the list of users of its source
};

class Model;

class Node {
 public:
  Node(std::string name, std::string type, int version, std::shared_ptr<Op> op,
       NodeKind kind = NodeKind::kOperation);
  ~Node();

  std::string name;
  std::string type;  // as the specification spells it: "Constant", "Relu"
  int version;       // first opset of the operation's class: 11 for TopK-11
  std::shared_ptr<Op> op;
  NodeKind kind;
  int64_t id = -1;  // of the layer in the IR; -1 if a pass made the node
  int line = 0;     // of the layer in the .xml; 0 if unknown
  Inputs inputs{*this};
  std::vector<OutputPort> outputs;
  std::vector<Body> bodies;
  std::shared_ptr<const ConstantData> constant;  // the value of a kConstant
  std::vector<std::string> output_names;         // the tensor names of a kResult
  // Set by Model::index(): the position in Model::nodes, and the number of output 0 among all values of the
  // model.
  size_t index = 0;
  size_t first_value = 0;

  // The inputs that use output `port`, in no particular order. This includes results, sinks, and unneeded
  // nodes that Model::index() has not dropped yet.
  std::span<const User> users(size_t port) const {
    return port < users_.size() ? std::span<const User>(users_[port]) : std::span<const User>();
  }

  // Adds this node's name, type, id and line to an error that names no layer yet.
  void locate(Error& error) const { error.at_layer(name, type, id, version, line); }

 private:
  friend class Inputs;
  friend class Model;
  std::vector<std::vector<User>> users_;  // by port
};

// The output port of a value, and its shape.
inline const OutputPort& port_of(Source source) { return source.node->outputs[source.port]; }
inline const PartialShape& shape_of(Source source) { return port_of(source).shape; }

inline bool is_constant(Source source) { return source.node->kind == NodeKind::kConstant; }
// The integers of a short constant; nullopt for other values.
std::optional<Ints> constant_ints(Source source);

// A copy of `node` (name, type, id, line and outputs) with another operation and other inputs.
std::unique_ptr<Node> remade(const Node& node, std::shared_ptr<Op> op, std::vector<Source> inputs);

class Model {
 public:
  std::string name;
  int ir_version = 11;
  // What the file says about its own execution, as it is written: {"KV_CACHE_PRECISION", "f16"}. Of the model
  // itself, not of bodies.
  std::map<std::string, std::string> runtime_options;
  std::vector<std::unique_ptr<Node>> nodes;  // after index(): each node after its inputs
  // In the order of the file, which is also that of the model's inputs and outputs.
  std::vector<Node*> parameters;
  std::vector<Node*> results;
  // Nodes that must run although they have no users: Assign.
  std::vector<Node*> sinks;

  Model() = default;
  ~Model();

  Node* add(std::unique_ptr<Node> node);
  Node* add_constant(std::string name, Tensor value);
  // Adds a 1-D constant of i64.
  Source add_ints(std::string name, const Ints& values);
  // Replaces `from` by `to` in all its users, in time proportional to the number of these users.
  void replace_uses(Source from, Source to);
  // Removes the inputs of an operation that has no users, and then those of operations that only it used. The
  // lists of users then contain only needed nodes. index() has the same effect.
  void release(Node& node);
  // Drops nodes that neither a result nor a sink needs (parameters stay), sorts the rest, and numbers nodes
  // and values, bodies included. Throws Error(kInvalidModel), which names the nodes of a cycle.
  void index();
  size_t value_count() const { return value_count_; }
  // Sets the types and shapes of all outputs from the declared ones of the parameters. Call index() first.
  // Throws Error. If `errors` is given, appends errors to it instead, except those about the call, and
  // continues with nodes that do not depend on a failing one.
  void infer(std::vector<Error>* errors = nullptr);
  std::unique_ptr<Model> clone() const;

 private:
  size_t value_count_ = 0;
};

// Operations that are part of the graph itself.
class ParameterOp final : public Op {
 public:
  ElementType type = ElementType::kDynamic;
  PartialShape shape;
  void visit_attributes(AttributeVisitor& visitor) override;
  void infer(InferContext& context) const override;
};

class ConstantOp final : public Op {
 public:
  void infer(InferContext& context) const override;
};

class ResultOp final : public Op {
 public:
  void infer(InferContext& context) const override;
};

}  // namespace wasmvino::model
