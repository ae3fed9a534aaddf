// SPDX-License-Identifier: Apache-2.0
// Sums and means over "bags" of rows of an embedding table: the operations differ in how they say which
// indices belong to a bag.
#pragma once

#include "model/op.h"

namespace wasmvino::ops {

enum class Bags : uint8_t {
  kOffsets,   // inputs: table, indices [n], offsets [bags], default_index, per_sample_weights [n]
  kPacked,    // inputs: table, indices [bags, n], per_sample_weights [bags, n]
  kSegments,  // inputs: table, indices [n], segment_ids [n] (sorted), num_segments, default_index, weights
              // [n]
};

// The table is [rows, ...] of any numeric type, as are the weights; indices are i32 or i64. An empty bag
// gives the row `default_index`, or zeros where that is absent or -1. Sums are made in f64 or 64-bit
// integers; results of 8 and 16 bits are saturated, means of integers truncated.
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
