// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "core/float_types.h"
#include "normalization_tester.h"

namespace wasmvino::test::mvn_test {
namespace {

std::function<void(std::vector<double>&)> formula(bool variance, double eps, bool outside) {
  return [=](std::vector<double>& values) {
    double mean = 0, squares = 0;
    for (const double v : values) mean += v / static_cast<double>(values.size());
    for (const double v : values) squares += (v - mean) * (v - mean) / static_cast<double>(values.size());
    const double deviation = outside ? std::sqrt(squares) + eps : std::sqrt(squares + eps);
    for (double& v : values) v = variance ? (v - mean) / deviation : v - mean;
  };
}

TEST(MVN, AllAxes) {
  for (const Shape& shape :
       {Shape{5}, Shape{2, 10}, Shape{3, 4, 70}, Shape{2, 3, 4, 5}, Shape{1, 2, 3, 2, 2}}) {
    const Tensor data = pattern(shape);
    for (const auto& axes : axis_sets(shape.size())) {
      for (const bool variance : {true, false}) {
        for (const bool outside : {true, false}) {
          const auto got = run_op("MVN", 6,
                                  {{"eps", "0.1"},
                                   {"normalize_variance", variance ? "true" : "false"},
                                   {"eps_mode", outside ? "OUTSIDE_SQRT" : "inside_sqrt"}},
                                  {data, axes_tensor(axes, shape.size())});
          SCOPED_TRACE(testing::Message() << to_string(shape) << ' ' << axes.size() << variance << outside);
          expect_near(got[0], shape, normalized(data, axes, formula(variance, 0.1, outside)), 1e-5f);
        }
      }
    }
  }
}

TEST(MVN, FarFromZeroNothingCancels) {
  Tensor data(ElementType::kF32, {1, 4096});
  for (size_t i = 0; i < 4096; ++i) data.mutable_data<float>()[i] = 10000.0f + static_cast<float>(i % 2);
  const auto got = run_op("MVN", 6, {{"eps", "1e-9"}}, {data, Tensor::of<int32_t>({1}, {1})});
  EXPECT_NEAR(got[0].data<float>()[0], -1.0f, 1e-4f);
  EXPECT_NEAR(got[0].data<float>()[1], 1.0f, 1e-4f);
}

TEST(MVN, Version1) {
  const Shape shape = {2, 3, 4, 5};
  const Tensor data = pattern(shape);
  const auto run = [&](const model::AttributeTexts& attributes) {
    return run_op("MVN", 2, attributes, {data})[0];
  };
  expect_near(run({{"eps", "1e-6"}, {"across_channels", "false"}}), shape,
              normalized(data, {2, 3}, formula(true, 1e-6, false)), 1e-5f);
  expect_near(run({{"eps", "1e-6"}, {"across_channels", "true"}, {"normalize_variance", "false"}}), shape,
              normalized(data, {1, 2, 3}, formula(false, 0, false)), 1e-5f);
  expect_near(run({{"eps", "1e-6"}, {"across_channels", "true"}, {"reduction_axes", "0, 3"}}), shape,
              normalized(data, {0, 3}, formula(true, 1e-6, false)), 1e-5f);
}

TEST(MVN, Half) {
  const Tensor data = Tensor::of<Float16>({1, 2}, {Float16(1.0f), Float16(3.0f)});
  const auto got = run_op("MVN", 6, {{"eps", "0"}}, {data, Tensor::of<int32_t>({1}, {1})});
  EXPECT_EQ(f16_to_f32(got[0].data<uint16_t>()[0]), -1.0f);
}

// What OpenVINO computes: halves are rounded to even, 8 bits saturated, wider types wrap.
TEST(MVN, Integers) {
  const std::vector<int> data = {1, 2, 9, 200, 4, 4, 90, 7, 0, 1, 0, 1};
  const auto check = [&]<typename T>(bool normalizes, const std::vector<T>& expected) {
    Tensor tensor(ElementTypeOf<T>::value, {1, 3, 4});
    std::copy(data.begin(), data.end(), tensor.mutable_data<T>());
    const model::AttributeTexts attributes = {{"eps", "1e-5"},
                                              {"normalize_variance", normalizes ? "true" : "false"}};
    const Tensor axes = Tensor::of<int64_t>({1}, {2});
    expect_tensor<T>(run_op("MVN", 6, attributes, {tensor, axes})[0], {1, 3, 4}, expected);
  };
  check.operator()<int32_t>(false, {-52, -51, -44, 147, -22, -22, 64, -19, 0, 0, 0, 0});
  check.operator()<int64_t>(true, {-1, -1, -1, 2, -1, -1, 2, -1, -1, 1, -1, 1});
  check.operator()<uint8_t>(false, {0, 0, 0, 147, 0, 0, 64, 0, 0, 0, 0, 0});
  check.operator()<uint16_t>(false, {65484, 65485, 65492, 147, 65514, 65514, 64, 65517, 0, 0, 0, 0});
  check.operator()<uint32_t>(true, {4294967295, 4294967295, 4294967295, 2, 4294967295, 4294967295, 2,
                                    4294967295, 4294967295, 1, 4294967295, 1});
  Tensor many(ElementType::kI8, {2, 400});  // more than a chunk
  for (size_t i = 0; i < many.size(); ++i) many.mutable_data<int8_t>()[i] = i < 400 ? 100 : i % 2 ? 5 : -5;
  const Tensor got = run_op("MVN", 6, {{"eps", "1e-5"}}, {many, Tensor::of<int64_t>({1}, {1})})[0];
  for (size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got.data<int8_t>()[i], i < 400 ? 0 : i % 2 ? 1 : -1) << i;
}

TEST(MVN, Refuses) {
  const Tensor data = pattern({2, 3});
  expect_error(ErrorCode::kInvalidValue, "axes is 2, outside -2..1",
               [&] { run_op("MVN", 6, {}, {data, Tensor::of<int64_t>({1}, {2})}); });
  expect_error(ErrorCode::kInvalidValue, "reduction_axes is 2",
               [&] { run_op("MVN", 2, {{"reduction_axes", "2"}}, {data}); });
  expect_error(ErrorCode::kInvalidType, "data has element type boolean, expected a numeric type",
               [] { run_op("MVN", 2, {}, {Tensor(ElementType::kBoolean, {2, 3})}); });
}

}  // namespace
}  // namespace wasmvino::test::mvn_test
