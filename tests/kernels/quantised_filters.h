// SPDX-License-Identifier: Apache-2.0
// Random filters of convolutions in quantised form, their values, and the matrices that kernels read.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/float_types.h"
#include "kernels/quantised_matrix.h"
#include "tests/kernels/random.h"

namespace wasmvino::kernels {

class QuantisedFilters {
 public:
  // `count` filter elements. Element i belongs to channel (i / inner) % channels. Each channel of integers
  // has a scale and a zero point. Channels of 16-bit floats have scales if `scaled`. Integers are signed if
  // `is_signed`.
  QuantisedFilters(WeightBits bits, bool is_signed, bool scaled, size_t count, size_t channels, size_t inner)
      : bits_(bits), is_signed_(is_signed), channels_(channels), raw_(count * 2), values_(count) {
    Random random(11);
    const bool is_integer = bits == WeightBits::kInt4 || bits == WeightBits::kInt8;
    const int levels = bits == WeightBits::kInt4 ? 16 : 256;
    for (size_t o = 0; o < channels; ++o) {
      scales_.push_back(is_integer ? (0.5f + std::abs(random.real())) / static_cast<float>(levels)
                                   : 0.5f + std::abs(random.real()));
      zeros_.push_back(static_cast<uint8_t>(random.integer(levels / 4, levels * 3 / 4)));
    }
    for (size_t i = 0; i < count; ++i) {
      const size_t o = i / inner % channels;
      if (!is_integer) {
        const uint16_t half =
            bits == WeightBits::kBf16 ? f32_to_bf16(random.real()) : f32_to_f16(random.real());
        reinterpret_cast<uint16_t*>(raw_.data())[i] = half;
        values_[i] = bits == WeightBits::kBf16 ? bf16_to_f32(half) : f16_to_f32(half);
        if (scaled) values_[i] *= scales_[o];
        continue;
      }
      const int level = static_cast<int>(random.integer(0, levels - 1));
      const int stored = is_signed ? level - levels / 2 : level;
      if (bits == WeightBits::kInt8) {
        raw_[i] = static_cast<uint8_t>(stored);
      } else {
        raw_[i / 2] = static_cast<uint8_t>(raw_[i / 2] | (stored & 15) << (i % 2 * 4));
      }
      values_[i] = static_cast<float>(level - zeros_[o]) * scales_[o];
    }
    if (!is_integer && !scaled) scales_.clear();
    if (!is_integer) zeros_.clear();
  }

  const std::vector<float>& values() const { return values_; }

  // Adds the matrix whose element (p, j) is element rows[p] + j * n_stride. Its columns are channels,
  // beginning with `first`.
  void add_matrix(const std::vector<size_t>& rows, size_t n_stride, size_t first, size_t n) {
    const size_t padded = (n + 7) / 8 * 8;
    Part part;
    part.k = rows.size();
    part.n = n;
    part.packed.assign(quantised_size(bits_, rows.size(), n), 0xA5);
    std::vector<size_t> columns(n);
    for (size_t j = 0; j < n; ++j) columns[j] = j * n_stride;
    pack_quantised(bits_, is_signed_, raw_.data(), rows, columns, {0, n}, part.packed.data());
    for (size_t j = 0; j < padded; ++j) {
      const size_t channel = std::min(first + j, channels_ - 1);
      if (!scales_.empty()) part.scales.push_back(scales_[channel]);
      if (!zeros_.empty()) part.zeros.push_back(zeros_[channel]);
    }
    parts_.push_back(std::move(part));
  }

  // All matrices, in the order in which they were added; valid as long as this object.
  const QuantisedMatrix* matrices() {
    matrices_.clear();
    for (const Part& part : parts_) {
      matrices_.push_back({bits_, part.k, part.n, part.k, part.packed.data(),
                           part.scales.empty() ? nullptr : part.scales.data(),
                           part.zeros.empty() ? nullptr : part.zeros.data(), 0});
    }
    return matrices_.data();
  }

 private:
  struct Part {
    size_t k, n;
    std::vector<char> packed;
    std::vector<float> scales;
    std::vector<uint8_t> zeros;
  };

  WeightBits bits_;
  bool is_signed_;
  size_t channels_;
  std::vector<uint8_t> raw_;
  std::vector<float> values_, scales_;
  std::vector<uint8_t> zeros_;
  std::vector<Part> parts_;
  std::vector<QuantisedMatrix> matrices_;
};

inline constexpr WeightBits kAllBits[] = {WeightBits::kInt4, WeightBits::kInt8, WeightBits::kF16,
                                          WeightBits::kSmallF16, WeightBits::kBf16};

}  // namespace wasmvino::kernels
