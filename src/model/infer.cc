// SPDX-License-Identifier: Apache-2.0
#include "model/infer.h"

#include <cstring>
#include <map>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/call.h"

namespace wasmvino::model {
namespace {

// Larger values are computed by the plan instead. Values that shapes depend on are small, and a folded value
// occupies memory as long as the plan exists.
constexpr size_t kLargestFoldedValue = size_t{1} << 16;

// The services for a node that is computed outside of any plan.
class LoneServices final : public CompileServices, public EvalServices {
 public:
  LoneServices(std::vector<Tensor>& outputs, std::vector<TensorView>& views, const Parallel& parallel)
      : outputs_(outputs), views_(views), parallel_(parallel) {}

  std::unique_ptr<Subgraph> subgraph(const Node&, size_t, std::span<const ValueInfo>) override {
    fail(ErrorCode::kUnsupported, "a node with a body cannot be computed outside a plan");
  }
  std::shared_ptr<const void>& cache(const Node& node, std::string_view key) override {
    return cache_[{&node, std::string(key)}];
  }
  Variable& variable(std::string_view) override {
    fail(ErrorCode::kUnsupported, "a variable cannot be read outside a plan");
  }
  const Parallel& parallel() const override { return parallel_; }
  void set_output_shape(size_t i, const Shape& shape) override {
    outputs_[i] = Tensor(views_[i].type, shape);
    views_[i] = outputs_[i].view();
  }

 private:
  std::vector<Tensor>& outputs_;
  std::vector<TensorView>& views_;
  std::map<std::pair<const Node*, std::string>, std::shared_ptr<const void>> cache_;
  const Parallel& parallel_;
};

// Gives outputs that copy elements the quantisation of their data. One by channel refers to the last axis,
// which may have other channels now: a pass has found out which.
void keep_quantization(const Node& node, std::span<const ValueInfo* const> inputs,
                       std::span<ValueInfo> outputs) {
  if (!node.op->copies_elements() || inputs.empty() || inputs[0]->quantization == nullptr) return;
  for (size_t i = 0; i < outputs.size(); ++i) {
    outputs[i].quantization =
        inputs[0]->quantization->by_channel() ? node.outputs[i].quantization : inputs[0]->quantization;
  }
}

std::vector<Tensor> compute(const Node& node, std::span<const ValueInfo* const> inputs,
                            std::span<const ValueInfo> infos, const Parallel& parallel = Parallel()) {
  std::vector<Tensor> outputs(infos.size());
  std::vector<TensorView> views(infos.size());
  std::vector<TensorView> input_views;
  const KnownValues known(inputs);
  for (size_t i = 0; i < inputs.size(); ++i) input_views.push_back(*known.of(i));
  LoneServices services(outputs, views, parallel);
  CompileContext compile(node, inputs, infos, services);
  bool all_views = !infos.empty();
  const std::vector<std::optional<ViewOf>> shown = node.op->views(compile);
  for (size_t i = 0; i < infos.size(); ++i) {
    all_views &= shown[i].has_value();
    if (const std::optional<ViewOf>& view = shown[i]) {
      TensorView& from = input_views[view->input];
      void* memory = static_cast<char*>(from.memory) + view->offset;
      outputs[i] = Tensor(infos[i].type, infos[i].shape.to_shape(), memory).clone();
    } else if (infos[i].shape.is_static()) {
      outputs[i] = Tensor(infos[i].type, infos[i].shape.to_shape());
    }
    views[i] = outputs[i].view();
    views[i].type = infos[i].type;
  }
  if (all_views) return outputs;

  const std::unique_ptr<Kernel> kernel = compile_kernel(compile);
  const Tensor scratch(ElementType::kU8, Shape{static_cast<int64_t>(compile.scratch_bytes())});
  std::vector<TensorView*> input_pointers, output_pointers;
  for (TensorView& view : input_views) input_pointers.push_back(&view);
  for (TensorView& view : views) output_pointers.push_back(&view);
  EvalContext context(node, input_pointers, output_pointers, scratch.view().memory, services.parallel(),
                      services);
  if (kernel != nullptr) {
    kernel->run(context);
  } else {
    node.op->evaluate(context);
  }
  return outputs;
}

// Whether nothing distinguishes the values for inference. Values of more than 64 elements are equal only if
// they are the same constant.
bool equal(const ValueInfo& a, const ValueInfo& b) {
  if (a.type != b.type || !(a.shape == b.shape) || !same(a.quantization, b.quantization)) return false;
  if (a.constant == b.constant) return true;
  constexpr size_t kMostCompared = 64;
  if (a.constant == nullptr || b.constant == nullptr || a.type == ElementType::kString ||
      element_count(a.constant->shape()) > kMostCompared) {
    return false;
  }
  const Tensor first = a.constant->value(), second = b.constant->value();
  return std::memcmp(first.data<char>(), second.data<char>(), first.byte_size()) == 0;
}

// Brings an earlier inference up to date. Without one, every value is new.
class Renewal {
 public:
  Renewal(const Model& model, Inference earlier)
      : renews_(!earlier.values.empty()),
        inference_(std::move(earlier)),
        unchanged_before_(std::move(inference_.unchanged)),
        asked_before_(std::move(inference_.asked)) {
    inference_.values.resize(model.value_count());
    inference_.folded.resize(model.nodes.size());
    inference_.unchanged.assign(renews_ ? inference_.values.size() : 0, 0);
    inference_.asked.clear();
  }

