// SPDX-License-Identifier: Apache-2.0
#include "ops/common/indices.h"

#include <cstring>
#include <limits>

#include "core/packed_bits.h"
#include "ops/common/dispatch.h"

namespace wasmvino::ops {
namespace {

int64_t real_to_integer(double value) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (value >= kLimit) return std::numeric_limits<int64_t>::max();
  return value >= -kLimit ? static_cast<int64_t>(value) : std::numeric_limits<int64_t>::min();
}

}  // namespace

void load_integers(const TensorView& tensor, size_t first, size_t count, int64_t* to) {
  if (tensor.type == ElementType::kI64) {
    std::memcpy(to, tensor.data<int64_t>() + first, count * sizeof(int64_t));
  } else if (is_sub_byte(tensor.type) || (is_real(tensor.type) && bit_width(tensor.type) == 8)) {
    for (size_t i = 0; i < count; ++i) {
      to[i] = real_to_integer(decode_bits(tensor.type, load_bits(tensor.type, tensor.memory, first + i)));
    }
  } else {
    with_numeric(tensor.type, [&]<typename T>() {
      const T* from = tensor.data<T>() + first;
      for (size_t i = 0; i < count; ++i) {
        if constexpr (std::is_integral_v<T>) {
          to[i] = static_cast<int64_t>(from[i]);
        } else if constexpr (std::is_same_v<T, double>) {
          to[i] = real_to_integer(from[i]);
        } else {
          to[i] = real_to_integer(static_cast<float>(from[i]));
        }
      }
    });
  }
}

}  // namespace wasmvino::ops
