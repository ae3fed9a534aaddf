// SPDX-License-Identifier: Apache-2.0
#include "ops/quantised_data/compressed_rows.h"

#include "kernels/cache_rows.h"
#include "kernels/convert.h"

namespace wasmvino::ops {
namespace {

// Grain: elements whose conversion takes about 10 us.
constexpr size_t kGrain = size_t{64} << 10;

Shape with_width(Shape shape, int64_t width) {
  shape.back() = width;
  return shape;
}

// Calls body(first, last) for ranges of the rows of a tensor of `width` elements each.
template <typename Body>
void for_rows(const TensorView& tensor, size_t width, const Parallel& parallel, const Body& body) {
  const size_t length = static_cast<size_t>(tensor.shape.back());
  if (tensor.size() == 0) return;
  parallel_for(parallel, tensor.size() / length, kGrain / (width + 1) + 1, body);
}

size_t width_of(const TensorView& tensor) { return static_cast<size_t>(tensor.shape.back()); }

}  // namespace

ElementType compressed_type(VariablePrecision precision) {
  switch (precision) {
    case VariablePrecision::kF16:
      return ElementType::kF16;
    case VariablePrecision::kU8:
      return ElementType::kU8;
    default:
      return ElementType::kF32;
  }
}

int64_t compressed_width(VariablePrecision precision, int64_t width) {
  return precision == VariablePrecision::kU8 ? width + static_cast<int64_t>(kernels::kCacheRowExtra) : width;
}

int64_t expanded_width(VariablePrecision precision, int64_t compressed) {
  return precision == VariablePrecision::kU8 ? compressed - static_cast<int64_t>(kernels::kCacheRowExtra)
                                             : compressed;
}

Tensor compress_rows(VariablePrecision precision, const Tensor& from, const Parallel& parallel) {
  if (precision == VariablePrecision::kF32) return from;
  Tensor to(compressed_type(precision),
            with_width(from.shape(), compressed_width(precision, from.shape().back())));
  TensorView view = to.view();
  compress_rows(precision, from.view(), view, parallel);
  return to;
}

Tensor expand_rows(VariablePrecision precision, const Tensor& from, const Parallel& parallel) {
  if (precision == VariablePrecision::kF32) return from;
  Tensor to(ElementType::kF32, with_width(from.shape(), expanded_width(precision, from.shape().back())));
  TensorView view = to.view();
  expand_rows(precision, from.view(), view, parallel);
  return to;
}

void compress_rows(VariablePrecision precision, const TensorView& from, TensorView& to,
                   const Parallel& parallel) {
  const size_t width = width_of(from), stride = width_of(to);
  const float* x = from.data<float>();
  for_rows(to, width, parallel, [&](size_t first, size_t last) {
    if (precision == VariablePrecision::kU8) {
      kernels::quantise_cache_rows(x + first * width, last - first, width,
                                   to.mutable_data<uint8_t>() + first * stride);
    } else {
      kernels::f32_to_f16(x + first * width, to.mutable_data<uint16_t>() + first * width,
                          (last - first) * width);
    }
  });
}

void expand_rows(VariablePrecision precision, const TensorView& from, TensorView& to,
                 const Parallel& parallel) {
  const size_t width = width_of(to), stride = width_of(from);
  const size_t bytes = stride * bit_width(from.type) / 8;
  for_rows(from, width, parallel, [&](size_t first, size_t last) {
    expand_rows(precision, from.data<char>() + first * bytes, stride, last - first, width,
                to.mutable_data<float>() + first * width);
  });
}

void expand_rows(VariablePrecision precision, const void* from, size_t stride, size_t rows, size_t width,
                 float* to) {
  if (precision == VariablePrecision::kU8)
    return kernels::dequantise_cache_rows(static_cast<const uint8_t*>(from), stride, rows, width, to);
  const auto* halves = static_cast<const uint16_t*>(from);
  for (size_t row = 0; row < rows; ++row, halves += stride, to += width)
    kernels::f16_to_f32(halves, to, width);
}

}  // namespace wasmvino::ops
