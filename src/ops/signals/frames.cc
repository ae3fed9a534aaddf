// SPDX-License-Identifier: Apache-2.0
#include "ops/signals/frames.h"

#include <algorithm>

#include "ops/inputs/checks.h"

namespace wasmvino::ops {

std::optional<Frames> infer_frames(InferContext& context) {
  expect_rank(context, 1, 1, 1, "window");
  const auto size = known_int(context, 2, "frame_size");
  const auto step = known_int(context, 3, "frame_step");
  if (size && *size < 1) fail(ErrorCode::kInvalidValue, "frame_size is ", *size, ", expected 1 or more");
  if (step && *step < 1) fail(ErrorCode::kInvalidValue, "frame_step is ", *step, ", expected 1 or more");
  if (!size || !step) return std::nullopt;
  const PartialShape& window = context.input_shape(1);
  if (window.has_rank() && window[0].min > *size) {
    fail(ErrorCode::kInvalidShape, "window ", window, " is longer than frame_size, ", *size);
  }
  return Frames{*size, *step};
}

Frames read_frames(const CompileContext& context) {
  return {(*context.constant_ints(2))[0], (*context.constant_ints(3))[0]};
}

void pad_window(const TensorView& window, const Frames& frames, float* padded) {
  std::fill_n(padded, frames.size, 0.0f);
  const auto length = static_cast<int64_t>(window.size());
  std::copy_n(window.data<float>(), length, padded + (frames.size - length) / 2);
}

}  // namespace wasmvino::ops
