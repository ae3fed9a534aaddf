// SPDX-License-Identifier: Apache-2.0
// Base class of DepthToSpace and SpaceToDepth: a "deep" array [N, C * B^K, D1 .. DK] becomes a "spatial" one
// [N, C, D1 * B .. DK * B], or the reverse.
#pragma once

#include "ops/movement/strided_copy.h"

namespace wasmvino::ops {

class DepthBlocksOp : public CopyOp {
 public:
  void visit_attributes(AttributeVisitor& visitor) final;
  void infer(InferContext& context) const final;

 protected:
  explicit DepthBlocksOp(bool to_space) : to_space_(to_space) {}
  StridedCopy plan(const CompileContext& context) const final;

 private:
  enum class Mode { kBlocksFirst, kDepthFirst };

  bool to_space_;
  int64_t block_size_ = 1;  // B
  Mode mode_ = Mode::kBlocksFirst;
};

}  // namespace wasmvino::ops
