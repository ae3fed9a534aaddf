// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "core/float_types.h"
#include "normalization_tester.h"

namespace wasmvino::test {
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

TEST(MVN, Refuses) {
  const Tensor data = pattern({2, 3});
  expect_error(ErrorCode::kInvalidValue, "axes is 2, outside -2..1", [&] {
    run_op("MVN", 6, {}, {data, Tensor::of<int64_t>({1}, {2})});
  });
  expect_error(ErrorCode::kInvalidValue, "reduction_axes is 2", [&] {
    run_op("MVN", 2, {{"reduction_axes", "2"}}, {data});
  });
  expect_error(ErrorCode::kInvalidType, "data has element type i32, expected a floating point type", [] {
    run_op("MVN", 2, {}, {Tensor(ElementType::kI32, {2, 3})});
  });
}

}  // namespace
}  // namespace wasmvino::test
