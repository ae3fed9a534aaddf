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

  // `version` is that of the original Gather. `packed`: the table is read as a CompressedMatMul
  // has it packed, which may share it; otherwise as the model stores it, which must be is_plain() and without
  // column scales.
  CompressedGather(const CompressedForm& form, int version, bool packed)
      : form_(form), version_(version), packed_(packed) {}

  bool packed() const { return packed_; }

  // Inputs: indices of any integral type, then a table of n rows as CompressedForm has it.
  // Output: f32 [indices' axes..., k]; zeros where an index is outside the table.
  void infer(InferContext& context) const override;
  std::unique_ptr<Kernel> compile(CompileContext& context) const override;

 private:
  CompressedForm form_;
  int version_;
  bool packed_;
};

}  // namespace wasmvino::ops
