// SPDX-License-Identifier: Apache-2.0
#include "ops/detection/prior_boxes.h"

#include "ops/inputs/checks.h"
#include "ops/inputs/indices.h"

namespace wasmvino::ops {

void infer_prior_boxes(InferContext& context, size_t priors_per_point) {
  context.expect_inputs(2);
  const std::string_view names[] = {"output_size", "image_size"};
  for (size_t i = 0; i < 2; ++i) {
    expect_rank(context, i, 1, 1, names[i]);
    expect_size(context, i, names[i], 0, 2, "of height and width it");
  }
  Dimension boxes;
  if (const auto size = context.input_ints(0)) {
    for (const int64_t points : *size) {
      if (points < 0)
        fail(ErrorCode::kInvalidValue, "output_size ", to_string(*size), " has a negative size");
    }
    boxes =
        Dimension((*size)[0]) * Dimension((*size)[1]) * Dimension(static_cast<int64_t>(4 * priors_per_point));
  }
  context.set_output(0, ElementType::kF32, {2, boxes});
}

PriorGrid read_prior_grid(const EvalContext& context) {
  PriorGrid grid;
  grid.height = load_integer(context.input(0), 0);
  grid.width = load_integer(context.input(0), 1);
  grid.image_height = load_integer(context.input(1), 0);
  grid.image_width = load_integer(context.input(1), 1);
  return grid;
}

void check_variance(const Floats& variance) {
  if (variance.size() == 0 || variance.size() == 1 || variance.size() == 4) return;
  fail(ErrorCode::kInvalidModel, "attribute 'variance' has ", variance.size(),
       " elements, expected 0, 1 or 4");
}

void fill_variance(const Floats& variance, float* to, size_t boxes) {
  for (size_t i = 0; i < 4 * boxes; ++i) {
    to[i] = variance.empty() ? 0.1f : variance[variance.size() == 1 ? 0 : i % 4];
  }
}

}  // namespace wasmvino::ops
