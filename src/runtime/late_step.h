// SPDX-License-Identifier: Apache-2.0
// A data-dependent node: it is inferred and compiled during the run. The result is reused as long as shapes
// and values stay the same.
#pragma once

#include <memory>
#include <vector>

#include "model/infer.h"
#include "runtime/run_state.h"

namespace wasmvino::runtime {

class LateStep final : public model::EvalServices {
 public:
  // `known`: what is known about the inputs at planning. `inputs` and `outputs` refer to the memory of the
  // values in each run.
  LateStep(const model::Node& node, std::vector<const model::ValueInfo*> known,
           std::span<TensorView* const> inputs, std::span<TensorView* const> outputs,
           std::vector<std::string> path, RunState& state);
  ~LateStep() override;

  void run();
  // The output buffer that contains `memory`, or nullptr.
  const Tensor* buffer_around(const void* memory) const;
  void set_output_shape(size_t i, const Shape& shape) override;
  // Null before the first run.
  const model::Kernel* kernel() const { return kernel_.get(); }

 private:
  bool prepared_for_inputs() const;
  void prepare();

  const model::Node& node_;
  std::vector<const model::ValueInfo*> known_;
  std::span<TensorView* const> inputs_, outputs_;
  std::vector<std::string> path_;
  RunState& state_;

  bool prepared_ = false;
  std::vector<Shape> input_shapes_;
  std::vector<Tensor> asked_values_;  // by input; empty if inference did not request it
  std::vector<model::ValueInfo> output_infos_;
  std::vector<std::optional<model::ViewOf>> output_views_;
  std::vector<Tensor> output_values_;  // of outputs that follow from types and shapes
  std::vector<Tensor> constants_;      // constants that the kernel may read
  std::unique_ptr<model::Kernel> kernel_;
  std::vector<Tensor> buffers_;  // of the outputs, each as large as needed so far
  Tensor scratch_;
};

}  // namespace wasmvino::runtime
