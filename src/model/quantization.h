// SPDX-License-Identifier: Apache-2.0
// How integers of 8 bits represent real numbers.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace wasmvino::model {

// The quantisation that a FakeQuantize represents. A real number x becomes q = round(x * inverse + shift),
// clamped to 0..most; q represents (q - zero_point) * scale. `inverse` and `shift` have one value for the
// tensor, or one per index of the last axis, and so do `scale` and `zero_point`.
struct Quantization {
  std::vector<float> inverse, shift;
  // Zero points are in 0..255 and nearly integers. Padding uses the nearest integer.
  std::vector<float> scale, zero_point;
  float most = 255;

  // Whether levels represent other numbers in other channels.
  bool by_channel() const { return scale.size() > 1; }
  size_t step() const { return by_channel() ? 1 : 0; }
  // Whether channels are quantised in different ways. They may still share the meaning of levels, for example
  // if a multiplication by channel was folded into `inverse`.
  bool from_channels() const { return inverse.size() > 1; }
  size_t from_step() const { return from_channels() ? 1 : 0; }
  // The number of channels if there is any difference between them, otherwise 1.
  size_t channels() const { return inverse.size() > scale.size() ? inverse.size() : scale.size(); }
  // The parameter for channel c.
  float scale_of(size_t c) const { return scale[by_channel() ? c : 0]; }
  float zero_of(size_t c) const { return zero_point[by_channel() ? c : 0]; }
  float inverse_of(size_t c) const { return inverse[from_channels() ? c : 0]; }
  float shift_of(size_t c) const { return shift[from_channels() ? c : 0]; }

  friend bool operator==(const Quantization&, const Quantization&) = default;
};

// Whether levels represent the same numbers.
inline bool same_levels(const Quantization& a, const Quantization& b) {
  return a.scale == b.scale && a.zero_point == b.zero_point && a.most == b.most;
}

// Null: the value is not quantised. Values share it with the values that are made from their elements.
using SharedQuantization = std::shared_ptr<const Quantization>;

inline bool same(const SharedQuantization& a, const SharedQuantization& b) {
  return a == b || (a != nullptr && b != nullptr && *a == *b);
}

}  // namespace wasmvino::model