  bool renews() const { return renews_; }
  Inference& inference() { return inference_; }

  // Whether the outputs of the node are what they were, because its inputs are.
  bool keeps(const Node& node) {
    // What a variable holds is no input.
    if (!renews_ || !node.bodies.empty() || !node.op->reads_variable().empty()) return false;
    for (const Source& source : node.inputs) {
      if (!inference_.unchanged[source.node->first_value + source.port]) return false;
    }
    keep_outputs(node);
    while (next_asked_ < asked_before_.size() && asked_before_[next_asked_].node < node.index) ++next_asked_;
    for (size_t i = next_asked_; i < asked_before_.size() && asked_before_[i].node == node.index; ++i)
      inference_.asked.push_back(asked_before_[i]);
    return true;
  }

  void keep_outputs(const Node& node) {
    for (size_t port = 0; port < node.outputs.size(); ++port)
      inference_.unchanged[node.first_value + port] = 1;
  }

  // A value that equals the earlier one stays the same constant.
  void set(size_t value, ValueInfo made) {
    ValueInfo& old = inference_.values[value];
    if (renews_) {
      if (equal(made, old)) {
        inference_.unchanged[value] = 1;
        return;
      }
      inference_.same_form = inference_.same_form && made.type == old.type &&
                             made.shape.is_static() == old.shape.is_static() &&
                             (made.constant != nullptr) == (old.constant != nullptr);
    }
    old = std::move(made);
  }

  Inference finish() {
    if (renews_) inference_.same_form = inference_.same_form && inference_.asked == asked_before_;
    for (size_t i = 0; i < unchanged_before_.size(); ++i) inference_.unchanged[i] &= unchanged_before_[i];
    return std::move(inference_);
  }

 private:
  const bool renews_;
  Inference inference_;
  const std::vector<char> unchanged_before_;
  const std::vector<Inference::Asked> asked_before_;
  size_t next_asked_ = 0;
};

class NoKernel final : public Kernel {
 public:
  void run(EvalContext&) override {}
};

}  // namespace

std::unique_ptr<Kernel> compile_kernel(CompileContext& context) {
  bool empty = context.output_count() > 0 && context.node().bodies.empty();
  for (size_t i = 0; i < context.output_count(); ++i) {
    const bool known = context.has_output_shape(i);
    const size_t count = known ? element_count(context.output_shape(i)) : 0;
    empty = empty && known && count == 0;
    // Checks before compile() allocates tables that are as long as the output.
    check_limit(current_call().limits().tensor_bytes, storage_bytes(context.output_type(i), count),
                "bytes of one tensor");
  }
  if (empty) return std::make_unique<NoKernel>();
  return context.node().op->compile(context);
}

void check_types(const Op& op, std::span<const ValueInfo* const> inputs) {
  if (op.types() == nullptr) return;
  SmallVector<ElementType, 6> types;
  for (const ValueInfo* input : inputs) types.push_back(input->type);
  op.types()->check({types.begin(), types.size()});
}

std::vector<ValueInfo> infer_node(const Node& node, std::span<const ValueInfo* const> inputs,
                                  const Variables* variables, std::vector<char>* asked) {
  // Marks outputs that the operation has not set.
  static const auto unset = std::make_shared<const ConstantData>(Tensor());
  std::vector<ValueInfo> outputs(node.outputs.size(), ValueInfo{ElementType::kDynamic, {}, unset});
  check_types(*node.op, inputs);
  InferContext context(node, inputs, outputs);
  context.set_variables(variables);
  node.op->infer(context);
  keep_quantization(node, inputs, outputs);
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].constant == unset && node.kind == NodeKind::kOperation) {
      fail(ErrorCode::kInvalidModel, "the layer has ", outputs.size(), " outputs, but the operation has ", i);
    }
  }
  if (asked != nullptr) {
    asked->assign(inputs.size(), 0);
    for (size_t i = 0; i < inputs.size(); ++i) (*asked)[i] = context.asked(i);
  }
  return outputs;
}

