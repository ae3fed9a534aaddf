// SPDX-License-Identifier: Apache-2.0
// Base class of all Reduce* operations; each of them only chooses its rule.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/reduction/reduce-sum-1.html
#pragma once

#include "model/op.h"

namespace wasmvino::ops {

enum class Reduction : uint8_t { kSum, kMean, kMax, kMin, kProd, kL1, kL2, kLogicalAnd, kLogicalOr };

// Inputs: data of any numeric type (boolean for the logical operations), axes (a scalar or 1-D, any integer
// type; a repeated axis counts once). Without axes, nothing is reduced; L1 and L2 still give absolute values.
//
// Floating point is accumulated in f64 (f32 by a kernel in several f32 sums), integers in 64 bits: 8- and
// 16-bit results saturate, wider ones wrap. ReduceMean and ReduceL2 of integers truncate. NaN propagates
// through Max and Min, as in numpy. For no elements, Sum, Mean, L1 and L2 give 0, Prod 1, Max the lowest
// value (-inf), Min the highest, LogicalAnd true, LogicalOr false.
struct ReduceAttributes {
  bool keep_dims = false;
};

class ReduceOp : public OpWithAttributes<ReduceOp, ReduceAttributes> {
 public:
  Reduction reduction() const { return reduction_; }
  void visit_attributes(AttributeVisitor& visitor) final { visitor.on("keep_dims", attributes_.keep_dims); }
  void infer(InferContext& context) const final;
  std::unique_ptr<Kernel> compile(CompileContext& context) const final;
  std::optional<ViewOf> view_of(const CompileContext& context, size_t output) const final;
  std::optional<ChannelsLastForm> channels_last_form(const Node& node) const final;

 protected:
  explicit ReduceOp(Reduction reduction) : reduction_(reduction) {}

 private:
  Reduction reduction_;
};

}  // namespace wasmvino::ops
