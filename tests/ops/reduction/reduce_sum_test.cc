// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "core/float_types.h"
#include "reduce_tester.h"

namespace wasmvino::test::reduce_sum_test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

TEST(ReduceSum, AllAxes) {
  expect_reduced_like(
      "ReduceSum", [] { return 0.0; }, [](double& sum, double value) { sum += value; },
      [](double sum, double) { return sum; });
}

TEST(ReduceSum, KeepDims) {
  const Tensor data = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  expect_near(reduce<float>("ReduceSum", data, {1}, true), {2, 1}, {6, 15});
  expect_near(reduce<float>("ReduceSum", data, {0, 1}, true), {1, 1}, {21});
}

TEST(ReduceSum, RepeatedAxisCountsOnce) {
  const Tensor data = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  expect_near(reduce<float>("ReduceSum", data, {1, -1}), {2}, {6, 15});
}

TEST(ReduceSum, NoAxesAndScalars) {
  expect_near(reduce<float>("ReduceSum", Tensor::of<float>({2}, {1, -2}), {}), {2}, {1, -2});
  expect_near(reduce<float>("ReduceSum", Tensor::scalar(3.0f), {}), {}, {3});
}

TEST(ReduceSum, ScalarAxisOfAnyIntegerType) {
  const Tensor data = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  expect_near(run_op("ReduceSum", 1, {}, {data, Tensor::scalar<int8_t>(-2)})[0], {3}, {5, 7, 9});
  expect_near(run_op("ReduceSum", 1, {}, {data, Tensor::scalar<uint16_t>(1)})[0], {2}, {6, 15});
}

TEST(ReduceSum, OfNothingIsZero) {
  expect_near(reduce<float>("ReduceSum", Tensor(ElementType::kF32, {0, 3}), {0}), {3}, {0, 0, 0});
  expect_near(reduce<float>("ReduceSum", Tensor(ElementType::kF32, {0, 3}), {1}), {0}, {});
}

TEST(ReduceSum, NanAndInfinity) {
  const Tensor data = Tensor::of<float>({3, 3}, {kNan, 1, 2, kInf, -kInf, 0, 3, kInf, -5});
  expect_near(reduce<float>("ReduceSum", data, {1}), {3}, {kNan, kNan, kInf});
}

TEST(ReduceSum, IntegersAreExact) {
  const int64_t big = (int64_t{1} << 53) + 1;
  expect_tensor<int64_t>(reduce<int64_t>("ReduceSum", Tensor::of<int64_t>({3}, {big, 2, 1}), {0}), {},
                         {big + 3});
  expect_tensor<uint64_t>(
      reduce<uint64_t>("ReduceSum", Tensor::of<uint64_t>({2}, {~uint64_t{0} - 2, 1}), {0}), {},
      {~uint64_t{0} - 1});
}

TEST(ReduceSum, NarrowIntegersSaturateAndWideOnesWrap) {
  expect_tensor<int8_t>(reduce<int8_t>("ReduceSum", Tensor::of<int8_t>({2, 2}, {100, 100, -100, -100}), {1}),
                        {2}, {127, -128});
  expect_tensor<uint8_t>(reduce<uint8_t>("ReduceSum", Tensor::of<uint8_t>({2}, {200, 100}), {0}), {}, {255});
  expect_tensor<int16_t>(reduce<int16_t>("ReduceSum", Tensor::of<int16_t>({2}, {32767, 3}), {0}), {},
                         {32767});
  expect_tensor<int32_t>(reduce<int32_t>("ReduceSum", Tensor::of<int32_t>({2}, {2147483647, 1}), {0}), {},
                         {std::numeric_limits<int32_t>::min()});
  expect_tensor<uint32_t>(reduce<uint32_t>("ReduceSum", Tensor::of<uint32_t>({2}, {4294967295u, 2}), {0}), {},
                          {1});
}

