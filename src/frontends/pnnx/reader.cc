// SPDX-License-Identifier: Apache-2.0
#include "frontends/pnnx/reader.h"

#include <algorithm>
#include <map>
#include <new>
#include <optional>

#include "core/call.h"
#include "frontends/common/operator_table.h"
#include "frontends/pnnx/calls.h"
#include "frontends/pnnx/complex.h"
#include "frontends/pnnx/context.h"
#include "frontends/pnnx/families.h"
#include "frontends/pnnx/param.h"
#include "model/builder.h"

namespace wasmvino::pnnx {
namespace {

using frontends::Inspection;

constexpr std::string_view kInput = "pnnx.Input", kOutput = "pnnx.Output";

// The opset of the operations that the builder functions make.
constexpr int kOpset = 16;

bool is_supported(const Operator& op) {
  return op.type == kInput || op.type == kOutput || find_entry(op.type) != nullptr;
}

class Reader {
 public:
  Reader(const Graph& graph, std::shared_ptr<const ByteSource> bytes, const model::Registry& registry,
         model::Problems& problems)
      : graph_(graph), bytes_(std::move(bytes)), registry_(registry), problems_(problems) {}

  // Returns nullptr if there is a problem, and adds it to `problems`.
  std::unique_ptr<model::Model> read() {
    refuse_unknown();
    std::optional<Weights> weights;
    try {
      if (bytes_ != nullptr) weights.emplace(Weights{bytes_, StoredZip(*bytes_)});
    } catch (const Error& error) {
      problems_.add(error);
    }
    if (!problems_.empty()) return nullptr;
    auto model = std::make_unique<model::Model>();
    model->name = "pnnx";
    model::Builder builder(*model, registry_, kOpset);
    values_.resize(graph_.operands.size());
    failed_.resize(graph_.operands.size());
    for (const Operator& op : graph_.operators) {
      current_call().poll();
      if (!follows_failure(op)) build(op, builder, weights ? &*weights : nullptr);
    }
    if (problems_.empty() && model->results.empty()) {
      problems_.add(ErrorCode::kInvalidModel, "the model has no pnnx.Output");
    }
    if (!problems_.empty()) return nullptr;
    model->index();
    model->infer();
    return model;
  }

 private:
  // Reports all operators that this front end does not know, before anything is built.
  void refuse_unknown() {
    for (const Operator& op : graph_.operators) {
      if (is_supported(op)) continue;
      const std::string_view obstacle = obstacle_of(op.type);
      problems_.add(op.location(), ErrorCode::kUnsupported,
                    cat(obstacle.empty() ? "is an operator that this build does not know" : "cannot be read",
                        " (", op.inputs.size(), " inputs, ", op.outputs.size(), " outputs",
                        op.parameter_text.empty() ? "" : ", ", op.parameter_text, ")",
                        obstacle.empty() ? "" : ": ", obstacle));
    }
  }

  // Users of the output of a failed operator are neither built nor reported.
  bool follows_failure(const Operator& op) {
    bool follows = false;
    for (const size_t input : op.inputs) follows |= failed_[input] != 0;
    if (follows) mark_failed(op);
    return follows;
  }

  bool has_complex_input(const Operator& op) const {
    return std::any_of(op.inputs.begin(), op.inputs.end(),
                       [&](size_t input) { return values_[input].is_complex; });
  }

  // The inputs of an expression keep their positions, whatever marks them.
  bool has_marked_literal(const Operator& op) const {
    if (op.type == "pnnx.Expression") return false;
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      if (!op.input_names[i].empty() && values_[op.inputs[i]].literal) return true;
    }
    return false;
  }

  void mark_failed(const Operator& op) {
    for (const size_t output : op.outputs) failed_[output] = 1;
  }

