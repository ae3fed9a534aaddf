// SPDX-License-Identifier: Apache-2.0
#include "ops/inputs/indices.h"

#include <cstring>
#include <limits>

#include "core/packed_bits.h"
#include "kernels/numbers.h"

namespace wasmvino::ops {
namespace {

int64_t real_to_integer(double value) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (value >= kLimit) return std::numeric_limits<int64_t>::max();
  return value >= -kLimit ? static_cast<int64_t>(value) : std::numeric_limits<int64_t>::min();
}

}  // namespace

void load_integers(const TensorView& tensor, size_t first, size_t count, int64_t* to) {
  const ElementType type = tensor.type;
  if (type == ElementType::kU64) {
    std::memcpy(to, tensor.data<uint64_t>() + first, count * sizeof(uint64_t));
  } else if (is_sub_byte(type) || (is_real(type) && bit_width(type) == 8)) {
    for (size_t i = 0; i < count; ++i) {
      to[i] = real_to_integer(decode_bits(type, load_bits(type, tensor.memory, first + i)));
    }
  } else if (is_real(type)) {
    const kernels::LoadNumbers<double> load = kernels::number_loader<double>(type);
    for (size_t i = 0; i < count; ++i) {
      double value;
      load(tensor.memory, first + i, 1, 1, &value);
      to[i] = real_to_integer(value);
    }
  } else {
    kernels::number_loader<int64_t>(type)(tensor.memory, first, 1, count, to);
  }
}

}  // namespace wasmvino::ops
