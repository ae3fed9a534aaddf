// SPDX-License-Identifier: Apache-2.0
// One run of a node: the memory of its inputs and outputs.
#pragma once

#include <cstddef>
#include <span>

#include "core/parallel.h"
#include "core/tensor.h"

namespace wasmvino::model {

class Node;

// What the runtime offers to a run.
class EvalServices {
 public:
  virtual ~EvalServices() = default;
  // Gives output i of the running step this shape and memory for it.
  virtual void set_output_shape(size_t i, const Shape& shape) = 0;
};

class EvalContext {
 public:
  EvalContext(const Node& node, std::span<TensorView* const> inputs, std::span<TensorView* const> outputs,
              void* scratch, const Parallel& parallel, EvalServices& services)
      : EvalContext(node, inputs, outputs, scratch, parallel) {
    services_ = &services;
  }
  // All outputs have shapes and memory.
  EvalContext(const Node& node, std::span<TensorView* const> inputs, std::span<TensorView* const> outputs,
              void* scratch, const Parallel& parallel)
      : node_(&node), inputs_(inputs), outputs_(outputs), scratch_(scratch), parallel_(&parallel) {}

  const Node& node() const { return *node_; }
  size_t input_count() const { return inputs_.size(); }
  size_t output_count() const { return outputs_.size(); }
  const TensorView& input(size_t i) const { return *inputs_[i]; }
  TensorView& output(size_t i) const { return *outputs_[i]; }
  // For outputs with a data-dependent shape. Afterwards output(i) has shape and memory. Call it once per such
  // output. If inference knew the shape anyway (no rows of no boxes), it must be this one.
  void set_output_shape(size_t i, const Shape& shape) const;
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
