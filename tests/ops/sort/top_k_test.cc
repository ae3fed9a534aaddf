// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <numeric>

#include "core/float_types.h"
#include "tests/ops/op_tester.h"

namespace wasmvino::test::top_k_test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

struct Found {
  Tensor values, indices;
};

Found top_k(const Tensor& data, int64_t k, const std::string& mode, const std::string& sort, int axis = 0,
            int opset = 11) {
  const auto outputs = run_op("TopK", opset,
                              {{"axis", std::to_string(axis)},
                               {"mode", mode},
                               {"sort", sort},
                               {"index_element_type", "i64"},
                               {"stable", sort == "none" ? "false" : "true"}},
                              {data, Tensor::scalar<int64_t>(k)}, 2);
  return {outputs[0], outputs[1]};
}

// Every k, axis, mode and order against a stable sort. Few distinct values: there are many ties.
void sweep(const Shape& shape, int distinct) {
  Tensor data(ElementType::kF32, shape);
  for (size_t i = 0; i < data.size(); ++i) {
    data.mutable_data<float>()[i] = static_cast<float>(static_cast<int>(i * 7919 % 1013) % distinct) - 3.0f;
  }
  const float* values = data.data<float>();
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const size_t length = static_cast<size_t>(shape[axis]);
    const size_t stride = static_cast<size_t>(row_major_strides(shape)[axis]);
    for (const size_t k : {size_t{1}, std::min<size_t>(length, 40), (length + 1) / 2, length}) {
      for (const std::string mode : {"max", "min"}) {
        for (const std::string sort : {"value", "index"}) {
          SCOPED_TRACE(testing::Message()
                       << to_string(shape) << " axis " << axis << " k " << k << ' ' << mode << ' ' << sort);
          const Found found = top_k(data, static_cast<int64_t>(k), mode, sort, static_cast<int>(axis));
          for (size_t slice = 0; slice < data.size() / length; ++slice) {
            const size_t first = slice / stride * length * stride + slice % stride;
            std::vector<size_t> order(length);
            std::iota(order.begin(), order.end(), size_t{0});
            std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
              const float left = values[first + a * stride], right = values[first + b * stride];
              return mode == "max" ? left > right : left < right;
            });
            order.resize(k);
            if (sort == "index") std::sort(order.begin(), order.end());
            for (size_t i = 0; i < k; ++i) {
              const size_t place = slice / stride * k * stride + slice % stride + i * stride;
              ASSERT_EQ(found.indices.data<int64_t>()[place], static_cast<int64_t>(order[i])) << i;
              ASSERT_EQ(found.values.data<float>()[place], values[first + order[i] * stride]) << i;
            }
          }
        }
      }
    }
  }
}

TEST(TopK, AgainstStableSort) {
  sweep({7}, 100);
  sweep({1, 9}, 3);
  sweep({4, 6, 5}, 4);
  sweep({2, 3, 4, 2}, 1000);
  sweep({2, 600}, 50);  // several chunks; k beyond the listed ones
  sweep({600, 3}, 1000);
  sweep({70, 65}, 7);
  sweep({2, 50, 37}, 1000);  // columns that become rows, the last ones of a block fewer
  sweep({2, 30001}, 1000);   // pieces of slices, on three threads
}

TEST(TopK, TheSpecificationsExample) {
  const Found found = top_k(Tensor::of<float>({6}, {5, 3, 1, 2, 5, 5}), 4, "min", "index");
  expect_near(found.values, {4}, {5, 3, 1, 2});
  expect_tensor<int64_t>(found.indices, {4}, {0, 1, 2, 3});
}

TEST(TopK, NoOrderGivesTheSameElements) {
  const Found found = top_k(Tensor::of<float>({5}, {1, 4, 2, 5, 3}), 2, "max", "none");
  expect_near(found.values, {2}, {5, 4});
}

TEST(TopK, NanIsAboveAllAndZerosAreEqual) {
  const Tensor data = Tensor::of<float>({6}, {1, kNan, -kInf, kInf, kNan, 0});
  const Found largest = top_k(data, 4, "max", "value");
  expect_near(largest.values, {4}, {kNan, kNan, kInf, 1});
  expect_tensor<int64_t>(largest.indices, {4}, {1, 4, 3, 0});
  expect_tensor<int64_t>(top_k(data, 6, "min", "value").indices, {6}, {2, 5, 0, 3, 1, 4});
  const Found zeros = top_k(Tensor::of<float>({3}, {-0.0f, 0.0f, -0.0f}), 2, "max", "value");
  expect_tensor<int64_t>(zeros.indices, {2}, {0, 1});
  EXPECT_TRUE(std::signbit(zeros.values.data<float>()[0]));
}

TEST(TopK, NanAmongManyElements) {
  Tensor data(ElementType::kF32, {5000});
  float* const values = data.mutable_data<float>();
  for (size_t i = 0; i < data.size(); ++i) {
    const size_t number = i * 7919 % 5003;
    values[i] = number % 50 == 7 ? kNan : static_cast<float>(number % 2000);
  }
  for (const bool greatest : {false, true}) {
    std::vector<size_t> order(data.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      const bool nan_a = std::isnan(values[a]), nan_b = std::isnan(values[b]);
      if (nan_a || nan_b) return nan_a != nan_b && nan_a == greatest;
      return greatest ? values[a] > values[b] : values[a] < values[b];
    });
    for (const size_t k : {5, 33, 150, 4990}) {
      const Found found = top_k(data, static_cast<int64_t>(k), greatest ? "max" : "min", "value");
      for (size_t i = 0; i < k; ++i) {
        ASSERT_EQ(found.indices.data<int64_t>()[i], static_cast<int64_t>(order[i])) << i << " of " << k;
      }
    }
  }
}