  void build(const Operator& op, model::Builder& builder, const Weights* weights) {
    builder.begin(op.name, op.line);
    try {
      if (op.type == kInput) {
        add_parameters(op, builder);
      } else if (op.type == kOutput) {
        add_results(op, builder);
      } else {
        const Entry& entry = *find_entry(op.type);
        if (!entry.arguments.empty()) {
          build_by(entry, named_call(op, entry.arguments, values_), builder, weights);
        } else {
          Operator changed;
          const Operator* called = &op;
          if (repeats_weights(op, values_)) called = &(changed = without_repeated_weights(op));
          if (has_marked_literal(*called)) called = &(changed = with_literals(*called, values_));
          build_by(entry, *called, builder, weights);
        }
        for (const size_t output : op.outputs) check(output, builder);
        count_tuples(op);
        name_last(op, builder);
      }
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const Error& error) {
      problems_.add(op.location(), error);
      mark_failed(op);
    }
  }

  // Tuples may contain all tensors of earlier ones, so their total may grow with the square of the lines.
  void count_tuples(const Operator& op) {
    constexpr size_t kMostInTuples = size_t{1} << 20;
    for (const size_t output : op.outputs) {
      if (!values_[output].is_tuple) continue;
      in_tuples_ += values_[output].tensors.size();
      if (in_tuples_ <= kMostInTuples) continue;
      values_[output] = {};
      fail(ErrorCode::kUnsupported, "makes a tuple, with which the tuples of the model have ", in_tuples_,
           " tensors together, expected at most ", kMostInTuples);
    }
  }

  void build_by(const Entry& entry, const Operator& op, model::Builder& builder, const Weights* weights) {
    Context context(op, graph_, builder, weights, values_);
    if (entry.takes_parts && has_complex_input(op)) {
      build_parts(entry.build, context, values_);
    } else {
      entry.build(context);
    }
    context.check_read();
  }

  void add_parameters(const Operator& op, model::Builder& builder) {
    if (!op.inputs.empty())
      fail(ErrorCode::kInvalidModel, "has ", op.inputs.size(), " inputs, expected none");
    if (op.outputs.size() != 1)
      fail(ErrorCode::kInvalidModel, "has ", op.outputs.size(), " outputs, expected one");
    const Operand& operand = graph_.operands[op.outputs[0]];
    if (operand.type == ElementType::kDynamic) {
      fail(ErrorCode::kInvalidModel, "declares no type of its operand '", model::brief(operand.name),
           "': export the model with inputshape=[...], so that pnnx writes #", model::brief(operand.name),
           "=(...)f32");
    }
    values_[op.outputs[0]].tensors = {builder.parameter(operand.type, operand.shape, {op.name})};
    values_[op.outputs[0]].is_complex = operand.is_complex;
  }

  // A model may return one tensor, or a tuple of them.
  void add_results(const Operator& op, model::Builder& builder) {
    size_t count = 0;
    for (const size_t input : op.inputs) count += values_[input].tensors.size();
    if (count == 0) fail(ErrorCode::kInvalidModel, "gives no tensor");
    size_t i = 0;
    for (const size_t input : op.inputs) {
      for (const Source source : values_[input].tensors) {
        const std::string name = count == 1 ? op.name : cat(op.name, ".", i++);
        builder.begin(name, op.line);
        builder.result(source, {name});
      }
    }
  }

  // Compares the inferred type and shape with those that the file declares.
  void check(size_t output, const model::Builder& builder) const {
    const Operand& operand = graph_.operands[output];
    const Value& value = values_[output];
    if (value.is_tuple || value.tensors.empty() || operand.type == ElementType::kDynamic) return;
    if (value.is_complex != operand.is_complex) {
      throw Error(ErrorCode::kInvalidType,
                  cat("gives '", model::brief(operand.name), "' ", value.is_complex ? "complex" : "real",
                      " numbers, the file declares ", operand.is_complex ? "complex" : "real", " ones"));
    }
    const model::ValueInfo& made = builder.info(value.tensors[0]);
    if (!made.shape.compatible(operand.shape)) {
      throw Error(ErrorCode::kInvalidShape, cat("gives '", model::brief(operand.name), "' the shape ",
                                                made.shape, ", the file declares ", operand.shape))
          .expected(to_string(operand.shape))
          .actual(to_string(made.shape));
    }
    if (made.type != operand.type) {
      throw Error(ErrorCode::kInvalidType, cat("gives '", model::brief(operand.name), "' the type ",
                                               made.type, ", the file declares ", operand.type))
          .expected(std::string(wasmvino::name(operand.type)))
          .actual(std::string(wasmvino::name(made.type)));
    }
  }

