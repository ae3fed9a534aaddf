// SPDX-License-Identifier: Apache-2.0
// Softmax: exp(x) divided by its sum along an axis.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/activation/softmax-8.html
#pragma once

#include "ops/activation/softmax_op.h"

namespace wasmvino::ops::softmax {

class Softmax final : public SoftmaxOp {
 public:
  static constexpr std::string_view kType = "Softmax";

  explicit Softmax(int version) : SoftmaxOp(false), version_(version) {}
  void visit_attributes(AttributeVisitor& visitor) override;

 private:
  std::shared_ptr<SoftmaxOp> copy() const override { return std::make_shared<Softmax>(*this); }

  int version_;
};

}  // namespace wasmvino::ops::softmax
