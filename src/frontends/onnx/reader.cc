// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/reader.h"

#include <algorithm>
#include <map>
#include <new>
#include <optional>
#include <set>
#include <tuple>

#include "core/call.h"
#include "frontends/common/file_kind.h"
#include "frontends/common/operator_table.h"
#include "frontends/onnx/context.h"
#include "frontends/onnx/element_types.h"
#include "frontends/onnx/families.h"
#include "frontends/onnx/model_file.h"
#include "frontends/onnx/node_order.h"
#include "frontends/onnx/outline.h"
#include "model/builder.h"
#include "model/problems.h"

namespace wasmvino::onnx {
namespace {

using frontends::Companions;
using frontends::Inspection;

// The opset of the operations that the builder functions make.
constexpr int kOpset = 16;

// Functions that call functions may multiply, and so may sequences. This bounds what they make.
constexpr size_t kMostMade = size_t{1} << 20;

// Of an axis. Products of two do not overflow.
constexpr int64_t kMostSize = int64_t{1} << 31;

// "Conv", "com.microsoft.FusedConv".
std::string full_type(std::string_view domain, std::string_view type) {
  return domain.empty() ? std::string(type) : cat(domain, ".", type);
}

PartialShape shape_of(const TypeText& type) {
  if (!type.has_shape) return {};
  PartialShape shape = PartialShape::of_rank(type.shape.size());
  for (size_t i = 0; i < type.shape.size(); ++i) {
    // Exporters write -1 for sizes that they do not know.
    const int64_t size = type.shape[i].size;
    if (size > kMostSize)
      fail(ErrorCode::kInvalidModel, "has a size of ", size, " along axis ", i, ", expected at most 2^31");
    if (size >= 0) shape[i] = Dimension(size);
  }
  return shape;
}

using FunctionId = std::tuple<std::string_view, std::string_view, std::string_view>;

// The functions of a model by domain, name and overload.
class Functions {
 public:
  explicit Functions(const ModelFile& file) {
    for (const FunctionText& function : file.functions)
      by_id_.emplace(FunctionId(function.domain, function.name, function.overload), &function);
  }

  // nullptr if there is none.
  const FunctionText* find(const NodeText& node) const {
    const auto found = by_id_.find({node.domain, node.type, node.overload});
    return found == by_id_.end() ? nullptr : found->second;
  }

 private:
  std::map<FunctionId, const FunctionText*> by_id_;
};

// Visits all nodes that a graph runs, those in the graphs of attributes and in functions included, with the
// operator sets that they use. Functions are visited once.
template <typename Visit>
class Walk {
 public:
  Walk(const Functions& functions, Visit visit) : functions_(functions), visit_(std::move(visit)) {}

  void nodes(const std::vector<NodeText>& nodes, const OpsetImports& opsets) {
    for (const NodeText& node : nodes) {
      const FunctionText* function = functions_.find(node);
      visit_(node, opsets, function);
      for (const AttributeText& attribute : node.attributes) {
        if (attribute.graph != nullptr) this->nodes(attribute.graph->nodes, opsets);
      }
      if (function != nullptr && seen_.insert(function).second) waiting_.push_back(function);
    }
  }

  void functions() {
    while (!waiting_.empty()) {
      const FunctionText* next = waiting_.back();
      waiting_.pop_back();
      nodes(next->nodes, next->opsets);
    }
  }

 private:
  const Functions& functions_;
  Visit visit_;
  std::set<const FunctionText*> seen_;
  std::vector<const FunctionText*> waiting_;
};

template <typename Visit>
void visit_nodes(const ModelFile& file, const Functions& functions, Visit visit) {
  Walk<Visit> walk(functions, std::move(visit));
  walk.nodes(file.graph.nodes, file.opsets);
  walk.functions();
}

class Reader final : public BodyBuilder {
 public:
  Reader(const ModelFile& file, std::shared_ptr<const ByteSource> bytes, const Companions& companions,
         const model::Registry& registry, model::Problems& problems)
      : file_(file),
        functions_(file),
        tensors_(std::move(bytes), companions),
        registry_(registry),
        problems_(problems) {}

