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

// i32 is reduced by vectors, i64 by a loop. The low 32 bits of the i64 result are the i32 result.
inline void expect_i32_like_i64(const std::string& type) {
  for (const Shape& shape :
       {Shape{1031}, Shape{3, 600}, Shape{300, 7}, Shape{5, 70, 3}, Shape{2, 3, 4, 300}}) {
    Tensor narrow(ElementType::kI32, shape), wide(ElementType::kI64, shape);
    for (size_t i = 0; i < narrow.size(); ++i) {
      const int32_t value = static_cast<int32_t>(static_cast<uint32_t>(i + 1) * 2654435769u);
      narrow.mutable_data<int32_t>()[i] = value;
      wide.mutable_data<int64_t>()[i] = value;
    }
    for (unsigned mask = 0; mask < 1u << shape.size(); ++mask) {
      std::vector<int64_t> axes;
      for (size_t axis = 0; axis < shape.size(); ++axis) {
        if (mask >> axis & 1) axes.push_back(static_cast<int64_t>(axis));
      }
      SCOPED_TRACE(testing::Message() << to_string(shape) << " axes " << mask);
      const Tensor actual = reduce<int32_t>(type, narrow, axes), expected = reduce<int64_t>(type, wide, axes);
      ASSERT_EQ(actual.size(), expected.size());
      for (size_t i = 0; i < actual.size(); ++i) {
        ASSERT_EQ(actual.data<int32_t>()[i], static_cast<int32_t>(expected.data<int64_t>()[i])) << i;
      }
    }
  }
}

}  // namespace wasmvino::test
