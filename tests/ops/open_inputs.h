// SPDX-License-Identifier: Apache-2.0
// Runs one operation as a plan does: the values of inputs are unknown until the run, except for constants.
// The work is split as for several threads and runs on one.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "tests/ops/op_tester.h"

namespace wasmvino::test {

// Splits work as for `threads` threads, each with its own scratch memory. The last task runs first.
class PretendedThreads final : public Parallel {
 public:
  explicit PretendedThreads(size_t threads) : threads_(threads) {}
  size_t threads() const override { return threads_; }
  void run(size_t tasks, Task task, void* context) const override {
    for (size_t i = tasks; i-- > 0;)
      task(context, i, std::min(threads_, tasks) - 1 - i % std::min(threads_, tasks));
  }

 private:
  size_t threads_;
};

class OpenRun final : public model::CompileServices, public model::EvalServices {
 public:
  explicit OpenRun(size_t threads) : parallel_(threads) {}

  std::vector<Tensor> run(const model::Node& node, const std::vector<Tensor>& inputs,
                          const std::vector<size_t>& constants) {
    std::vector<model::ValueInfo> infos;
    for (const Tensor& input : inputs) infos.push_back({input.type(), input.shape(), nullptr});
    for (const size_t i : constants) infos[i] = model::ValueInfo::of(inputs[i]);
    std::vector<const model::ValueInfo*> pointers;
    for (const model::ValueInfo& info : infos) pointers.push_back(&info);
    std::vector<model::ValueInfo> results(node.outputs.size());
    model::InferContext infer(node, pointers, results);
    node.op->infer(infer);
    for (size_t i = 0; i < inputs.size(); ++i)
      EXPECT_TRUE(!infer.asked(i) || infos[i].constant != nullptr) << "shapes need the value of input " << i;

    outputs_.resize(results.size());
    views_.resize(results.size());
    for (size_t i = 0; i < results.size(); ++i) {
      if (results[i].shape.is_static()) outputs_[i] = Tensor(results[i].type, results[i].shape.to_shape());
      views_[i] = outputs_[i].view();
      views_[i].type = results[i].type;
      if (outputs_[i].byte_size() > 0) std::memset(views_[i].memory, 0x5a, outputs_[i].byte_size());
    }
    model::CompileContext compile(node, pointers, results, *this);
    const std::unique_ptr<model::Kernel> kernel = node.op->compile(compile);
    const Tensor scratch(ElementType::kU8, {static_cast<int64_t>(compile.scratch_bytes())});
    std::vector<TensorView> input_views;
    for (size_t i = 0; i < inputs.size(); ++i) {
      input_views.push_back(inputs[i].view());
      if (compile.consumed(i)) input_views.back().memory = nullptr;
    }
    std::vector<TensorView*> input_pointers, output_pointers;
    for (TensorView& view : input_views) input_pointers.push_back(&view);
    for (TensorView& view : views_) output_pointers.push_back(&view);
    model::EvalContext eval(node, input_pointers, output_pointers, scratch.view().memory, parallel_, *this);
    // Runs twice, because the first run must not affect the second.
    for (int round = 0; round < 2; ++round) {
      if (kernel != nullptr) {
        kernel->run(eval);
      } else {
        node.op->evaluate(eval);
      }
    }
    return outputs_;
  }

  std::unique_ptr<model::Subgraph> subgraph(const model::Node&, size_t,
                                            std::span<const model::ValueInfo>) override {
    fail(ErrorCode::kUnsupported, "no bodies here");
  }
  std::shared_ptr<const void>& cache(const model::Node&, std::string_view key) override {
    return cache_[std::string(key)];
  }
  model::Variable& variable(std::string_view) override { fail(ErrorCode::kUnsupported, "no variables here"); }
  const Parallel& parallel() const override { return parallel_; }
  void set_output_shape(size_t i, const Shape& shape) override {
    outputs_[i] = Tensor(views_[i].type, shape);
    views_[i] = outputs_[i].view();
  }

 private:
  PretendedThreads parallel_;
  std::vector<Tensor> outputs_;
  std::vector<TensorView> views_;
  std::unordered_map<std::string, std::shared_ptr<const void>> cache_;
};

// Runs an operation with inputs that are unknown until it runs, except for the `constants`.
inline std::vector<Tensor> run_op_open(const std::string& type, int opset,
                                       const model::AttributeTexts& attributes,
                                       const std::vector<Tensor>& inputs, size_t outputs = 1,
                                       const std::vector<size_t>& constants = {}, size_t threads = 1) {
  const auto node = make_node(type, opset, attributes, outputs);
  return OpenRun(threads).run(*node, inputs, constants);
}

}  // namespace wasmvino::test
