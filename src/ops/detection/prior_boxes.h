// SPDX-License-Identifier: Apache-2.0
// What PriorBox and PriorBoxClustered share: a grid over an image, and variances beside the boxes.
#pragma once

#include "model/op.h"

namespace wasmvino::ops {

struct PriorGrid {
  int64_t height = 0, width = 0;  // points of the grid
  int64_t image_height = 0, image_width = 0;
  size_t points() const { return static_cast<size_t>(height * width); }
};

// Checks inputs output_size and image_size and sets output 0 to [2, 4 * height * width * priors_per_point].
void infer_prior_boxes(InferContext& context, size_t priors_per_point);

PriorGrid read_prior_grid(const EvalContext& context);

// Throws Error(kInvalidModel) unless the attribute has 0, 1 or 4 elements.
void check_variance(const Floats& variance);
// Row 1 of the output: the variances of `boxes` boxes, 0.1 where none is given.
void fill_variance(const Floats& variance, float* to, size_t boxes);

}  // namespace wasmvino::ops
