// SPDX-License-Identifier: Apache-2.0
// FakeQuantize: rounds each element to one of a number of levels of an input range, then maps that range to
// an output range.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/quantization/fake-quantize-1.html
#pragma once

#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops::fake_quantize {

struct FakeQuantizeAttributes {
  int64_t levels = 0;
  AutoBroadcast auto_broadcast = AutoBroadcast::kNumpy;
};

class FakeQuantize final : public OpWithAttributes<FakeQuantize, FakeQuantizeAttributes, ElementwiseOp> {
 public:
  static constexpr std::string_view kType = "FakeQuantize";

  void visit_attributes(AttributeVisitor& visitor) override;

  void infer(InferContext& context) const override;

  ElementwiseFunction function(ElementType type) const override;

  Shape aligned_shape(const CompileContext& context, size_t i) const override;
  std::optional<AutoBroadcast> auto_broadcast() const override { return attributes_.auto_broadcast; }

 private:
  // The result has the shape of X. A range may have more axes, but only of size 1.
  static PartialShape as_x(const PartialShape& together, const PartialShape& x);
};

}  // namespace wasmvino::ops::fake_quantize
