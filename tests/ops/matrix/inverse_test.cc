// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "core/float_types.h"
#include "tests/ops/op_tester.h"

namespace wasmvino::test::inverse_test {
namespace {

Tensor inverse(const Tensor& data, bool adjoint = false) {
  return run_op("Inverse", 14, {{"adjoint", adjoint ? "true" : "false"}}, {data})[0];
}

TEST(Inverse, SmallMatrices) {
  expect_near(inverse(Tensor::of<float>({1, 1}, {4})), {1, 1}, {0.25f});
  const Tensor data = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  expect_near(inverse(data), {2, 2}, {-2, 1, 1.5f, -0.5f});
  expect_near(inverse(data, true), {2, 2}, {-2, 1.5f, 1, -0.5f});
  // The first pivot is 0.
  expect_near(inverse(Tensor::of<float>({2, 2}, {0, 1, 1, 0})), {2, 2}, {0, 1, 1, 0});
}

TEST(Inverse, TimesTheMatrixIsTheUnit) {
  const Shape shape = {3, 2, 7, 7};
  Tensor data(ElementType::kF32, shape);
  for (size_t i = 0; i < data.size(); ++i) {
    data.mutable_data<float>()[i] =
        static_cast<float>(i * i * 31 % 53) / 10.0f - 2 + (i % 8 == 0 ? 6.0f : 0.0f);
  }
  const Tensor result = inverse(data);
  for (size_t matrix = 0; matrix < 6; ++matrix) {
    for (size_t i = 0; i < 7; ++i) {
      for (size_t j = 0; j < 7; ++j) {
        double sum = 0;
        for (size_t k = 0; k < 7; ++k) {
          sum += static_cast<double>(data.data<float>()[matrix * 49 + i * 7 + k]) *
                 static_cast<double>(result.data<float>()[matrix * 49 + k * 7 + j]);
        }
        EXPECT_NEAR(sum, i == j ? 1 : 0, 1e-4);
      }
    }
  }
}

TEST(Inverse, Singular) {
  const Tensor result = inverse(Tensor::of<float>({2, 2}, {1, 2, 2, 4}));
  for (size_t i = 0; i < 4; ++i) EXPECT_FALSE(std::isfinite(result.data<float>()[i]));
}

TEST(Inverse, OtherTypesAndNothing) {
  EXPECT_EQ(f16_to_f32(inverse(Tensor::of<Float16>({1, 1}, {Float16(2.0f)})).data<uint16_t>()[0]), 0.5f);
  EXPECT_EQ(inverse(Tensor::of<double>({1, 1}, {3})).data<double>()[0], 1.0 / 3);
  expect_near(inverse(Tensor(ElementType::kF32, {0, 2, 2})), {0, 2, 2}, {});
}

TEST(Inverse, Refuses) {
  expect_error(ErrorCode::kInvalidShape, "axis 1 of data [2,3] is 3, the axis before it is 2",
               [] { inverse(Tensor(ElementType::kF32, {2, 3})); });
  expect_error(ErrorCode::kInvalidShape, "expected rank 2 or more",
               [] { inverse(Tensor(ElementType::kF32, {4})); });
  expect_error(ErrorCode::kInvalidType, "floating point", [] { inverse(Tensor(ElementType::kI32, {2, 2})); });
}

}  // namespace
}  // namespace wasmvino::test::inverse_test
