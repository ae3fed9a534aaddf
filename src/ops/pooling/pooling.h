// SPDX-License-Identifier: Apache-2.0
// Pooling for any element type: inference and kernels.
#pragma once

#include <memory>

#include "kernels/functions.h"
#include "model/op.h"
#include "ops/convolution/windows.h"

namespace wasmvino::ops {

using kernels::Pooling;

// Attributes of MaxPool and AvgPool.
struct PoolAttributes {
  WindowAttributes window;
  Ints kernel;
  Rounding rounding = Rounding::kFloor;

  void visit(AttributeVisitor& visitor, bool dilated, bool has_ceil_torch);
};

// Throws Error(kInvalidType) unless `type`, the type of indices, is i32 or i64.
void expect_index_type(ElementType type);

// The shape of pooled `data` [N, C, spatial axes]. Throws Error if the kernel or other attributes do not fit
// it.
PartialShape infer_pooling(const PartialShape& data, const PoolAttributes& attributes);

// MaxPool and AvgPool.
class PoolOp : public Op {
 public:
  static constexpr char kFamily = 0;
  bool is_a(const void* family) const override { return family == &kFamily; }
  virtual kernels::Pooling kind() const = 0;
  // Indices of maxima are supported for channels-first data only.
  std::optional<ChannelsLastForm> channels_last_form(const Node& node) const override;

 protected:
  PoolAttributes attributes_;
};

// The kernel for AdaptiveAvgPool and AdaptiveMaxPool. Their windows divide an axis evenly among the sizes of
// output 0. Adjacent windows whose border is inside an element both contain that element.
std::unique_ptr<Kernel> compile_adaptive_pooling(CompileContext& context, kernels::Pooling kind);

// The output shape of adaptive pooling: that of data (input 0) with the spatial sizes of output_shape (input
// 1).
PartialShape infer_adaptive_pooling(InferContext& context);

}  // namespace wasmvino::ops
