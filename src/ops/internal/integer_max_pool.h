// SPDX-License-Identifier: Apache-2.0
// MaxPool of a quantised channels-last tensor. Its output has the quantisation of its data.
#pragma once

#include "model/node.h"
#include "ops/pooling/pooling.h"

namespace wasmvino::ops {

class IntegerMaxPool final : public Op {
 public:
  static constexpr std::string_view kType = "IntegerMaxPool";

  // `version` is that of the original MaxPool, which errors name.
  IntegerMaxPool(int version, PoolAttributes attributes)
      : version_(version), attributes_(std::move(attributes)) {}

  // Whether each window contains an element, for any size of the data.
  static bool takes(const PoolAttributes& attributes);

  void infer(InferContext& context) const override;
  std::unique_ptr<Kernel> compile(CompileContext& context) const override;

 private:
  int version_;
  PoolAttributes attributes_;
};

}  // namespace wasmvino::ops
