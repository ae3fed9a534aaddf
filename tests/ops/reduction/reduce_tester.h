// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of all Reduce* operations: compares every combination of axes, over shapes of several
// ranks, with a loop over all elements in memory order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/ops/op_tester.h"

namespace wasmvino::test {

template <typename T>
Tensor reduce(const std::string& type, const Tensor& data, const std::vector<int64_t>& axes,
              bool keep_dims = false) {
  const int opset = type == "ReduceL1" || type == "ReduceL2" ? 4 : 1;
  const Tensor axes_tensor = Tensor::of<int64_t>({static_cast<int64_t>(axes.size())}, axes.data());
  Tensor result = run_op(type, opset, {{"keep_dims", keep_dims ? "true" : "false"}}, {data, axes_tensor})[0];
  EXPECT_EQ(name(result.type()), name(ElementTypeOf<T>::value));
  return result;
}

// start() begins a result, add(result, value) adds an element, end(result, count) returns the expected value.
template <typename Start, typename Add, typename End>
void expect_reduced_like(const std::string& type, Start start, Add add, End end) {
  for (const Shape& shape : {Shape{7}, Shape{1, 5}, Shape{3, 130}, Shape{70, 3}, Shape{2, 3, 4},
                             Shape{2, 1, 3, 2}, Shape{2, 3, 2, 3, 2}, Shape{1, 2, 2, 3, 1, 2}}) {
    Tensor data(ElementType::kF32, shape);
    for (size_t i = 0; i < data.size(); ++i) {
      data.mutable_data<float>()[i] = 0.25f * static_cast<float>(static_cast<int>(i * 7 % 13) - 5);
    }
    for (unsigned mask = 0; mask < 1u << shape.size(); ++mask) {
      std::vector<int64_t> axes;
      Shape kept;
      for (size_t axis = shape.size();
           axis-- > 0;) {  // descending, every other one counted from the end: order must not matter
        if (mask >> axis & 1) {
          axes.push_back(static_cast<int64_t>(axis) - (axis % 2 ? static_cast<int64_t>(shape.size()) : 0));
        }
      }
      for (size_t axis = 0; axis < shape.size(); ++axis) {
        if (!(mask >> axis & 1)) kept.push_back(shape[axis]);
      }
      std::vector<double> results(element_count(kept), start());
      for (size_t i = 0; i < data.size(); ++i) {
        size_t rest = i, place = 0, step = 1;
        for (size_t axis = shape.size(); axis-- > 0;) {
          const size_t at = rest % static_cast<size_t>(shape[axis]);
          rest /= static_cast<size_t>(shape[axis]);
          if (mask >> axis & 1) continue;
          place += at * step;
          step *= static_cast<size_t>(shape[axis]);
        }
        add(results[place], static_cast<double>(data.data<float>()[i]));
      }
      const double count = static_cast<double>(data.size()) / static_cast<double>(results.size());
      std::vector<float> expected;
      for (const double result : results) expected.push_back(static_cast<float>(end(result, count)));
      SCOPED_TRACE(testing::Message() << to_string(shape) << " axes " << mask);
      expect_near(reduce<float>(type, data, axes), kept, expected, 1e-5f);
    }
  }
}

}  // namespace wasmvino::test
