// SPDX-License-Identifier: Apache-2.0
// Shared by STFT and ISTFT: overlapping frames of a signal and their window.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/signals/stft-15.html
#pragma once

#include <optional>

#include "model/op.h"

namespace wasmvino::ops {

struct Frames {
  int64_t size = 0, step = 0;
  int64_t bins() const { return size / 2 + 1; }
};

// Reads inputs 1, 2 and 3: window, frame_size and frame_step, on which shapes depend. nullopt while they are
// unknown.
std::optional<Frames> infer_frames(InferContext& context);
Frames read_frames(const CompileContext& context);

// Centres the window in a frame, with zeros around it. `window` is f32.
void pad_window(const TensorView& window, const Frames& frames, float* padded);

}  // namespace wasmvino::ops
