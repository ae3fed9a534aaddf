// SPDX-License-Identifier: Apache-2.0
// Attention of several heads, which the operators of all domains share.
#pragma once

#include <optional>

#include "frontends/onnx/context.h"

namespace wasmvino::onnx {

// [B, S, heads * D] as [B, heads, S, D], and back.
Source split_heads(Context& c, const Source& x, int64_t heads);
Source merge_heads(Context& c, const Source& x);
// Each head of [B, heads, S, D] `repeats` times in a row.
Source repeat_heads(Context& c, const Source& x, int64_t heads, int64_t repeats);

// 0, 1, 2 ... along an axis of x, as i64.
Source counted(Context& c, const Source& x, int64_t axis);

struct Attention {
  Source query, key, value;            // [B, heads, S, D], [B, heads, T, D], [B, heads, T, W]
  std::optional<Source> visible = {};  // boolean, broadcast to [B, heads, S, T]
  std::optional<Source> bias = {};     // added to the scores
  std::optional<Source> sink = {};     // one more score of each row, broadcast to [B, heads, S, 1]
  double scale = 0;                    // 0: 1 / sqrt(D)
  double softcap = 0;                  // 0: none
};
// [B, heads, S, W]
Source attend(Context& c, const Attention& attention);

// Query i sees keys 0 .. i + offset. `offset` broadcasts to [B, heads, S, T]. With a window, it sees only the
// last `window` of these.
Source causal_mask(Context& c, const Source& query, const Source& key, const Source& offset,
                   int64_t window = 0);

// Rotates [B, heads, S, D] by angles whose cosines and sines are [B or 1, S, R / 2]. The last D - R elements
// stay.
struct Rotation {
  Source cosines, sines;
  bool interleaved = false;
};
Source rotate(Context& c, const Source& x, const Rotation& rotation);

}  // namespace wasmvino::onnx