TEST(TopK, IntegersAreExact) {
  const int64_t big = int64_t{1} << 62;
  const Tensor data = Tensor::of<int64_t>({4}, {big + 1, big + 3, big + 2, -5});
  expect_tensor<int64_t>(top_k(data, 2, "max", "value").values, {2}, {big + 3, big + 2});
  expect_tensor<int64_t>(top_k(data, 2, "min", "value").values, {2}, {-5, big + 1});
  expect_tensor<uint64_t>(top_k(Tensor::of<uint64_t>({2}, {1, ~uint64_t{0}}), 1, "max", "value").values, {1},
                          {~uint64_t{0}});
  expect_tensor<int8_t>(top_k(Tensor::of<int8_t>({3}, {-1, -128, 127}), 3, "min", "value").values, {3},
                        {-128, -1, 127});
  expect_tensor<uint8_t>(top_k(Tensor::of<uint8_t>({3}, {200, 3, 100}), 2, "max", "value").values, {2},
                         {200, 100});
  expect_tensor<uint32_t>(top_k(Tensor::of<uint32_t>({2}, {1, 4294967295u}), 1, "max", "value").values, {1},
                          {4294967295u});
  expect_tensor<int16_t>(top_k(Tensor::of<int16_t>({2}, {-300, 300}), 1, "min", "value").values, {1}, {-300});
  expect_tensor<int64_t>(top_k(Tensor::of<double>({3}, {1.0, 1.0 + 1e-15, -1.0}), 1, "max", "value").indices,
                         {1}, {1});
}

TEST(TopK, HalfTypes) {
  const Tensor half = Tensor::of<Float16>({3}, {Float16(-1.0f), Float16(0.5f), Float16(-2.0f)});
  expect_tensor<int64_t>(top_k(half, 3, "max", "value").indices, {3}, {1, 0, 2});
  const Tensor brain = Tensor::of<BFloat16>({3}, {BFloat16(-1.0f), BFloat16(0.5f), BFloat16(-2.0f)});
  expect_tensor<int64_t>(top_k(brain, 2, "min", "value").indices, {2}, {2, 0});
}

TEST(TopK, ManyWideCandidates) {
  Tensor data(ElementType::kI64, {500});
  for (size_t i = 0; i < 500; ++i) data.mutable_data<int64_t>()[i] = static_cast<int64_t>(i * 263 % 500);
  const Found found = top_k(data, 100, "min", "value");
  for (int64_t i = 0; i < 100; ++i) ASSERT_EQ(found.values.data<int64_t>()[i], i);
}

TEST(TopK, OlderVersionsAndTypesOfK) {
  const Tensor data = Tensor::of<float>({2, 3}, {1, 3, 2, 6, 5, 4});
  const auto outputs = run_op("TopK", 1, {{"axis", "1"}, {"mode", "max"}, {"sort", "value"}},
                              {data, Tensor::scalar<int8_t>(2)}, 2);
  expect_near(outputs[0], {2, 2}, {3, 2, 6, 5});
  expect_tensor<int32_t>(outputs[1], {2, 2}, {1, 2, 0, 1});
  expect_near(top_k(data, 1, "min", "value", -2, 3).values, {1, 3}, {1, 3, 2});
}

TEST(TopK, NothingIsWanted) {
  expect_near(top_k(Tensor::of<float>({2}, {1, 2}), 0, "max", "value").values, {0}, {});
  expect_near(top_k(Tensor(ElementType::kF32, {0, 4}), 2, "max", "value", 1).values, {0, 2}, {});
}

TEST(TopK, Shapes) {
  using model::ValueInfo;
  const ValueInfo data{ElementType::kF32, {Dimension(), 7, Dimension(2, 5)}, nullptr};
  const ValueInfo k = ValueInfo::of(Tensor::scalar<int32_t>(3));
  EXPECT_EQ(to_string(infer_op("TopK", 11, {{"axis", "1"}}, {data, k}, 2)[1].shape), "[?,3,2..5]");
  const ValueInfo open{ElementType::kI32, PartialShape::of_rank(0), nullptr};
  EXPECT_EQ(to_string(infer_op("TopK", 11, {{"axis", "1"}}, {data, open}, 2)[0].shape), "[?,..7,2..5]");
}

TEST(TopK, Refuses) {
  const Tensor data = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  expect_error(ErrorCode::kInvalidValue, "K is 4, expected 0..3", [&] { top_k(data, 4, "max", "value", 1); });
  expect_error(ErrorCode::kInvalidValue, "K is -1", [&] { top_k(data, -1, "max", "value", 1); });
  expect_error(ErrorCode::kInvalidValue, "axis is 2", [&] { top_k(data, 1, "max", "value", 2); });
  expect_error(ErrorCode::kInvalidModel, "'mode' is 'most'", [&] { top_k(data, 1, "most", "value"); });
  expect_error(ErrorCode::kInvalidModel, "'stable' is true", [&] {
    run_op("TopK", 11, {{"stable", "true"}, {"sort", "none"}}, {data, Tensor::scalar(1)}, 2);
  });
  expect_error(ErrorCode::kInvalidShape, "K has shape [1]",
               [&] { run_op("TopK", 3, {}, {data, Tensor::of<int32_t>({1}, {1})}, 2); });
  expect_error(ErrorCode::kInvalidType, "K has element type f32",
               [&] { run_op("TopK", 3, {}, {data, Tensor::scalar(1.0f)}, 2); });
}

}  // namespace
}  // namespace wasmvino::test::top_k_test