TEST(ReduceSum, RowsOfI32) {
  for (const int64_t rows : {1, 255, 256, 600}) {
    for (const int64_t length : {2, 7, 8, 9, 33, 255, 256, 300}) {
      Tensor data(ElementType::kI32, {rows, length});
      std::vector<int32_t> sums(static_cast<size_t>(rows)),
          greatest(sums.size(), std::numeric_limits<int32_t>::min());
      for (size_t i = 0; i < data.size(); ++i) {
        const uint32_t value = static_cast<uint32_t>(i) * 2654435761u;
        data.mutable_data<uint32_t>()[i] = value;
        const size_t row = i / static_cast<size_t>(length);
        sums[row] = static_cast<int32_t>(static_cast<uint32_t>(sums[row]) + value);
        greatest[row] = std::max(greatest[row], static_cast<int32_t>(value));
      }
      SCOPED_TRACE(testing::Message() << rows << " rows of " << length);
      const Tensor sum = reduce<int32_t>("ReduceSum", data, {1}),
                   most = reduce<int32_t>("ReduceMax", data, {1});
      for (size_t row = 0; row < sums.size(); ++row) {
        ASSERT_EQ(sum.data<int32_t>()[row], sums[row]) << row;
        ASSERT_EQ(most.data<int32_t>()[row], greatest[row]) << row;
      }
    }
  }
}

TEST(ReduceSum, HalvesAreSummedInWiderNumbers) {
  Tensor data(ElementType::kF16, {4096});
  for (size_t i = 0; i < 4096; ++i) data.mutable_data<uint16_t>()[i] = f32_to_f16(1.0f);
  const Tensor sum = reduce<Float16>("ReduceSum", data, {0});
  EXPECT_EQ(f16_to_f32(sum.data<uint16_t>()[0]), 4096.0f);  // f16 sums would stop at 2048
}

TEST(ReduceSum, Doubles) {
  const Tensor sum = reduce<double>("ReduceSum", Tensor::of<double>({2}, {1.0, 1e-15}), {0});
  EXPECT_EQ(sum.data<double>()[0], 1.0 + 1e-15);
}

TEST(ReduceSum, Shapes) {
  using model::ValueInfo;
  const ValueInfo axes = ValueInfo::of(Tensor::of<int64_t>({1}, {1}));
  const ValueInfo data{ElementType::kF32, {2, Dimension(), 4}, nullptr};
  EXPECT_EQ(to_string(infer_op("ReduceSum", 1, {}, {data, axes})[0].shape), "[2,4]");
  EXPECT_EQ(to_string(infer_op("ReduceSum", 1, {{"keep_dims", "true"}}, {data, axes})[0].shape), "[2,1,4]");
  const ValueInfo open{ElementType::kI32, {2}, nullptr};
  EXPECT_EQ(to_string(infer_op("ReduceSum", 1, {}, {data, open})[0].shape), "[...]");
  EXPECT_EQ(to_string(infer_op("ReduceSum", 1, {{"keep_dims", "true"}}, {data, open})[0].shape), "[?,?,?]");
  const ValueInfo unranked{ElementType::kF32, PartialShape(), nullptr};
  EXPECT_EQ(to_string(infer_op("ReduceSum", 1, {}, {unranked, axes})[0].shape), "[...]");
}

TEST(ReduceSum, Refuses) {
  const Tensor data = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto run = [&](const Tensor& input, const Tensor& axes) {
    return [=] { run_op("ReduceSum", 1, {}, {input, axes}); };
  };
  expect_error(ErrorCode::kInvalidValue, "axes is 2, outside -2..1",
               run(data, Tensor::of<int64_t>({1}, {2})));
  expect_error(ErrorCode::kInvalidType, "axes has element type f32", run(data, Tensor::of<float>({1}, {1})));
  expect_error(ErrorCode::kInvalidShape, "axes have shape [1,2]",
               run(data, Tensor::of<int64_t>({1, 2}, {0, 1})));
  expect_error(ErrorCode::kInvalidType, "expected a numeric type",
               run(Tensor::of<bool>({1}, {true}), Tensor::of<int64_t>({1}, {0})));
  expect_error(ErrorCode::kInvalidModel, "expected 2", [&] { run_op("ReduceSum", 1, {}, {data}); });
}

TEST(ReduceSum, VectorsOfI32) { expect_i32_like_i64("ReduceSum"); }

}  // namespace
}  // namespace wasmvino::test::reduce_sum_test
