// SPDX-License-Identifier: Apache-2.0
// How integers of 8 bits represent real numbers.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace wasmvino::model {

// The quantisation that a FakeQuantize represents. A real number x becomes q = round(x * inverse + shift),
// clamped to 0..most; q represents (q - zero_point) * scale. Each parameter has one value for the tensor, or
// one per index of the last axis.
struct Quantization {
  std::vector<float> inverse, shift;
  // Zero points are in 0..255 and nearly integers. Padding uses the nearest integer.
  std::vector<float> scale, zero_point;
  float most = 255;

  bool by_channel() const { return scale.size() > 1; }
  size_t step() const { return by_channel() ? 1 : 0; }
  // The parameter for channel c.
  float scale_of(size_t c) const { return scale[by_channel() ? c : 0]; }
  float zero_of(size_t c) const { return zero_point[by_channel() ? c : 0]; }
  float inverse_of(size_t c) const { return inverse[by_channel() ? c : 0]; }
  float shift_of(size_t c) const { return shift[by_channel() ? c : 0]; }

  friend bool operator==(const Quantization&, const Quantization&) = default;
};

// Null: the value is not quantised. Values share it with the values that are made from their elements.
using SharedQuantization = std::shared_ptr<const Quantization>;

inline bool same(const SharedQuantization& a, const SharedQuantization& b) {
  return a == b || (a != nullptr && b != nullptr && *a == *b);
}

}  // namespace wasmvino::model
