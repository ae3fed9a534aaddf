// SPDX-License-Identifier: Apache-2.0
// Builds small models by hand from operations defined in this header. The runtime is tested apart from the
// real operations.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "model/node.h"
#include "model/registry.h"
#include "runtime/compiled_model.h"

namespace wasmvino::test {

using model::CompileContext;
using model::EvalContext;
using model::InferContext;
using model::Node;
using model::NodeKind;
using model::Op;
using model::Source;
using model::ViewOf;

// output = a + b, of equal shapes, in i32. Counts its runs, to show what is folded and what is needed.
class SumOp final : public Op {
 public:
  mutable int runs = 0;
  mutable std::vector<const void*> outputs;  // memory of each run's output

  void infer(InferContext& context) const override {
    if (!context.input_shape(0).compatible(context.input_shape(1))) {
      fail(ErrorCode::kInvalidShape, "shapes ", context.input_shape(0), " and ", context.input_shape(1),
           " differ");
    }
    context.set_output(0, context.input_type(0), *context.input_shape(0).merge(context.input_shape(1)));
  }
  void evaluate(EvalContext& context) const override {
    ++runs;
    outputs.push_back(context.output(0).memory);
    for (size_t i = 0; i < context.output(0).size(); ++i) {
      // Unsigned numbers may wrap: some tests compute with uninitialised memory.
      context.output(0).mutable_data<uint32_t>()[i] =
          context.input(0).data<uint32_t>()[i] + context.input(1).data<uint32_t>()[i];
    }
  }
  bool can_overwrite(const CompileContext&, size_t, size_t) const override { return true; }
};

// The same elements as one row.
class FlattenOp final : public Op {
 public:
  void infer(InferContext& context) const override {
    const PartialShape& shape = context.input_shape(0);
    Dimension count = 1;
    if (!shape.has_rank()) count = Dimension();
    for (const Dimension size : shape) count = count * size;
    context.set_output(0, context.input_type(0), {count});
  }
  std::optional<ViewOf> view_of(const CompileContext&, size_t) const override { return ViewOf{0, 0}; }
};

// Concatenates rows. Its inputs may be computed directly in their places.
class JoinOp final : public Op {
 public:
  mutable int copied = 0;
  void infer(InferContext& context) const override {
    Dimension total = 0;
    for (size_t i = 0; i < context.input_count(); ++i) {
      const PartialShape& shape = context.input_shape(i);
      total = total + (shape.has_rank() ? shape[0] : Dimension());
    }
    context.set_output(0, context.input_type(0), {total});
  }
  std::vector<size_t> places_of_inputs(const CompileContext& context) const override {
    std::vector<size_t> places;
    size_t offset = 0;
    for (size_t i = 0; i < context.input_count(); ++i) {
      places.push_back(offset);
      offset += element_count(context.input_shape(i)) * 4;
    }
    return places;
  }
  void evaluate(EvalContext& context) const override {
    char* to = context.output(0).mutable_data<char>();
    for (size_t i = 0; i < context.input_count(); ++i) {
      const TensorView& input = context.input(i);
      if (input.memory != to) {
        std::memcpy(to, input.memory, input.byte_size());
        ++copied;
      }
      to += input.byte_size();
    }
  }
};

// `count` copies of one number. The shape depends on a value.
class FillOp final : public Op {
 public:
  mutable int compiled = 0;
  void infer(InferContext& context) const override {
    const auto count = context.input_ints(1);
    context.set_output(0, ElementType::kI32, {count ? Dimension((*count)[0]) : Dimension()});
  }
  std::unique_ptr<model::Kernel> compile(CompileContext& context) const override {
    EXPECT_NE(context.constant(1), nullptr) << "what inference asked for must be known";
    ++compiled;
    return nullptr;
  }
  void evaluate(EvalContext& context) const override {
    std::fill_n(context.output(0).mutable_data<int32_t>(), context.output(0).size(),
                *context.input(0).data<int32_t>());
  }
};

// The positive elements. The shape is known only after the run, unless there are no elements.
class PositiveOp final : public Op {
 public:
  void infer(InferContext& context) const override {
    context.set_output(0, ElementType::kI32, {Dimension(0, context.input_shape(0)[0].max)});
  }
  void evaluate(EvalContext& context) const override {
    const int32_t* from = context.input(0).data<int32_t>();
    std::vector<int32_t> kept;
    std::copy_if(from, from + context.input(0).size(), std::back_inserter(kept),
                 [](int32_t v) { return v > 0; });
    context.set_output_shape(0, {static_cast<int64_t>(kept.size())});
    std::copy(kept.begin(), kept.end(), context.output(0).mutable_data<int32_t>());
  }
};

class FailOp final : public Op {
 public:
  void infer(InferContext& context) const override {
    context.set_output(0, context.input_type(0), context.input_shape(0));
  }
  void evaluate(EvalContext& context) const override {
    if (*context.input(0).data<int32_t>() < 0) fail(ErrorCode::kInvalidValue, "a negative number");
    TensorView& to = context.output(0);
    copy_elements(context.input(0), to);
  }
};

class GraphBuilder {
 public:
  GraphBuilder() : model_(std::make_unique<model::Model>()) {}

