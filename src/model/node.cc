// SPDX-License-Identifier: Apache-2.0
#include "model/node.h"

#include <algorithm>
#include <unordered_map>

#include "model/infer.h"

namespace wasmvino::model {

Node::Node(std::string name, std::string type, int version, std::shared_ptr<Op> op, NodeKind kind)
    : name(std::move(name)), type(std::move(type)), version(version), op(std::move(op)), kind(kind) {}

Node::~Node() = default;

namespace {

// Makes push_back() of one more element unable to fail, in constant time on average.
template <typename T>
void make_room(std::vector<T>& list) {
  constexpr size_t kFewest = 4;
  if (list.size() == list.capacity()) list.reserve(std::max(kFewest, 2 * list.size()));
}

}  // namespace

Inputs& Inputs::operator=(const std::vector<Source>& sources) {
  if (&sources == &sources_) return *this;
  clear();
  for (const Source& source : sources) push_back(source);
  return *this;
}

void Inputs::set(size_t i, Source source) {
  const Source before = sources_[i];
  unlink(i);
  sources_[i] = source;
  try {
    link(i);
  } catch (...) {
    // The list of users from which the input was taken still has room for it.
    sources_[i] = before;
    link(i);
    throw;
  }
}

void Inputs::push_back(Source source) {
  make_room(places_);
  sources_.push_back(source);
  places_.push_back(0);
  try {
    link(sources_.size() - 1);
  } catch (...) {
    sources_.pop_back();
    places_.pop_back();
    throw;
  }
}

void Inputs::erase(size_t i) {
  unlink(i);
  for (size_t j = i + 1; j < sources_.size(); ++j) {
    const Source source = sources_[j];
    sources_[j - 1] = source;
    places_[j - 1] = places_[j];
    if (source.node != nullptr) source.node->users_[source.port][places_[j]].input = j - 1;
  }
  sources_.pop_back();
  places_.pop_back();
}

void Inputs::clear() {
  for (size_t i = 0; i < sources_.size(); ++i) unlink(i);
  sources_.clear();
  places_.clear();
}

// If it fails, nothing has changed: a source and the list of its users must never differ.
void Inputs::link(size_t i) {
  const Source source = sources_[i];
  if (source.node == nullptr) return;
  std::vector<std::vector<User>>& users = source.node->users_;
  if (users.size() <= source.port) users.resize(source.port + 1);
  users[source.port].push_back({&node_, i});
  places_[i] = users[source.port].size() - 1;
}

void Inputs::unlink(size_t i) {
  const Source source = sources_[i];
  if (source.node == nullptr) return;
  // Moves the last user to the free place.
  std::vector<User>& users = source.node->users_[source.port];
  const User last = users.back();
  users[places_[i]] = last;
  last.node->inputs.places_[last.input] = places_[i];
  users.pop_back();
}

std::optional<Ints> constant_ints(Source source) {
  // For axes and similar lists. A longer constant is data.
  constexpr size_t kMost = 4096;
  if (!is_constant(source) || element_count(source.node->constant->shape()) > kMost) return std::nullopt;
  return to_ints(source.node->constant->value().view());
}

std::unique_ptr<Node> remade(const Node& node, std::shared_ptr<Op> op, std::vector<Source> inputs) {
  auto made = std::make_unique<Node>(node.name, node.type, node.version, std::move(op));
  made->id = node.id;
  made->line = node.line;
  made->inputs = inputs;
  made->outputs = node.outputs;
  return made;
}

Model::~Model() {
  // Clears all inputs before any node is destroyed, because inputs access their sources.
  for (const auto& node : nodes) node->inputs.clear();
}

Node* Model::add(std::unique_ptr<Node> node) {
  nodes.push_back(std::move(node));
  return nodes.back().get();
}

Node* Model::add_constant(std::string name, Tensor value) {
  auto node = std::make_unique<Node>(std::move(name), "Constant", 1, std::make_shared<ConstantOp>(),
                                     NodeKind::kConstant);
  node->outputs.push_back({value.type(), value.shape(), {}});
  node->constant = std::make_shared<ConstantData>(std::move(value));
  return add(std::move(node));
}

Source Model::add_ints(std::string name, const Ints& values) {
  const Shape shape = {static_cast<int64_t>(values.size())};
  return {add_constant(std::move(name), Tensor::of<int64_t>(shape, values.data())), 0};
}

void Model::replace_uses(Source from, Source to) {
  if (from == to) return;
  for (std::span<const User> users = from.node->users(from.port); !users.empty();
       users = from.node->users(from.port)) {
    users.back().node->inputs.set(users.back().input, to);
  }
}

void Model::release(Node& node) {
  std::vector<Node*> open = {&node};
  while (!open.empty()) {
    Node& last = *open.back();
    open.pop_back();
    if (last.kind != NodeKind::kOperation || std::find(sinks.begin(), sinks.end(), &last) != sinks.end())
      continue;
    const bool used =
        std::any_of(last.users_.begin(), last.users_.end(), [](const auto& users) { return !users.empty(); });
    if (used) continue;
    for (const Source& source : last.inputs) open.push_back(source.node);
    last.inputs.clear();
  }
}

void Model::index() {
  enum : char { kNew, kOpen, kDone };
  std::unordered_map<const Node*, char> state;
  state.reserve(nodes.size());
  std::vector<Node*> order;
  order.reserve(nodes.size());
  // Depth-first without recursion: a chain of 50,000 layers is a valid model.
  struct Frame {
    Node* node;
    size_t next_input;
  };
  std::vector<Frame> stack;
  const auto visit = [&](Node* root) {
    if (state[root] != kNew) return;
    state[root] = kOpen;
    stack.push_back({root, 0});
    while (!stack.empty()) {
      Frame& frame = stack.back();
      if (frame.next_input == frame.node->inputs.size()) {
        state[frame.node] = kDone;
        order.push_back(frame.node);
        stack.pop_back();
        continue;
      }
      Node* input = frame.node->inputs[frame.next_input++].node;
      const char seen = state[input];
      if (seen == kDone) continue;
      if (seen == kOpen) {
        std::string cycle = cat("'", input->name, "'");
        bool inside = false;
        for (const Frame& f : stack) {
          if (inside) cycle += cat(" → '", f.node->name, "'");
          inside |= f.node == input;
        }
        Error error(ErrorCode::kInvalidModel,
                    cat("the graph has a cycle: ", cycle, " → '", input->name, "'"));
        input->locate(error);
        throw error;
      }
      state[input] = kOpen;
      stack.push_back({input, 0});
    }
  };
  for (Node* node : parameters) visit(node);
  for (Node* node : results) visit(node);
  for (Node* node : sinks) visit(node);

  for (Node* node : order) {
    for (Body& body : node->bodies) body.model->index();
  }
  std::unordered_map<const Node*, std::unique_ptr<Node>*> places;
  places.reserve(nodes.size());
  for (auto& node : nodes) places[node.get()] = &node;
  std::vector<std::unique_ptr<Node>> sorted;
  sorted.reserve(order.size());
  // From here on nothing fails: a node that is destroyed before its users would leave them inputs without
  // memory.
  for (const auto& node : nodes) {
    if (const auto found = state.find(node.get()); found == state.end() || found->second == kNew)
      node->inputs.clear();
  }
  value_count_ = 0;
  for (Node* node : order) {
    node->index = sorted.size();
    node->first_value = value_count_;
    value_count_ += node->outputs.size();
    sorted.push_back(std::move(*places.find(node)->second));
  }
  nodes = std::move(sorted);
}

void Model::infer(std::vector<Error>* errors) {
  std::vector<ValueInfo> declared;
  declared.reserve(parameters.size());
  for (const Node* node : parameters) {
    const auto& op = static_cast<const ParameterOp&>(*node->op);
    declared.push_back({op.type, op.shape, nullptr});
  }
  const Inference inference = infer_model(*this, declared, nullptr, errors);
  for (const auto& node : nodes) {
    for (size_t port = 0; port < node->outputs.size(); ++port) {
      const ValueInfo& info = inference.values[node->first_value + port];
      node->outputs[port].type = info.type;
      node->outputs[port].shape = info.shape;
      // A node that failed, and what depends on it, may succeed next time.
      if (info.type != ElementType::kDynamic) node->outputs[port].quantization = info.quantization;
    }
  }
}

std::unique_ptr<Model> Model::clone() const {
  auto copy = std::make_unique<Model>();
  copy->name = name;
  copy->ir_version = ir_version;
  copy->runtime_options = runtime_options;
  std::unordered_map<const Node*, Node*> clone_of;
  clone_of.reserve(nodes.size());
  for (const auto& node : nodes) {
    auto made = std::make_unique<Node>(node->name, node->type, node->version, node->op, node->kind);
    made->id = node->id;
    made->line = node->line;
    made->outputs = node->outputs;
    made->constant = node->constant;
    made->output_names = node->output_names;
    made->index = node->index;
    made->first_value = node->first_value;
    for (const Body& body : node->bodies) {
      made->bodies.push_back({body.model->clone(), body.inputs, body.outputs, body.back_edges});
    }
    clone_of[node.get()] = copy->add(std::move(made));
  }
  for (const auto& node : nodes) {
    for (const Source& input : node->inputs)
      clone_of.at(node.get())->inputs.push_back({clone_of.at(input.node), input.port});
  }
  for (const Node* node : parameters) copy->parameters.push_back(clone_of.at(node));
  for (const Node* node : results) copy->results.push_back(clone_of.at(node));
  for (const Node* node : sinks) copy->sinks.push_back(clone_of.at(node));
  copy->value_count_ = value_count_;
  return copy;
}

void ParameterOp::visit_attributes(AttributeVisitor& visitor) {
  visitor.on("element_type", type);
  visitor.on("shape", shape);
}

void ParameterOp::infer(InferContext& context) const { context.set_output(0, type, shape); }

void ConstantOp::infer(InferContext& context) const {
  const ConstantData& constant = *context.node().constant;
  context.set_output(0, constant.type(), constant.shape());
}

void ResultOp::infer(InferContext& context) const { context.expect_inputs(1); }

}  // namespace wasmvino::model
