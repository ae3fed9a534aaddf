// SPDX-License-Identifier: Apache-2.0
#include "kernels/fill.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/packed_bits.h"
#include "kernels/short_copy-inl.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

// From this many bytes on, memory.copy is at least as fast as vectors.
constexpr size_t kShortBytes = 256;

}  // namespace

size_t packed_group(ElementType type) {
  switch (type) {
    case ElementType::kU3:
      return 8;
    case ElementType::kU6:
      return 4;
    default:
      return is_sub_byte(type) ? 8 / bit_width(type) : 1;
  }
}

void repeat_block(const void* block, void* to, size_t block_bytes, size_t count) {
  if (count == 0 || block_bytes == 0) return;
  char* const begin = static_cast<char*>(to);
  std::memcpy(begin, block, block_bytes);
  const size_t total = block_bytes * count;
  // Copies the part that is already filled, up to half of an L1 cache at a time.
  const size_t longest = std::max(block_bytes, size_t{16384} / block_bytes * block_bytes);
  for (size_t done = block_bytes; done < total;) {
    const size_t step = std::min({done, total - done, longest});
    std::memcpy(begin + done, begin, step);
    done += step;
  }
}

void copy_blocks(const char* from, ptrdiff_t from_step, char* to, ptrdiff_t to_step, size_t block_bytes,
                 size_t count) {
  if (block_bytes > kShortBytes) {
    for (; count > 0; --count, from += from_step, to += to_step) std::memcpy(to, from, block_bytes);
    return;
  }
  for (; count > 0; --count, from += from_step, to += to_step)
    copy_bytes(reinterpret_cast<const uint8_t*>(from), block_bytes, reinterpret_cast<uint8_t*>(to));
}

void fill_elements(ElementType type, const void* value, void* array, size_t first, size_t count) {
  if (type == ElementType::kString) {
    std::fill_n(static_cast<std::string*>(array) + first, count,
                value ? *static_cast<const std::string*>(value) : std::string());
  } else if (is_sub_byte(type)) {
    const uint8_t bits = value ? load_bits(type, value, 0) : 0;
    for (size_t i = 0; i < count; ++i) store_bits(type, array, first + i, bits);
  } else if (const size_t width = bit_width(type) / 8; value == nullptr) {
    std::memset(static_cast<char*>(array) + first * width, 0, count * width);
  } else {
    repeat_block(value, static_cast<char*>(array) + first * width, width, count);
  }
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
