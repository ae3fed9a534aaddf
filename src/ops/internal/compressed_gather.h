// SPDX-License-Identifier: Apache-2.0
// Gathers rows of a quantised table. Passes create it from a Gather and the dequantisation of its table.
#pragma once

#include "ops/quantised_data/compressed_weights.h"

namespace wasmvino::ops {

class CompressedGather final : public Op {
 public:
  static constexpr char kFamily = 0;
  bool is_a(const void* family) const override { return family == &kFamily; }
  static constexpr std::string_view kType = "CompressedGather";

  // `version` is that of the original Gather. `packed`: the table is packed as for a CompressedMatMul, which
  // can share it. Otherwise rows are read as the model stores them; the form must then be is_plain() and have
  // no column scales.
  CompressedGather(const CompressedForm& form, int version, bool packed)
      : form_(form), version_(version), packed_(packed) {}

  bool packed() const { return packed_; }

  // Inputs: indices of any integral type, then a table of n rows in the form that CompressedForm describes.
  // Output: f32 [indices' axes..., k]; zeros where an index is outside the table.
  void infer(InferContext& context) const override;
  std::unique_ptr<Kernel> compile(CompileContext& context) const override;

 private:
  CompressedForm form_;
  int version_;
  bool packed_;
};

}  // namespace wasmvino::ops
