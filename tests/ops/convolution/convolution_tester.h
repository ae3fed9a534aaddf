// SPDX-License-Identifier: Apache-2.0
// Channels-first convolutions by their definition, for any number of spatial axes and groups, in double
// precision.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "tests/kernels/random.h"
#include "tests/ops/arrays.h"
#include "tests/ops/open_inputs.h"

namespace wasmvino::test {

struct Convolving {
  Shape data, filters;  // [N, C, ...]; [O, I, ...] or, grouped, [G, O, I, ...]
  bool grouped = false;
  Ints strides, dilations, pads;  // pads before the data
  Shape output;                   // spatial sizes
  bool transposed = false;        // I and O of the filters are swapped
};

inline size_t flat(const Ints& index, const Shape& shape) {
  size_t at = 0;
  for (size_t i = 0; i < shape.size(); ++i)
    at = at * static_cast<size_t>(shape[i]) + static_cast<size_t>(index[i]);
  return at;
}

// Increments `index` within `shape`, the last axis fastest. Returns false at the end.
inline bool next(Ints& index, const Shape& shape) {
  for (size_t i = shape.size(); i-- > 0;) {
    if (++index[i] < shape[i]) return true;
    index[i] = 0;
  }
  return false;
}

inline std::vector<double> reference(const Convolving& c, std::span<const double> data,
                                     std::span<const double> filters) {
  const size_t axes = c.output.size(), first = c.grouped ? 3 : 2;  // spatial axis of the filters
  const int64_t groups = c.grouped ? c.filters[0] : 1;
  const int64_t outer = c.filters[first - 2], inner = c.filters[first - 1];
  const int64_t ins = c.transposed ? outer : inner, outs = c.transposed ? inner : outer;
  Shape planes = {c.data[0], groups * outs};
  for (const int64_t size : c.output) planes.push_back(size);
  std::vector<double> result(element_count(planes));
  const Shape kernel(c.filters.begin() + first, c.filters.end());
  const size_t taps = element_count(kernel);
  const size_t plane = element_count(Shape(c.data.begin() + 2, c.data.end()));
  Ints at(planes.size(), 0);
  do {
    const int64_t group = at[1] / outs, out = at[1] % outs;
    double sum = 0;
    Ints tap(axes, 0);
    do {
      Ints from = {at[0], 0};
      bool inside = true;
      for (size_t i = 0; i < axes; ++i) {
        int64_t place = 0;
        if (c.transposed) {
          const int64_t step = at[2 + i] + c.pads[i] - tap[i] * c.dilations[i];
          inside = inside && step >= 0 && step % c.strides[i] == 0;
          place = step / c.strides[i];
        } else {
          place = at[2 + i] * c.strides[i] + tap[i] * c.dilations[i] - c.pads[i];
        }
        inside = inside && place >= 0 && place < c.data[2 + i];
        from.push_back(place);
      }
      if (!inside) continue;
      from[1] = group * ins;
      const size_t datum = flat(from, c.data), tap_at = flat(tap, kernel);
      for (int64_t in = 0; in < ins; ++in) {
        const int64_t row = c.transposed ? in : out, column = c.transposed ? out : in;
        const auto matrix = static_cast<size_t>((group * outer + row) * inner + column);
        sum += data[datum + static_cast<size_t>(in) * plane] * filters[matrix * taps + tap_at];
      }
    } while (next(tap, kernel));
    result[flat(at, planes)] = sum;
  } while (next(at, planes));
  return result;
}

inline Tensor random_tensor(const Shape& shape, uint32_t seed) {
  return Tensor::of<float>(shape, kernels::random_floats(element_count(shape), seed).data());
}

inline std::string text(const Ints& values) {
  std::string joined;
  for (const int64_t value : values) joined += (joined.empty() ? "" : ",") + std::to_string(value);
  return joined;
}

// Runs the operation with constant and with non-constant filters, on one thread and on three, and compares
// with the definition.
inline void check_convolution(const std::string& type, const Convolving& c,
                              const model::AttributeTexts& extra = {}, const std::vector<Tensor>& more = {}) {
  SCOPED_TRACE(testing::Message() << type << " data " << to_string(c.data) << ", filters "
                                  << to_string(c.filters) << ", strides " << text(c.strides) << ", dilations "
                                  << text(c.dilations) << ", pads " << text(c.pads) << ", output "
                                  << to_string(c.output));
  const Tensor data = random_tensor(c.data, 1), filters = random_tensor(c.filters, 2);
  model::AttributeTexts attributes = {{"strides", text(c.strides)}, {"dilations", text(c.dilations)}};
  attributes.insert(attributes.end(), extra.begin(), extra.end());
  const auto numbers = to_doubles(data.view()), weights = to_doubles(filters.view());
  const std::vector<double> expected = reference(c, numbers, weights);
  std::vector<Tensor> inputs = {data, filters};
  inputs.insert(inputs.end(), more.begin(), more.end());
  for (const bool open : {false, true}) {
    std::vector<size_t> constants;
    for (size_t i = open ? 2 : 1; i < inputs.size(); ++i) constants.push_back(i);
    for (const size_t threads : {1, 3}) {
      const Tensor got = run_op_open(type, 1, attributes, inputs, 1, constants, threads)[0];
      ASSERT_EQ(got.size(), expected.size());
      for (size_t i = 0; i < c.output.size(); ++i) ASSERT_EQ(got.shape()[2 + i], c.output[i]) << "axis " << i;
      for (size_t i = 0; i < expected.size(); ++i) {
        // With 70 channels, Winograd's algorithm differs by 3e-5.
        ASSERT_NEAR(got.data<float>()[i], expected[i], 4e-5 * (1 + std::fabs(expected[i])))
            << "element " << i << ", " << (open ? "open" : "constant") << " filters, " << threads
            << " threads";
      }
    }
  }
}

}  // namespace wasmvino::test