  void name_last(const Operator& op, model::Builder& builder) const {
    if (op.outputs.empty() || values_[op.outputs[0]].tensors.empty()) return;
    const Source source = values_[op.outputs[0]].tensors[0];
    // An operator that only returns its input has no node of its own.
    if (source.node->line == op.line) builder.name(source);
  }

  const Graph& graph_;
  std::shared_ptr<const ByteSource> bytes_;
  const model::Registry& registry_;
  model::Problems& problems_;
  std::vector<Value> values_;  // by operand
  std::vector<char> failed_;   // by operand
  size_t in_tuples_ = 0;       // tensors
};

std::unique_ptr<model::Model> read_graph(const Graph& graph, std::shared_ptr<const ByteSource> weights,
                                         const model::Registry& registry, model::Problems& problems) {
  return problems.empty() ? Reader(graph, std::move(weights), registry, problems).read() : nullptr;
}

class PnnxFrontend final : public frontends::Frontend {
 public:
  std::string_view name() const override { return "PNNX"; }

  std::optional<std::vector<std::string_view>> operators_for(std::string_view operation) const override {
    return frontends::operators_with(all_families(), operation);
  }

  bool recognises(std::string_view start) const override {
    if (!start.starts_with(kMagic)) return false;
    start.remove_prefix(kMagic.size());
    return start.empty() || start[0] == '\n' || start[0] == '\r';
  }

  std::unique_ptr<model::Model> read(std::shared_ptr<const ByteSource> model,
                                     const frontends::Companions& companions,
                                     const model::Registry& registry) const override {
    model::Problems problems;
    const std::string text = frontends::read_text(*model);
    const Graph graph = parse_param(text, problems);
    std::unique_ptr<model::Model> made = read_graph(graph, companions.weights(), registry, problems);
    if (!problems.empty()) throw model::ReadError(problems.errors(), problems.count());
    return made;
  }

  Inspection inspect(std::shared_ptr<const ByteSource> model, const frontends::Companions& companions,
                     const model::Registry& registry) const override {
    model::Problems problems;
    const std::string text = frontends::read_text(*model);
    const Graph graph = parse_param(text, problems);
    Inspection inspection;
    inspection.name = "pnnx";
    std::map<std::string, Inspection::Operation> operations;
    for (const Operator& op : graph.operators) {
      Inspection::Operation& operation = operations[op.type];
      operation.type = op.type;
      operation.supported = is_supported(op);
      ++operation.count;
    }
    for (auto& [type, operation] : operations) inspection.operations.push_back(std::move(operation));
    if (const std::unique_ptr<model::Model> made =
            read_graph(graph, companions.weights(), registry, problems)) {
      inspection.describe_ports(*made);
    } else {
      add_declared_ports(graph, inspection);
    }
    inspection.problems = problems.errors();
    return inspection;
  }

 private:
  static void add_declared_ports(const Graph& graph, Inspection& inspection) {
    for (const Operator& op : graph.operators) {
      const bool is_input = op.type == kInput;
      if (!is_input && op.type != kOutput) continue;
      for (const size_t operand : is_input ? op.outputs : op.inputs) {
        const Operand& declared = graph.operands[operand];
        (is_input ? inspection.inputs : inspection.outputs)
            .push_back({{op.name}, op.name, declared.type, declared.shape});
      }
    }
  }
};

}  // namespace

const frontends::Frontend& frontend() {
  static const PnnxFrontend made;
  return made;
}

}  // namespace wasmvino::pnnx
