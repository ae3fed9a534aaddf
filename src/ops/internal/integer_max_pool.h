// SPDX-License-Identifier: Apache-2.0
// MaxPool of a quantised tensor that is channels last: its output stands for real numbers as its data does.
#pragma once

#include "model/node.h"
#include "ops/pooling/pooling.h"

namespace wasmvino::ops {

class IntegerMaxPool final : public Op {
 public:
  static constexpr std::string_view kType = "IntegerMaxPool";

  // `version` is that of the MaxPool that this is made from: errors name it.
  IntegerMaxPool(int version, PoolAttributes attributes)
      : version_(version), attributes_(std::move(attributes)) {}

  // Whether each window meets an element, whatever the sizes of the data.
  static bool takes(const PoolAttributes& attributes);

  void infer(InferContext& context) const override;
  std::unique_ptr<Kernel> compile(CompileContext& context) const override;

 private:
  int version_;
  PoolAttributes attributes_;
};

}  // namespace wasmvino::ops