  // Returns nullptr if there is a problem, and adds it to `problems`.
  std::unique_ptr<model::Model> read() {
    refuse_unknown();
    if (!problems_.empty()) return nullptr;
    auto model = std::make_unique<model::Model>();
    model->name = file_.graph.name;
    model::Builder builder(*model, registry_, kOpset);
    Scope scope(builder, tensors_, nullptr);
    Frame frame;
    frame.opsets = &file_.opsets;
    scope.add_initializers(file_.graph);
    add_parameters(scope);
    build_nodes(file_.graph.nodes, scope, frame);
    add_results(file_.graph, scope);
    if (problems_.empty() && model->results.empty())
      problems_.add(ErrorCode::kInvalidModel, "the model has no outputs");
    if (!problems_.empty()) return nullptr;
    model->index();
    model->infer();
    return model;
  }

  BodyGraph build(const Graph& graph, const std::vector<BodyParameter>& parameters,
                  const StackedAxes& stacked, Scope& outer, const Frame& frame) override {
    const Nested nested(nesting_);
    BodyGraph made{std::make_unique<model::Model>(), {}};
    made.model->name = graph.name;
    model::Builder builder(*made.model, registry_, kOpset);
    Scope scope(builder, tensors_, &outer);
    scope.add_initializers(graph);
    expect_inputs(graph, parameters.size());
    for (size_t i = 0; i < parameters.size(); ++i) {
      const std::string& name = graph.inputs[i].name;
      builder.begin(name, 0);
      Source made = builder.parameter(parameters[i].type, parameters[i].shape, {name});
      if (parameters[i].sliced) made = frontends::build::squeeze(builder, made, {*parameters[i].sliced});
      scope.set(name, Value::of(made));
    }
    const size_t before = problems_.count();
    {
      const model::Problems::Inside inside(problems_, cat("the graph '", model::brief(graph.name), "'"));
      build_nodes(graph.nodes, scope, frame);
      add_results(graph, scope, stacked);
    }
    if (problems_.count() != before) throw Reported();
    made.model->index();
    made.model->infer();
    for (const Scope::Capture& capture : scope.captures()) made.captured.push_back(capture.outer);
    return made;
  }

  std::vector<Value> merge(const Graph& graph, const std::vector<Value>& inputs, Scope& outer,
                           const Frame& frame) override {
    const Nested nested(nesting_);
    Scope scope(outer.builder(), tensors_, &outer);
    scope.add_initializers(graph);
    expect_inputs(graph, inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) scope.set(graph.inputs[i].name, inputs[i]);
    count_made(graph.nodes.size());
    const size_t before = problems_.count();
    build_nodes(graph.nodes, scope, frame);
    if (problems_.count() != before) throw Reported();
    std::vector<Value> values;
    for (const ValueText& output : graph.outputs) {
      const Value* value = scope.find(output.name);
      if (value == nullptr) {
        fail(ErrorCode::kInvalidModel, "its output '", model::brief(output.name),
             "' is no value of the graph '", model::brief(graph.name), "'");
      }
      values.push_back(*value);
    }
    return values;
  }

  void count_made(size_t count) override {
    made_ += std::min(count, kMostMade + 1);
    if (made_ > kMostMade) {
      fail(ErrorCode::kUnsupported,
           "inlining the functions, graphs and sequences of the model makes more than ", kMostMade, " nodes");
    }
  }

 private:
  // A problem of a graph inside of a node, which was added to the problems.
  struct Reported {};

  // RAII: counts the bodies inside of one another.
  class Nested {
   public:
    explicit Nested(size_t& depth) : depth_(depth) {
      check_limit(current_call().limits().nesting, depth_ + 1, "bodies inside of one another");
      ++depth_;
    }
    ~Nested() { --depth_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;

   private:
    size_t& depth_;
  };

