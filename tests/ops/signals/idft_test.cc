// SPDX-License-Identifier: Apache-2.0
// Lengths, axes and sizes are tested with DFT.
#include "core/float_types.h"
#include "tests/ops/arrays.h"
#include "tests/ops/signals/fourier_tester.h"

namespace wasmvino::test::idft_test {
namespace {

TEST(IDFT, UndoesTheTransform) {
  const Tensor data = numbers({2, 6, 5, 2});
  const Tensor spectrum = run_op("DFT", 7, {}, {data, i64s({1, 2})})[0];
  const float* values = data.data<float>();
  expect_near(run_op("IDFT", 7, {}, {spectrum, i64s({2, 1})})[0], data.shape(),
              {values, values + data.size()}, 1e-5f);
}

TEST(IDFT, Half) {
  const Tensor data = Tensor::of<Float16>({2, 2}, {Float16(3.f), Float16(0.f), Float16(-1.f), Float16(0.f)});
  EXPECT_EQ(text_of(run_op("IDFT", 7, {}, {data, i32s({0})})[0]), "[2,2] 1 0 2 0");
}

}  // namespace
}  // namespace wasmvino::test::idft_test
