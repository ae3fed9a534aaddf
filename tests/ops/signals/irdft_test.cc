// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/arrays.h"
#include "tests/ops/signals/fourier_tester.h"

namespace wasmvino::test::irdft_test {
namespace {

TEST(IRDFT, UndoesTheTransform) {
  for (const Shape& shape : {Shape{8}, Shape{3, 7}, Shape{4, 5, 6}}) {
    SCOPED_TRACE(to_string(shape));
    const Tensor data = numbers(shape);
    Ints axes, sizes;
    for (size_t axis = shape.size(); axis-- > 0;) {
      axes.push_back(static_cast<int64_t>(axis));
      sizes.push_back(shape[axis]);
    }
    const auto count = static_cast<int64_t>(axes.size());
    const Tensor axes_input = Tensor::of({count}, axes.data());
    const Tensor spectrum = run_op("RDFT", 9, {}, {data, axes_input})[0];
    const float* values = data.data<float>();
    expect_near(run_op_open("IRDFT", 9, {}, {spectrum, axes_input, Tensor::of({count}, sizes.data())}, 1,
                            {1, 2}, 3)[0],
                shape, {values, values + data.size()}, 1e-5f);
  }
}

// The half of the spectrum that is given is cut or filled up to half of the length that is wanted.
TEST(IRDFT, Sizes) {
  const Tensor data = numbers({3, 5, 2});
  for (const int64_t size : {1, 2, 5, 7, 8, 9, 12}) {
    SCOPED_TRACE(size);
    Shape shape = {3, 5};
    ComplexNumbers half = fit_axis(complex_of(data, true), shape, 1, size / 2 + 1);
    ComplexNumbers whole = fit_axis(half, shape, 1, size);
    const auto n = static_cast<size_t>(size), given = static_cast<size_t>(size / 2 + 1);
    for (size_t row = 0; row < 3; ++row) {
      for (size_t k = 1; k < given; ++k) {
        if (n - k >= given) whole[row * n + n - k] = std::conj(half[row * given + k]);
      }
    }
    std::vector<float> expected;
    for (const auto& value : transform_axis(whole, shape, 1, true))
      expected.push_back(static_cast<float>(value.real()));
    expect_near(run_op("IRDFT", 9, {}, {data, i64s({1}), i64s({size})})[0], {3, size}, expected, 1e-5f);
  }
}

TEST(IRDFT, InfersAndRefuses) {
  const auto data = open(ElementType::kF32, {6, Dimension(), 5, 2});
  EXPECT_EQ(infer_shape("IRDFT", 9, {}, {data, model::ValueInfo::of(i64s({1, 2}))}), "[6,?,8]");
  EXPECT_EQ(infer_shape("IRDFT", 9, {},
                        {data, model::ValueInfo::of(i64s({1, 2})), model::ValueInfo::of(i64s({4, -1}))}),
            "[6,4,8]");
  expect_error(ErrorCode::kInvalidShape, "is too short to transform",
               [] { run_op("IRDFT", 9, {}, {numbers({1, 2}), i64s({0})}); });
}

}  // namespace
}  // namespace wasmvino::test::irdft_test
