// SPDX-License-Identifier: Apache-2.0
// One run of a node: the memory of its inputs and outputs.
#pragma once

#include <cstddef>
#include <span>

#include "core/parallel.h"
#include "core/tensor.h"

namespace wasmvino::model {

class Node;

// What the runtime provides during a run.
class EvalServices {
 public:
  virtual ~EvalServices() = default;
  // Gives output i of the running step this shape, and allocates memory for it.
  virtual void set_output_shape(size_t i, const Shape& shape) = 0;
};

class EvalContext {
 public:
  EvalContext(const Node& node, std::span<TensorView* const> inputs, std::span<TensorView* const> outputs,
              void* scratch, const Parallel& parallel, EvalServices& services)
      : EvalContext(node, inputs, outputs, scratch, parallel) {
    services_ = &services;
  }
  // For nodes whose outputs all have shapes and memory.
  EvalContext(const Node& node, std::span<TensorView* const> inputs, std::span<TensorView* const> outputs,
              void* scratch, const Parallel& parallel)
      : node_(&node), inputs_(inputs), outputs_(outputs), scratch_(scratch), parallel_(&parallel) {}

  const Node& node() const { return *node_; }
  size_t input_count() const { return inputs_.size(); }
  size_t output_count() const { return outputs_.size(); }
  const TensorView& input(size_t i) const { return *inputs_[i]; }
  TensorView& output(size_t i) const { return *outputs_[i]; }
  // For outputs with a data-dependent shape. Call it once per such output. Afterwards output(i) has a shape
  // and memory. If inference already knew the shape (no boxes give no rows), `shape` must equal it.
  void set_output_shape(size_t i, const Shape& shape) const;
  // The memory that CompileContext::request_scratch() requested.
  void* scratch() const { return scratch_; }
  void set_scratch(void* memory) { scratch_ = memory; }
  const Parallel& parallel() const { return *parallel_; }

 private:
  const Node* node_;
  std::span<TensorView* const> inputs_;
  std::span<TensorView* const> outputs_;
  void* scratch_;
  const Parallel* parallel_;
  EvalServices* services_ = nullptr;
};

}  // namespace wasmvino::model
