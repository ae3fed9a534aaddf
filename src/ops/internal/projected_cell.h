// SPDX-License-Identifier: Apache-2.0
// A recurrent cell whose input has already been multiplied by W. The pass hoist_mat_muls makes it from cells.
#pragma once

#include <memory>
#include <string>

#include "ops/sequence/recurrent.h"

namespace wasmvino::ops {

class ProjectedCell final : public Op {
 public:
  static constexpr std::string_view kType = "ProjectedCell";

  // `cell_type` and `cell_version` are those of the original operation, which errors name.
  ProjectedCell(RecurrentAttributes attributes, std::string cell_type, int cell_version)
      : attributes_(std::move(attributes)), cell_type_(std::move(cell_type)), cell_version_(cell_version) {}

  // Inputs: X W^T [batch, gates * hidden_size], the states, R, and B if the cell has one. Outputs: the states
  // after the step.
  void infer(InferContext& context) const override;
  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return compile_cell(context, attributes_, inputs_of(context.input_count()));
  }
  bool can_overwrite(const CompileContext&, size_t input, size_t output) const override {
    return cell_can_overwrite(attributes_, input, output);
  }

 private:
  CellInputs inputs_of(size_t count) const {
    const size_t r = 1 + attributes_.states();
    return {CellInputs::kNone, r, r + 1 < count ? r + 1 : CellInputs::kNone};
  }

  RecurrentAttributes attributes_;
  std::string cell_type_;
  int cell_version_;
};

}  // namespace wasmvino::ops
