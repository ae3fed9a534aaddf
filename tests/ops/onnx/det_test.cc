// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/domain_tester.h"

namespace wasmvino::test::det_test {
namespace {

Tensor det(const Tensor& data) { return run_domain_op("ai.onnx", "Det", {}, {data}); }

// Expected values: numpy.linalg.det.
TEST(Det, OfMatrices) {
  expect_near(det(Tensor::of<float>({2, 2}, {0, 1, 2, 3})), {}, {-2});
  expect_near(det(Tensor::of<float>({3, 2, 2}, {1, 2, 3, 4, 1, 2, 2, 1, 1, 3, 3, 1})), {3}, {-2, -3, -8});
  expect_near(det(Tensor::of<float>({3, 3}, {2, 0, 1, 1, 3, 2, 0, 4, 1})), {}, {-6});
}

TEST(Det, OfSingularAndEmptyMatrices) {
  expect_near(det(Tensor::of<float>({2, 2}, {1, 2, 2, 4})), {}, {0});
  expect_near(det(Tensor(ElementType::kF32, {2, 0, 0})), {2}, {1, 1});
}

TEST(Det, RefusesWhatIsNotSquare) {
  expect_error(ErrorCode::kInvalidShape, "axis 1 of data [2,3] is 3, the axis before it is 2",
               [] { det(Tensor(ElementType::kF32, {2, 3})); });
  expect_error(ErrorCode::kInvalidShape, "data [3] has 1 axes, expected 2 or more",
               [] { det(Tensor(ElementType::kF32, {3})); });
}

}  // namespace
}  // namespace wasmvino::test::det_test