  static void expect_inputs(const Graph& graph, size_t count) {
    if (graph.inputs.size() == count) return;
    fail(ErrorCode::kInvalidModel, "the graph '", model::brief(graph.name), "' has ", graph.inputs.size(),
         " inputs, expected ", count);
  }

  // Reports all operators that this front end does not know, before anything is built.
  void refuse_unknown() {
    visit_nodes(file_, functions_,
                [&](const NodeText& node, const OpsetImports& opsets, const FunctionText* function) {
                  current_call().poll();
                  if (function != nullptr) return;
                  Frame frame;
                  frame.opsets = &opsets;
                  const int opset = frame.opset(node.domain);
                  if (find_entry(node.domain, node.type, opset) != nullptr) return;
                  const bool other = find_any_entry(node.domain, node.type) != nullptr;
                  problems_.add(
                      location(node, opset), ErrorCode::kUnsupported,
                      cat("the domain ", node.domain.empty() ? "ai.onnx" : model::brief(node.domain),
                          other ? " has this operator in other opsets, but not in opset "
                                : " has no operator of this type that this build knows, in opset ",
                          opset, " (", node.inputs.size(), " inputs, ", node.outputs.size(), " outputs)"));
                });
  }

  model::Location location(const NodeText& node, int opset) {
    type_ = full_type(node.domain, node.type);
    return {node.label(), type_, -1, opset, 0};
  }

  void add_parameters(Scope& scope) {
    for (const ValueText& input : file_.graph.inputs) {
      if (scope.is_initializer(input.name)) continue;
      try {
        // The tensor of an optional input is always given.
        const bool is_optional = input.type.kind == TypeText::Kind::kOptional && input.type.inner != nullptr;
        const TypeText& type = is_optional ? *input.type.inner : input.type;
        if (type.kind != TypeText::Kind::kTensor) {
          fail(ErrorCode::kUnsupported, "is ",
               type.kind == TypeText::Kind::kUnknown    ? "of no type"
               : type.kind == TypeText::Kind::kSequence ? "a sequence"
                                                        : "no tensor",
               ", expected a tensor");
        }
        scope.builder().begin(input.name, 0);
        scope.set(input.name, Value::of(scope.builder().parameter(element_type(type.element), shape_of(type),
                                                                  {input.name})));
      } catch (const Error& error) {
        problems_.add({input.name, "input", -1, 0, 0}, error);
        scope.set(input.name, {Value::Kind::kFailed, {}});
      }
    }
  }

  void add_results(const Graph& graph, Scope& scope, const StackedAxes& stacked = {}) {
    for (size_t i = 0; i < graph.outputs.size(); ++i) {
      const ValueText& output = graph.outputs[i];
      try {
        const Value* value = scope.find(output.name);
        if (value == nullptr) fail(ErrorCode::kInvalidModel, "is no value of the graph");
        if (value->kind == Value::Kind::kFailed) continue;
        if (value->kind != Value::Kind::kTensor) {
          fail(ErrorCode::kUnsupported, "is ",
               value->kind == Value::Kind::kNotComputed ? "an output that is not computed" : "no tensor",
               ", expected a tensor");
        }
        scope.builder().begin(output.name, 0);
        Source made = value->tensors[0];
        if (i < stacked.size() && stacked[i])
          made = frontends::build::unsqueeze(scope.builder(), made, {*stacked[i]});
        scope.builder().result(made, {output.name});
      } catch (const Error& error) {
        problems_.add({output.name, "output", -1, 0, 0}, error);
      }
    }
  }

  void build_nodes(const std::vector<NodeText>& nodes, Scope& scope, const Frame& frame) {
    for (const size_t i : order_of(nodes)) {
      current_call().poll();
      build_node(nodes[i], scope, frame);
    }
  }

  // Users of the output of a failed node are neither built nor reported.
  static bool follows_failure(const NodeText& node, Scope& scope) {
    bool follows = false;
    for (const std::string& input : node.inputs) {
      const Value* value = input.empty() ? nullptr : scope.find(input);
      follows |= value != nullptr && value->kind == Value::Kind::kFailed;
    }
    return follows;
  }

