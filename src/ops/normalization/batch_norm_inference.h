// SPDX-License-Identifier: Apache-2.0
// BatchNormInference: (x - mean) / standard deviation * gamma + beta for each channel; all statistics are
// inputs.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/normalization/batch-norm-inference-5.html
#pragma once

#include "model/op.h"

namespace wasmvino::ops::batch_norm_inference {

struct BatchNormAttributes {
  double epsilon = 0;
};

// Input indices, which differ between the versions.
struct Inputs {
  size_t gamma, beta, data, mean, variance;
};

class BatchNormInference final : public OpWithAttributes<BatchNormInference, BatchNormAttributes> {
 public:
  static constexpr std::string_view kType = "BatchNormInference";

  explicit BatchNormInference(int version);
  const Inputs& inputs() const { return inputs_; }

  void visit_attributes(AttributeVisitor& visitor) override;

  void infer(InferContext& context) const override;

  std::unique_ptr<Kernel> compile(CompileContext& context) const override;

  bool can_overwrite(const CompileContext&, size_t input, size_t) const override;

 private:
  Inputs inputs_;
  const std::string_view* names_;
};

}  // namespace wasmvino::ops::batch_norm_inference
