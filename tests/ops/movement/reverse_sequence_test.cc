// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"

namespace wasmvino::test::reverse_sequence_test {
namespace {

std::string reverse(const Tensor& data, const Tensor& lengths, const char* batch = "0",
                    const char* sequence = "1") {
  return text_of(
      run_op("ReverseSequence", 1, {{"batch_axis", batch}, {"seq_axis", sequence}}, {data, lengths})[0]);
}

TEST(ReverseSequence, ReversesTheBeginningOfEachSequence) {
  EXPECT_EQ(reverse(iota({2, 4}), i32s({2, 4})), "[2,4] 1 0 2 3 7 6 5 4");
  EXPECT_EQ(reverse(iota({2, 4}), i64s({1, 3})), "[2,4] 0 1 2 3 6 5 4 7");
  EXPECT_EQ(reverse(iota({2, 2, 2}), i64s({2, 1})), "[2,2,2] 2 3 0 1 4 5 6 7");
  EXPECT_EQ(reverse(iota({3, 2}), i64s({3, 2}), "1", "0"), "[3,2] 4 3 2 1 0 5");
  EXPECT_EQ(reverse(iota({2, 1, 3}), i64s({3}), "-2", "-1"), "[2,1,3] 2 1 0 5 4 3");
}

TEST(ReverseSequence, TakesLengthsOfRealTypesAndElementsOfAllWidths) {
  EXPECT_EQ(reverse(iota<uint8_t>({2, 4}), Tensor::of<float>({2}, {2, 4})), "[2,4] 1 0 2 3 7 6 5 4");
  EXPECT_EQ(reverse(strings({2, 4}), i32s({2, 4})), "[2,4] 1 0 2 3 7 6 5 4");
  EXPECT_EQ(reverse(iota<int64_t>({2, 4}), i32s({2, 4})), "[2,4] 1 0 2 3 7 6 5 4");
}

TEST(ReverseSequence, InfersTheBatchFromBoth) {
  EXPECT_EQ(infer_shape("ReverseSequence", 1, {},
                        {open(ElementType::kF32, {Dimension(), 4}), open(ElementType::kI32, {2})}),
            "[2,4]");
}

TEST(ReverseSequence, RefusesWhatDoesNotFit) {
  expect_error(ErrorCode::kInvalidValue, "seq_lengths[1] is 5, outside the axis of size 4",
               [] { reverse(iota({2, 4}), i32s({2, 5})); });
  expect_error(ErrorCode::kInvalidShape, "they differ on batch axis 0",
               [] { reverse(iota({2, 4}), i32s({2})); });
  expect_error(ErrorCode::kInvalidModel, "are both axis 1",
               [] { reverse(iota({2, 4}), i32s({1, 1, 1, 1}), "1", "1"); });
}

}  // namespace
}  // namespace wasmvino::test::reverse_sequence_test
