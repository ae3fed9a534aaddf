// SPDX-License-Identifier: Apache-2.0
// Copies runs of adjacent elements of any type as a whole.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "core/packed_bits.h"
#include "kernels/fill.h"

namespace wasmvino::kernels {

// Views arrays as runs of `length` elements each.
class ElementRuns {
 public:
  ElementRuns(ElementType type, size_t length)
      : type_(type),
        length_(length),
        packed_(is_sub_byte(type) && length % packed_group(type) != 0),
        bytes_(packed_ ? 0 : storage_bytes(type, length)) {}

  size_t length() const { return length_; }
  // Bytes per run; 0 where runs share bytes, so that only one thread may write.
  size_t bytes() const { return bytes_; }

  // Copies run `from_run` of `from` to run `to_run` of `to`.
  void copy(const void* from, size_t from_run, void* to, size_t to_run) const {
    if (type_ == ElementType::kString) {
      std::copy_n(static_cast<const std::string*>(from) + from_run * length_, length_,
                  static_cast<std::string*>(to) + to_run * length_);
    } else if (packed_) {
      for (size_t i = 0; i < length_; ++i) {
        store_bits(type_, to, to_run * length_ + i, load_bits(type_, from, from_run * length_ + i));
      }
    } else if (bytes_ == 4) {
      std::memcpy(static_cast<char*>(to) + to_run * 4, static_cast<const char*>(from) + from_run * 4, 4);
    } else {
      std::memcpy(static_cast<char*>(to) + to_run * bytes_,
                  static_cast<const char*>(from) + from_run * bytes_, bytes_);
    }
  }

 private:
  ElementType type_;
  size_t length_;
  bool packed_;
  size_t bytes_;
};

}  // namespace wasmvino::kernels
