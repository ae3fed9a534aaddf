// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "normalization_tester.h"

namespace wasmvino::test::normalize_l2_test {
namespace {

TEST(NormalizeL2, AllAxes) {
  for (const Shape& shape : {Shape{4}, Shape{2, 6}, Shape{3, 2, 70}, Shape{2, 3, 4, 5}}) {
    const Tensor data = pattern(shape);
    for (const auto& axes : axis_sets(shape.size())) {
      if (axes.empty()) continue;
      for (const bool greatest : {true, false}) {
        SCOPED_TRACE(testing::Message() << to_string(shape) << ' ' << axes.size() << greatest);
        const auto got = run_op("NormalizeL2", 1, {{"eps", "0.5"}, {"eps_mode", greatest ? "max" : "add"}},
                                {data, axes_tensor(axes, shape.size())});
        const auto expected = normalized(data, axes, [&](std::vector<double>& values) {
          double squares = 0;
          for (const double v : values) squares += v * v;
          for (double& v : values) v /= std::sqrt(greatest ? std::max(squares, 0.5) : squares + 0.5);
        });
        expect_near(got[0], shape, expected, 1e-6f);
      }
    }
  }
}

// "If axes is an empty list, then each input element is divided by itself resulting value 1 for all non-zero
// elements".
TEST(NormalizeL2, NoAxes) {
  const Tensor data = Tensor::of<float>({4}, {0, -3, 0.25f, std::nanf("")});
  const auto got =
      run_op("NormalizeL2", 1, {{"eps", "0.5"}, {"eps_mode", "add"}}, {data, Tensor(ElementType::kI64, {0})});
  expect_near(got[0], {4}, {0, 1, 1, std::nanf("")});
}

TEST(NormalizeL2, Refuses) {
  expect_error(ErrorCode::kInvalidModel, "'eps_mode' is 'min'", [] {
    run_op("NormalizeL2", 1, {{"eps_mode", "min"}}, {pattern({2}), Tensor::of<int64_t>({1}, {0})});
  });
  expect_error(ErrorCode::kInvalidType, "axes has element type f32",
               [] { run_op("NormalizeL2", 1, {}, {pattern({2}), Tensor::of<float>({1}, {0})}); });
}

}  // namespace
}  // namespace wasmvino::test::normalize_l2_test
