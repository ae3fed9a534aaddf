// SPDX-License-Identifier: Apache-2.0
#include "ops/quantised_data/quantised_types.h"

#include "core/packed_bits.h"
#include "kernels/convert.h"
#include "kernels/numbers.h"

namespace wasmvino::ops {

bool is_quantised_type(ElementType type) {
  switch (type) {
    case ElementType::kF16:
    case ElementType::kBf16:
    case ElementType::kI8:
    case ElementType::kU8:
    case ElementType::kI4:
    case ElementType::kU4:
    case ElementType::kU2:
    case ElementType::kNf4:
    case ElementType::kF8e4m3:
    case ElementType::kF8e5m2:
    case ElementType::kF4e2m1:
      return true;
    default:
      return false;
  }
}

int shift_of(ElementType type) { return type == ElementType::kI4 ? 8 : type == ElementType::kI8 ? 128 : 0; }

void load_raw(const TensorView& values, size_t first, size_t count, float* to) {
  const ElementType type = values.type;
  if (type == ElementType::kI8) {
    kernels::convert(static_cast<const int8_t*>(values.memory) + first, to, count);
  } else if (type == ElementType::kU8) {
    kernels::convert(static_cast<const uint8_t*>(values.memory) + first, to, count);
  } else if (is_sub_byte(type)) {
    for (size_t i = 0; i < count; ++i) to[i] = decode_bits(type, load_bits(type, values.memory, first + i));
  } else if (bit_width(type) == 8) {
    const auto* bytes = static_cast<const uint8_t*>(values.memory) + first;
    for (size_t i = 0; i < count; ++i) to[i] = decode_bits(type, bytes[i]);
  } else {
    kernels::number_loader<float>(type)(values.memory, first, 1, count, to);
  }
}

}  // namespace wasmvino::ops
