// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "normalization_tester.h"

namespace wasmvino::test::grn_test {
namespace {

TEST(GRN, ChannelsOfAPlace) {
  for (const Shape& shape : {Shape{2, 5}, Shape{2, 3, 4}, Shape{2, 3, 4, 70}}) {
    const Tensor data = pattern(shape);
    const auto expected = normalized(data, {1}, [](std::vector<double>& values) {
      double squares = 0.3;
      for (const double v : values) squares += v * v;
      for (double& v : values) v /= std::sqrt(squares);
    });
    expect_near(run_op("GRN", 1, {{"bias", "0.3"}}, {data})[0], shape, expected, 1e-6f);
  }
}

TEST(GRN, Refuses) {
  expect_error(ErrorCode::kInvalidShape, "data has shape [5], expected rank 2 to 4",
               [] { run_op("GRN", 1, {}, {pattern({5})}); });
}

}  // namespace
}  // namespace wasmvino::test::grn_test
