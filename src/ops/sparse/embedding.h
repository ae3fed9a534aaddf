// SPDX-License-Identifier: Apache-2.0
// Sums and means over "bags" of rows of an embedding table. The operations differ in how they assign indices
// to bags.
#pragma once

#include "model/op.h"

namespace wasmvino::ops {

enum class Bags : uint8_t {
  kOffsets,  // inputs: table, indices [n], offsets [bags], default_index, per_sample_weights [n]
  kPacked,   // inputs: table, indices [bags, n], per_sample_weights [bags, n]
  // Inputs: table, indices [n], segment_ids [n] (sorted), num_segments, default_index, weights [n].
  kSegments,
};

// The table is [rows, ...] of any numeric type, and so are the weights; indices are i32 or i64. An empty bag
// gives the row `default_index`, or zeros if that is absent or -1. Sums are computed in f64 or 64-bit
// integers; results of 8 and 16 bits saturate, means of integers are truncated.
class EmbeddingOp : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override;
  void infer(InferContext& context) const final;
  std::unique_ptr<Kernel> compile(CompileContext& context) const final;
  InputRange quantised_inputs(const Node&) const final { return {0, 1}; }

 protected:
  // Only the operations with `modes` have the attribute 'reduction'.
  EmbeddingOp(Bags bags, bool modes) : bags_(bags), modes_(modes) {}

 private:
  Bags bags_;
  bool modes_;
  bool mean_ = false;
};

}  // namespace wasmvino::ops
