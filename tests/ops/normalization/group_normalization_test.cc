// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "normalization_tester.h"

namespace wasmvino::test::group_normalization_test {
namespace {

TEST(GroupNormalization, EveryRankAndGrouping) {
  for (const Shape& shape : {Shape{3, 6}, Shape{2, 6, 5}, Shape{2, 6, 4, 3}, Shape{2, 6, 2, 2, 2}}) {
    const Tensor data = pattern(shape), scale = pattern({6}, 2), bias = pattern({6}, 3);
    for (const int64_t groups : {1, 2, 3, 6}) {
      const auto count = static_cast<int64_t>(data.size());
      const Tensor rows = data.reshape({shape[0] * groups, count / (shape[0] * groups)});
      std::vector<float> expected = normalized(rows, {1}, [](std::vector<double>& values) {
        double mean = 0, squares = 0;
        for (const double v : values) mean += v / static_cast<double>(values.size());
        for (const double v : values) squares += (v - mean) * (v - mean) / static_cast<double>(values.size());
        for (double& v : values) v = (v - mean) / std::sqrt(squares + 0.01);
      });
      const size_t spatial = data.size() / static_cast<size_t>(shape[0] * 6);
      for (size_t i = 0; i < data.size(); ++i) {
        const size_t c = i / spatial % 6;
        expected[i] = expected[i] * scale.data<float>()[c] + bias.data<float>()[c];
      }
      SCOPED_TRACE(testing::Message() << to_string(shape) << ' ' << groups);
      for (const size_t threads : {1, 3}) {
        expect_near(run_op_open("GroupNormalization", 12,
                                {{"num_groups", std::to_string(groups)}, {"epsilon", "0.01"}},
                                {data, scale, bias}, 1, {}, threads)[0],
                    shape, expected, 1e-5f);
      }
    }
  }
}

TEST(GroupNormalization, Refuses) {
  const auto run = [](int groups, const Tensor& scale) {
    return [=] {
      run_op("GroupNormalization", 12, {{"num_groups", std::to_string(groups)}},
             {pattern({2, 6}), scale, pattern({6})});
    };
  };
  expect_error(ErrorCode::kInvalidShape, "has 6 channels, expected a multiple of num_groups, 4",
               run(4, pattern({6})));
  expect_error(ErrorCode::kInvalidModel, "'num_groups' is 0", run(0, pattern({6})));
  expect_error(ErrorCode::kInvalidShape, "axis 0 of scale [5] is 5", run(2, pattern({5})));
}

}  // namespace
}  // namespace wasmvino::test::group_normalization_test