  void build_node(const NodeText& node, Scope& scope, const Frame& frame) {
    const int opset = frame.opset(node.domain);
    model::Builder& builder = scope.builder();
    try {
      if (!follows_failure(node, scope)) {
        const FunctionText* function = functions_.find(node);
        const Entry* entry = function == nullptr ? find_entry(node.domain, node.type, opset) : nullptr;
        Context context(node, entry == nullptr ? "" : entry->operations, frame, scope, tensors_, *this);
        if (function != nullptr) {
          inline_function(*function, context, scope, frame);
        } else {
          const size_t before = builder.node_count();
          builder.begin(cat(frame.prefix, node.label()), 0);
          entry->build(context);
          name_outputs(node, scope, before);
        }
        return;
      }
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const Reported&) {
    } catch (const Error& error) {
      problems_.add(location(node, opset), error);
    }
    for (const std::string& output : node.outputs) {
      if (!output.empty()) scope.set(output, {Value::Kind::kFailed, {}});
    }
  }

  // Names the nodes whose outputs are those of an ONNX node. An operator that only returns its input has
  // none.
  static void name_outputs(const NodeText& node, Scope& scope, size_t before) {
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i].empty()) continue;
      const Value* value = scope.find(node.outputs[i]);
      if (value == nullptr) fail(ErrorCode::kInternal, "its output ", i, " was not set");
      if (value->kind != Value::Kind::kTensor) continue;
      const Source source = value->tensors[0];
      if (source.node->index < before) continue;
      if (i == 0) scope.builder().name(source);
      source.node->outputs[source.port].names.push_back(node.outputs[i]);
    }
  }

  void inline_function(const FunctionText& function, Context& call, Scope& scope, const Frame& caller) {
    for (const Frame* frame = &caller; frame != nullptr; frame = frame->caller) {
      if (frame->function == &function) fail(ErrorCode::kInvalidModel, "is a function that calls itself");
    }
    count_made(function.nodes.size());
    Frame frame;
    frame.opsets = &function.opsets;
    frame.function = &function;
    frame.caller = &caller;
    frame.prefix = cat(caller.prefix, call.node().label(), "/");
    for (const AttributeText& attribute : function.defaults) frame.attributes[attribute.name] = &attribute;
    for (const AttributeText& attribute : call.node().attributes) {
      if (const AttributeText* given = call.find(attribute.name.c_str()))
        frame.attributes[attribute.name] = given;
    }
    Scope inner(scope.builder(), tensors_, nullptr);
    for (size_t i = 0; i < function.inputs.size(); ++i) {
      inner.set(function.inputs[i], call.has_input(i) ? call.value(i) : Value{Value::Kind::kNone, {}});
    }
    const size_t before = problems_.count();
    build_nodes(function.nodes, inner, frame);
    if (problems_.count() != before) throw Reported();
    for (size_t i = 0; i < call.node().outputs.size() && i < function.outputs.size(); ++i) {
      const Value* value = inner.find(function.outputs[i]);
      if (value == nullptr) {
        fail(ErrorCode::kInvalidModel, "its output '", model::brief(function.outputs[i]),
             "' is no value of the function");
      }
      call.give_value(i, *value);
    }
  }

  const ModelFile& file_;
  const Functions functions_;
  TensorReader tensors_;
  const model::Registry& registry_;
  model::Problems& problems_;
  size_t made_ = 0;
  size_t nesting_ = 0;
  std::string type_;  // of the node in the last location()
};

// The index of a file. Throws Error(kInvalidModel) if it is no ONNX model.
ModelFile index_of(const ByteSource& bytes) {
  ModelFile file = parse_model(bytes);
  // IR versions 1 and 2 had no operator sets. A model without imports uses version 1.
  if (opset_of(file.opsets, "") == 0) file.opsets.emplace_back("", 1);
  return file;
}

