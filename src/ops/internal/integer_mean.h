// SPDX-License-Identifier: Apache-2.0
// AvgPool or ReduceMean of a quantised tensor; the result is f32 or quantised again. Sums are exact.
#pragma once

#include <memory>

#include "ops/internal/integer_op.h"

namespace wasmvino::ops {

struct IntegerMeanParts {
  std::shared_ptr<const Op> mean;       // the operation of a node for which takes() is true
  SharedQuantization output = nullptr;  // if absent, the mean is f32
};

class IntegerMean final : public IntegerOpWithParts<IntegerMean, IntegerMeanParts> {
 public:
  using IntegerOpWithParts::IntegerOpWithParts;
  static constexpr std::string_view kType = "IntegerMean";

  // Whether a node is an AvgPool of channels-last data whose windows are never empty, or a ReduceMean along
  // adjacent axes of known sizes before the last axis.
  static bool takes(const Node& node);

  static bool can_store(const Node&, const Quantization&) { return true; }

  // Inputs: u8 data, and the axes of a ReduceMean.
  void infer(InferContext& context) const override;
  std::unique_ptr<Kernel> compile(CompileContext& context) const override;
};

}  // namespace wasmvino::ops
