// SPDX-License-Identifier: Apache-2.0
// Fourier transforms by their definition.
#pragma once

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "tests/ops/open_inputs.h"

namespace wasmvino::test {

using ComplexNumbers = std::vector<std::complex<double>>;

inline Tensor numbers(const Shape& shape) {
  Tensor tensor(ElementType::kF32, shape);
  for (size_t i = 0; i < tensor.size(); ++i) {
    tensor.mutable_data<float>()[i] = static_cast<float>(static_cast<int>((i * 37 + 11) % 23) - 11) / 8;
  }
  return tensor;
}

inline ComplexNumbers complex_of(const Tensor& tensor, bool pairs) {
  ComplexNumbers values;
  const float* from = tensor.data<float>();
  for (size_t i = 0; i < tensor.size(); i += pairs ? 2 : 1) {
    values.emplace_back(static_cast<double>(from[i]), pairs ? static_cast<double>(from[i + 1]) : 0.0);
  }
  return values;
}

inline std::vector<float> pairs_of(const ComplexNumbers& values) {
  std::vector<float> pairs;
  for (const auto& value : values) {
    pairs.push_back(static_cast<float>(value.real()));
    pairs.push_back(static_cast<float>(value.imag()));
  }
  return pairs;
}

// Truncates axis `axis` of `values`, of shape `shape`, to `size`, or pads it with zeros.
inline ComplexNumbers fit_axis(const ComplexNumbers& values, Shape& shape, size_t axis, int64_t size) {
  size_t outer = 1, inner = 1;
  for (size_t a = 0; a < axis; ++a) outer *= static_cast<size_t>(shape[a]);
  for (size_t a = axis + 1; a < shape.size(); ++a) inner *= static_cast<size_t>(shape[a]);
  const auto from = static_cast<size_t>(shape[axis]), to = static_cast<size_t>(size);
  ComplexNumbers result(outer * to * inner);
  for (size_t o = 0; o < outer; ++o) {
    for (size_t k = 0; k < std::min(from, to); ++k) {
      for (size_t i = 0; i < inner; ++i)
        result[(o * to + k) * inner + i] = values[(o * from + k) * inner + i];
    }
  }
  shape[axis] = size;
  return result;
}

// The sum over all elements of an axis of x[j] exp(-+ 2 pi i j k / n). The inverse is divided by n.
inline ComplexNumbers transform_axis(const ComplexNumbers& values, const Shape& shape, size_t axis,
                                     bool inverse) {
  size_t inner = 1;
  for (size_t a = axis + 1; a < shape.size(); ++a) inner *= static_cast<size_t>(shape[a]);
  const auto n = static_cast<size_t>(shape[axis]);
  ComplexNumbers result(values.size());
  for (size_t at = 0; at < values.size(); ++at) {
    const size_t k = at / inner % n, first = at - k * inner;
    for (size_t j = 0; j < n; ++j) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(j * k % n) / static_cast<double>(n);
      result[at] += values[first + j * inner] * std::polar(1.0, inverse ? angle : -angle);
    }
    if (inverse) result[at] /= static_cast<double>(n);
  }
  return result;
}

}  // namespace wasmvino::test
