// SPDX-License-Identifier: Apache-2.0
// Pooling by its definition.
#pragma once

#include <cmath>
#include <limits>

#include "tests/ops/convolution/convolution_tester.h"

namespace wasmvino::test {

struct PoolingCase {
  Shape data;
  Ints kernel, strides, dilations, begin, end;
};

inline std::vector<PoolingCase> pooling_cases() {
  return {
      {{2, 3, 11}, {3}, {2}, {2}, {1}, {1}},
      {{1, 5, 9, 8}, {2, 3}, {2, 1}, {1, 2}, {1, 0}, {0, 2}},
      {{2, 17, 7, 7}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      {{2, 16, 40, 33}, {3, 2}, {2, 2}, {1, 1}, {0, 0}, {1, 0}},
      {{1, 4, 5, 6, 7}, {2, 3, 2}, {2, 1, 2}, {1, 1, 2}, {0, 1, 1}, {1, 1, 0}},
      {{3, 2, 6, 6}, {6, 6}, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
  };
}

// Checks maxima and means, with and without counting pads, on one thread and on three, with and without
// indices.
inline void check_pooling(const std::string& type, int opset, const PoolingCase& c, bool dilated) {
  SCOPED_TRACE(testing::Message() << type << '-' << opset << " data " << to_string(c.data) << ", kernel "
                                  << text(c.kernel));
  const Tensor data = random_tensor(c.data, 7);
  const size_t axes = c.kernel.size();
  Shape output = {c.data[0], c.data[1]};
  for (size_t i = 0; i < axes; ++i) {
    output.push_back(
        (c.data[2 + i] + c.begin[i] + c.end[i] - (c.kernel[i] - 1) * c.dilations[i] - 1) / c.strides[i] + 1);
  }
  std::vector<double> largest, mean, mean_of_all;
  std::vector<int64_t> places;
  Ints at(output.size(), 0);
  do {
    double best = std::numeric_limits<float>::lowest(), sum = 0;
    int64_t place = 0, met = 0;
    Ints tap(axes, 0);
    do {
      Ints from = {at[0], at[1]};
      bool inside = true;
      for (size_t i = 0; i < axes; ++i) {
        from.push_back(at[2 + i] * c.strides[i] + tap[i] * c.dilations[i] - c.begin[i]);
        inside = inside && from.back() >= 0 && from.back() < c.data[2 + i];
      }
      if (!inside) continue;
      const size_t where = flat(from, c.data);
      const double value = data.data<float>()[where];
      if (value > best) {
        best = value;
        place = static_cast<int64_t>(where);
      }
      sum += value;
      ++met;
    } while (next(tap, Shape(c.kernel)));
    largest.push_back(best);
    places.push_back(place);
    mean.push_back(sum / static_cast<double>(met));
    mean_of_all.push_back(sum / static_cast<double>(element_count(Shape(c.kernel))));
  } while (next(at, output));

  bool padded = false;
  for (size_t i = 0; i < axes; ++i) padded = padded || c.begin[i] + c.end[i] > 0;
  for (const size_t threads : {1, 3}) {
    for (const bool exclude : {false, true}) {
      model::AttributeTexts attributes = {{"kernel", text(c.kernel)},
                                          {"strides", text(c.strides)},
                                          {"pads_begin", text(c.begin)},
                                          {"pads_end", text(c.end)},
                                          {"exclude-pad", exclude ? "true" : "false"}};
      if (dilated) attributes.emplace_back("dilations", text(c.dilations));
      const bool maxima = type == "MaxPool";
      // Without indices, a different kernel runs.
      const size_t outputs = maxima && opset >= 8 && exclude ? 2 : 1;
      const std::vector<Tensor> got = run_op_open(type, opset, attributes, {data}, outputs, {}, threads);
      ASSERT_EQ(to_string(got[0].shape()), to_string(output));
      const std::vector<double>& expected = maxima ? largest : exclude || !padded ? mean : mean_of_all;
      for (size_t i = 0; i < expected.size(); ++i) {
        ASSERT_NEAR(got[0].data<float>()[i], expected[i], maxima ? 0 : 1e-6)
            << "element " << i << ", exclude-pad " << exclude;
        if (outputs == 2) {
          ASSERT_EQ(got[1].data<int64_t>()[i], places[i]) << "element " << i;
        }
      }
    }
  }
}

}  // namespace wasmvino::test