class OnnxFrontend final : public frontends::Frontend {
 public:
  std::string_view name() const override { return "ONNX"; }

  std::optional<std::vector<std::string_view>> operators_for(std::string_view operation) const override {
    return frontends::operators_with(all_families(), operation);
  }

  // A protocol buffer has no magic number. A model begins with its version, the names of its producer and its
  // domain, its graph or its operator sets.
  bool recognises(std::string_view start) const override {
    if (start.size() < 2 || frontends::is_saved_model(start)) return false;
    const auto first = static_cast<unsigned char>(start[0]), second = static_cast<unsigned char>(start[1]);
    if (first == 0x08) {  // ir_version
      constexpr std::string_view kNext = "\x12\x1a\x22\x28\x32\x3a\x42\x72\xca";
      return second > 0 && second < 32 &&
             (start.size() == 2 || kNext.find(start[2]) != std::string_view::npos);
    }
    return false;
  }

  frontends::Outline outline(const ByteSource& model) const override {
    try {
      return outline_of(index_of(model));
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kInvalidModel) throw;
      return {};
    }
  }

  std::unique_ptr<model::Model> read(std::shared_ptr<const ByteSource> model, const Companions& companions,
                                     const model::Registry& registry) const override {
    model::Problems problems;
    std::unique_ptr<model::Model> made;
    try {
      const ModelFile file = index_of(*model);
      made = Reader(file, std::move(model), companions, registry, problems).read();
    } catch (const Error& error) {
      problems.add(error);
    }
    if (!problems.empty()) throw model::ReadError(problems.errors(), problems.count());
    return made;
  }

  Inspection inspect(std::shared_ptr<const ByteSource> model, const Companions& companions,
                     const model::Registry& registry) const override {
    Inspection inspection;
    model::Problems problems;
    try {
      const ModelFile file = index_of(*model);
      inspection.name = file.graph.name;
      count_operators(file, inspection);
      if (const auto made = Reader(file, std::move(model), companions, registry, problems).read()) {
        inspection.describe_ports(*made);
      } else {
        add_declared_ports(file, inspection);
      }
    } catch (const Error& error) {
      problems.add(error);
    }
    inspection.problems = problems.errors();
    return inspection;
  }

 private:
  static void count_operators(const ModelFile& file, Inspection& inspection) {
    std::map<std::pair<std::string, int>, Inspection::Operation> operations;
    const Functions functions(file);
    visit_nodes(
        file, functions, [&](const NodeText& node, const OpsetImports& opsets, const FunctionText* function) {
          Frame frame;
          frame.opsets = &opsets;
          const int opset = frame.opset(node.domain);
          Inspection::Operation& operation = operations[{full_type(node.domain, node.type), opset}];
          operation.type = full_type(node.domain, node.type);
          operation.version = cat("opset", opset);
          operation.supported = function != nullptr || find_entry(node.domain, node.type, opset) != nullptr;
          ++operation.count;
        });
    for (auto& [key, operation] : operations) inspection.operations.push_back(std::move(operation));
  }

  static Inspection::Port port_of(const ValueText& value) {
    Inspection::Port port{{value.name}, value.name, ElementType::kDynamic, PartialShape()};
    try {
      port.shape = shape_of(value.type);
      if (value.type.kind == TypeText::Kind::kTensor) port.type = element_type(value.type.element);
    } catch (const Error&) {  // a size or a type that this build lacks
    }
    return port;
  }

  static void add_declared_ports(const ModelFile& file, Inspection& inspection) {
    std::set<std::string_view> initializers;
    for (const TensorText& text : file.graph.initializers) initializers.insert(text.name);
    for (const ValueText& input : file.graph.inputs) {
      if (initializers.count(input.name) == 0) inspection.inputs.push_back(port_of(input));
    }
    for (const ValueText& output : file.graph.outputs) inspection.outputs.push_back(port_of(output));
  }
};

}  // namespace

const frontends::Frontend& frontend() {
  static const OnnxFrontend made;
  return made;
}

}  // namespace wasmvino::onnx
