// SPDX-License-Identifier: Apache-2.0
// Shared by PriorBox and PriorBoxClustered: a grid over an image, and the variances of the boxes.
#pragma once

#include "model/op.h"

namespace wasmvino::ops {

struct PriorGrid {
  int64_t height = 0, width = 0;  // number of grid points
  int64_t image_height = 0, image_width = 0;
  size_t points() const { return static_cast<size_t>(height * width); }
};

// Checks the inputs output_size and image_size and sets output 0 to [2, 4 * height * width *
// priors_per_point].
void infer_prior_boxes(InferContext& context, size_t priors_per_point);

PriorGrid read_prior_grid(const EvalContext& context);

// Throws Error(kInvalidModel) unless the attribute has 0, 1 or 4 elements.
void check_variance(const Floats& variance);
// Fills row 1 of the output with the variances of `boxes` boxes; 0.1 if none is given.
void fill_variance(const Floats& variance, float* to, size_t boxes);

}  // namespace wasmvino::ops
