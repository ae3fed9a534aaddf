// SPDX-License-Identifier: Apache-2.0
// Values are OpenVINO's.
#include "tests/ops/arrays.h"

namespace wasmvino::test::reorg_yolo_test {
namespace {

TEST(ReorgYolo, Squares) {
  const auto got = run_op("ReorgYolo", 2, {{"stride", "2"}}, {iota({1, 4, 2, 2})});
  EXPECT_EQ(text_of(got[0]), "[1,16,1,1] 0 2 8 10 1 3 9 11 4 6 12 14 5 7 13 15");
  EXPECT_EQ(text_of(run_op("ReorgYolo", 2, {{"stride", "1"}}, {iota<int8_t>({1, 1, 1, 2})})[0]),
            "[1,1,1,2] 0 1");
}

TEST(ReorgYolo, InfersAndRefuses) {
  EXPECT_EQ(infer_shape("ReorgYolo", 2, {{"stride", "2"}}, {open(ElementType::kF32, {1, 8, Dimension(), 6})}),
            "[1,32,?,3]");
  for (const char* stride : {"0", "4294967296", "9223372036854775807"}) {
    expect_error(ErrorCode::kInvalidModel, "expected 1 to 2147483647",
                 [&] { run_op("ReorgYolo", 2, {{"stride", stride}}, {iota({1, 4, 2, 2})}); });
  }
  expect_error(ErrorCode::kInvalidShape, "axis 1 of data [1,6,2,2] is not a multiple of stride * stride, 4",
               [] { run_op("ReorgYolo", 2, {{"stride", "2"}}, {iota({1, 6, 2, 2})}); });
  expect_error(ErrorCode::kInvalidShape, "axis 3 of data [1,4,2,3] is not a multiple of stride, 2",
               [] { run_op("ReorgYolo", 2, {{"stride", "2"}}, {iota({1, 4, 2, 3})}); });
}

}  // namespace
}  // namespace wasmvino::test::reorg_yolo_test
