// SPDX-License-Identifier: Apache-2.0
// AvgPool or ReduceMean of a quantised tensor; the result is f32 or quantised again. Sums are exact.
#pragma once

#include <memory>

#include "model/node.h"

namespace wasmvino::ops {

class IntegerMean final : public Op {
 public:
  static constexpr char kFamily = 0;
  bool is_a(const void* family) const override { return family == &kFamily; }
  static constexpr std::string_view kType = "IntegerMean";

  struct Parts {
    std::shared_ptr<const Op> mean;       // the operation of a node for which takes() is true
    SharedQuantization output = nullptr;  // if absent, the mean is f32
  };
  explicit IntegerMean(Parts parts) : parts_(std::move(parts)) {}
  const Parts& parts() const { return parts_; }

  // Whether a node is an AvgPool of channels-last data whose windows are never empty, or a ReduceMean along
  // adjacent axes of known sizes before the last axis.
  static bool takes(const Node& node);

  // Inputs: u8 data, and the axes of a ReduceMean.
  void infer(InferContext& context) const override;
  std::unique_ptr<Kernel> compile(CompileContext& context) const override;

 private:
  Parts parts_;
};

}  // namespace wasmvino::ops
