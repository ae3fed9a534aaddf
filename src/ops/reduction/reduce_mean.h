// SPDX-License-Identifier: Apache-2.0
// ReduceMean: the arithmetic mean of elements along axes.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/reduction/reduce-mean-1.html
#pragma once

#include "ops/reduction/reduction.h"

namespace wasmvino::ops::reduce_mean {

class ReduceMean final : public ReduceOp {
 public:
  static constexpr std::string_view kType = "ReduceMean";

  ReduceMean() : ReduceOp(Reduction::kMean) {}
};

}  // namespace wasmvino::ops::reduce_mean