  Source parameter(const std::string& name, PartialShape shape, ElementType type = ElementType::kI32) {
    auto op = std::make_shared<model::ParameterOp>();
    op->type = type;
    op->shape = std::move(shape);
    Node* node = add(name, "Parameter", std::move(op), {}, 1, NodeKind::kParameter);
    node->outputs[0].names = {name};
    model_->parameters.push_back(node);
    return {node, 0};
  }
  Source constant(const std::string& name, Tensor value) {
    return {model_->add_constant(name, std::move(value)), 0};
  }
  Source op(const std::string& name, std::shared_ptr<Op> op, std::vector<Source> inputs) {
    return {add(name, "Test", std::move(op), std::move(inputs), 1, NodeKind::kOperation), 0};
  }
  Source sum(const std::string& name, Source a, Source b) {
    return op(name, std::make_shared<SumOp>(), {a, b});
  }
  void result(const std::string& name, Source source) {
    source.node->outputs[source.port].names = {name};
    model_->results.push_back(
        add(name, "Result", std::make_shared<model::ResultOp>(), {source}, 0, NodeKind::kResult));
  }
  Node* add(const std::string& name, const std::string& type, std::shared_ptr<Op> op,
            std::vector<Source> inputs, size_t outputs, NodeKind kind) {
    auto node = std::make_unique<Node>(name, type, 1, std::move(op), kind);
    node->id = static_cast<int64_t>(model_->nodes.size());
    node->inputs = std::move(inputs);
    node->outputs.resize(outputs);
    return model_->add(std::move(node));
  }
  model::Model& model() { return *model_; }
  // Returns the model, indexed and inferred.
  std::unique_ptr<model::Model> finish() {
    model_->index();
    model_->infer();
    return std::move(model_);
  }
  // Only indexed: for bodies, whose parameters get their shapes from outside.
  std::unique_ptr<model::Model> finish_body() {
    model_->index();
    return std::move(model_);
  }
  std::unique_ptr<runtime::InferRequest> request(const runtime::CompileOptions& options = {}) {
    return runtime::CompiledModel::compile(*finish(), model::Registry(), options)->create_infer_request();
  }

 private:
  std::unique_ptr<model::Model> model_;
};

inline Tensor row(std::initializer_list<int32_t> values) {
  return Tensor::of<int32_t>({static_cast<int64_t>(values.size())}, values);
}

inline std::vector<int32_t> numbers(const Tensor& tensor) {
  return {tensor.data<int32_t>(), tensor.data<int32_t>() + tensor.size()};
}

}  // namespace wasmvino::test
