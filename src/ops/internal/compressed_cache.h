// SPDX-License-Identifier: Apache-2.0
// Compresses new keys and values for a variable, and expands those of a variable. The pass lay_out_caches
// makes these operations.
#pragma once

#include "model/op.h"
#include "ops/quantised_data/compressed_rows.h"

namespace wasmvino::ops {

// f32 to the type of compressed elements. The last axis may grow.
class CompressCache final : public Op {
 public:
  static constexpr std::string_view kType = "CompressCache";

  explicit CompressCache(VariablePrecision precision) : precision_(precision) {}
  void infer(InferContext& context) const override;
  void evaluate(EvalContext& context) const override;

 private:
  VariablePrecision precision_;
};

// Compressed elements to f32.
class ExpandCache final : public Op {
 public:
  static constexpr char kFamily = 0;
  bool is_a(const void* family) const override { return family == &kFamily; }
  static constexpr std::string_view kType = "ExpandCache";

  explicit ExpandCache(VariablePrecision precision) : precision_(precision) {}
  VariablePrecision precision() const { return precision_; }
  void infer(InferContext& context) const override;
  void evaluate(EvalContext& context) const override;

 private:
  VariablePrecision precision_;
};

// The shape of compressed elements, or of expanded ones. It has a rank above 0, or an unknown one.
PartialShape compressed_shape(VariablePrecision precision, PartialShape shape);
PartialShape expanded_shape(VariablePrecision precision, PartialShape shape);

}  // namespace wasmvino::ops
