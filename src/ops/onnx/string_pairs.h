// SPDX-License-Identifier: Apache-2.0
// Operations on two tensors of strings, which are broadcast.
#pragma once

#include <string>

#include "core/call.h"
#include "model/op.h"
#include "ops/elementwise/broadcast.h"

namespace wasmvino::ops {

// Calls apply(a, b, i) for each element i of a result of this shape.
template <typename Apply>
void for_string_pairs(const TensorView& a, const TensorView& b, const Shape& shape, const Apply& apply) {
  const Shape operands[] = {align_shape(AutoBroadcast::kNumpy, a.shape, shape.size()),
                            align_shape(AutoBroadcast::kNumpy, b.shape, shape.size())};
  const auto *left = a.data<std::string>(), *right = b.data<std::string>();
  const size_t count = element_count(shape);
  WorkMeter meter;
  for (size_t i = 0; i < count; ++i) {
    size_t places[2] = {0, 0}, steps[2] = {1, 1}, rest = i;
    for (size_t axis = shape.size(); axis-- > 0;) {
      const auto size = static_cast<size_t>(shape[axis]);
      for (size_t k = 0; k < 2; ++k) {
        const auto own = static_cast<size_t>(operands[k][axis]);
        if (own > 1) places[k] += rest % size * steps[k];
        steps[k] *= own;
      }
      rest /= size;
    }
    apply(left[places[0]], right[places[1]], i);
    meter.add(left[places[0]].size() + right[places[1]].size() + 64);
  }
}

}  // namespace wasmvino::ops