NodeInference infer_and_fold(const Node& node, std::span<const ValueInfo* const> inputs,
                             const Variables* variables, std::vector<char>* asked) {
  NodeInference result{infer_node(node, inputs, variables, asked)};
  std::vector<ValueInfo>& outputs = result.outputs;
  bool all_known = node.op->is_pure() && node.bodies.empty() && !outputs.empty();
  for (const ValueInfo* input : inputs) all_known &= input->constant != nullptr;
  for (const ValueInfo& output : outputs) {
    all_known &= output.constant == nullptr &&
                 (!output.shape.is_static() || element_count(output.shape.to_shape()) <= kLargestFoldedValue);
  }
  if (!all_known) return result;
  std::vector<Tensor> values = compute(node, inputs, outputs);
  for (size_t i = 0; i < outputs.size(); ++i) {
    SharedQuantization quantization = std::move(outputs[i].quantization);
    outputs[i] = ValueInfo::of(values[i]);
    outputs[i].quantization = std::move(quantization);
  }
  result.folded = true;
  return result;
}

Inference infer_model(const Model& model, std::span<const ValueInfo> parameters, const Variables* variables,
                      std::vector<Error>* errors, Inference earlier) {
  Renewal renewal(model, std::move(earlier));
  Inference& inference = renewal.inference();
  for (size_t i = 0; i < model.parameters.size(); ++i) {
    const Node& parameter = *model.parameters[i];
    try {
      check_axes(parameters[i].shape, "the input");
    } catch (...) {
      rethrow_at(parameter);
    }
    renewal.set(parameter.first_value, parameters[i]);
  }
  std::vector<const ValueInfo*> inputs;
  std::vector<char> asked;
  std::vector<char> failed(errors == nullptr ? 0
                                             : model.nodes.size());  // failed, or depends on a failed node
  for (const auto& node : model.nodes) {
    current_call().poll();
    if (node->kind == NodeKind::kParameter) continue;
    if (node->kind == NodeKind::kConstant) {
      if (renewal.renews()) {
        renewal.keep_outputs(*node);
        continue;
      }
      check_axes(node->constant->shape(), "the constant");
      renewal.set(node->first_value, {node->constant->type(), node->constant->shape(), node->constant});
      continue;
    }
    if (renewal.keeps(*node)) continue;
    if (errors != nullptr) {
      for (const Source& source : node->inputs) failed[node->index] |= failed[source.node->index];
      if (failed[node->index]) continue;
    }
    inputs.clear();
    for (const Source& source : node->inputs) inputs.push_back(&inference.of(source));
    try {
      auto [outputs, folded] = infer_and_fold(*node, inputs, variables, &asked);
      for (size_t i = 0; i < inputs.size(); ++i) {
        if (asked[i]) inference.asked.push_back({node->index, i, inputs[i]->constant != nullptr});
      }
      inference.folded[node->index] = folded;
      for (size_t i = 0; i < outputs.size(); ++i) renewal.set(node->first_value + i, std::move(outputs[i]));
    } catch (...) {
      try {
        rethrow_at(*node);
      } catch (Error& error) {
        if (errors == nullptr || is_about_the_call(error)) throw;
        failed[node->index] = 1;
        errors->push_back(std::move(error));
      }
    }
  }
  return renewal.finish();
}

std::vector<Tensor> evaluate_node(const Node& node, std::span<const Tensor> inputs,
                                  const Parallel& parallel) {
  try {
    std::vector<ValueInfo> infos;
    for (const Tensor& input : inputs) infos.push_back(ValueInfo::of(input));
    std::vector<const ValueInfo*> pointers;
    for (const ValueInfo& info : infos) pointers.push_back(&info);
    const std::vector<ValueInfo> outputs = infer_node(node, pointers);
    if (!outputs.empty() && outputs[0].constant != nullptr) return {outputs[0].constant->value()};
    return compute(node, pointers, outputs, parallel);
  } catch (...) {
    rethrow_at(node);
  }
}

void rethrow_at(const Node& node) {
  const auto located = [&](Error error) {
    node.locate(error);
    return error;
  };
  try {
    throw;
  } catch (const Error& error) {
    throw located(error);
  } catch (const std::bad_alloc&) {
    throw located(Error(ErrorCode::kOutOfMemory, "there is not enough memory"));
  } catch (const std::length_error&) {
    throw located(Error(ErrorCode::kOutOfMemory, "it needs more memory than can be addressed"));
  } catch (const std::exception&) {
    throw located(
        Error(ErrorCode::kInternal, "the operation failed unexpectedly; please report this with the model"));
  }
}

}  // namespace wasmvino::model
