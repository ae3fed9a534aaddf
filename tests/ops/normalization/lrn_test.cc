// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "core/call.h"
#include "normalization_tester.h"

namespace wasmvino::test::lrn_test {
namespace {

TEST(LRN, BoxesAlongAllAxes) {
  for (const Shape& shape : {Shape{2, 6}, Shape{2, 7, 3, 4}, Shape{1, 5, 70}}) {
    const Tensor data = pattern(shape);
    const Ints strides = row_major_strides(shape);
    for (const auto& axes : axis_sets(shape.size())) {
      for (const int64_t size : {1, 3, 4, 9}) {
        const double beta = size == 4 ? 0.6 : 0.75;
        std::vector<float> expected;
        for (size_t i = 0; i < data.size(); ++i) {
          double squares = 0;
          for (size_t j = 0; j < data.size(); ++j) {
            bool inside = true;
            for (size_t axis = 0; axis < shape.size(); ++axis) {
              const auto stride = static_cast<size_t>(strides[axis]),
                         length = static_cast<size_t>(shape[axis]);
              const auto a = static_cast<int64_t>(i / stride % length),
                         b = static_cast<int64_t>(j / stride % length);
              const bool along = std::find(axes.begin(), axes.end(), axis) != axes.end();
              inside &= std::llabs(a - b) <= (along ? (size - 1) / 2 : 0);
            }
            const double value = static_cast<double>(data.data<float>()[j]);
            if (inside) squares += value * value;
          }
          const double scale = 0.1 / std::pow(static_cast<double>(size), static_cast<double>(axes.size()));
          expected.push_back(static_cast<float>(static_cast<double>(data.data<float>()[i]) /
                                                std::pow(1.5 + scale * squares, beta)));
        }
        SCOPED_TRACE(testing::Message() << to_string(shape) << ' ' << axes.size() << " size " << size);
        expect_near(
            run_op("LRN", 1,
                   {{"alpha", "0.1"}, {"beta", cat(beta)}, {"bias", "1.5"}, {"size", std::to_string(size)}},
                   {data, axes_tensor(axes, shape.size())})[0],
            shape, expected, 1e-5f);
      }
    }
  }
}

// More work than a line may take between two chances to interrupt.
TEST(LRN, LongWindows) {
  constexpr int64_t kLength = 3000, kSize = 2999, kHalf = (kSize - 1) / 2;
  const Tensor data = pattern({1, kLength});
  const float* x = data.data<float>();
  std::vector<float> expected;
  for (int64_t i = 0; i < kLength; ++i) {
    double squares = 0;
    for (int64_t j = std::max<int64_t>(0, i - kHalf); j <= std::min(kLength - 1, i + kHalf); ++j)
      squares += static_cast<double>(x[j]) * static_cast<double>(x[j]);
    expected.push_back(
        static_cast<float>(static_cast<double>(x[i]) / std::pow(1.5 + 0.1 / kSize * squares, 0.75)));
  }
  expect_near(
      run_op("LRN", 1, {{"alpha", "0.1"}, {"beta", "0.75"}, {"bias", "1.5"}, {"size", std::to_string(kSize)}},
             {data, Tensor::of<int64_t>({1}, {1})})[0],
      {1, kLength}, expected, 1e-4f);
}

// Windows of four million elements: ten of them take longer than the limit, and all of them hours.
TEST(LRN, EndsByTheClockWithinALine) {
  constexpr int64_t kLength = 1 << 22;
  const Tensor data = pattern({1, kLength});
  const Limits limits{.milliseconds = 20};
  const Call call(limits);
  const CallScope scope(call);
  const double start = now_milliseconds();
  expect_error(ErrorCode::kLimitExceeded, "20 ms", [&] {
    run_op("LRN", 1, {{"size", std::to_string(2 * kLength)}}, {data, Tensor::of<int64_t>({1}, {1})});
  });
  EXPECT_LT(now_milliseconds() - start, 2500);
}

TEST(LRN, Refuses) {
  expect_error(ErrorCode::kInvalidModel, "'size' is 0",
               [] { run_op("LRN", 1, {{"size", "0"}}, {pattern({2, 6}), Tensor::of<int64_t>({1}, {1})}); });
  expect_error(ErrorCode::kInvalidValue, "axes is 2, outside -2..1",
               [] { run_op("LRN", 1, {{"size", "3"}}, {pattern({2, 6}), Tensor::of<int64_t>({1}, {2})}); });
}

}  // namespace
}  // namespace wasmvino::test::lrn_test
