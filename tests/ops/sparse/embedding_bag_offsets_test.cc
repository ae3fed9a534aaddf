// SPDX-License-Identifier: Apache-2.0
#include "core/float_types.h"
#include "embedding_tester.h"

namespace wasmvino::test::embedding_bag_offsets_test {
namespace {

Tensor bags(const std::vector<Tensor>& inputs, const char* reduction = "sum") {
  return run_op("EmbeddingBagOffsets", 15, {{"reduction", reduction}}, inputs)[0];
}

TEST(EmbeddingBagOffsets, TheSpecificationsExamples) {
  const Tensor indices = list({0, 2, 3, 4}), offsets = list({0, 2, 2});
  expect_near(bags({table(), indices, offsets, number(0), weights({0.5f, 0.5f, 0.5f, 0.5f})}), {3, 2},
              {-1.05f, -1.2f, -0.2f, -0.6f, -0.1f, 0.4f});
  expect_near(bags({table(), indices, offsets, number(-1), weights({0.5f, 0.2f, -2, 1})}), {3, 2},
              {-0.48f, -0.66f, 0, 0, 2.8f, -3.7f});
  expect_near(bags({table(), indices, offsets}, "mean"), {3, 2}, {-1.05f, -1.2f, 0, 0, -0.1f, 0.4f});
}

TEST(EmbeddingBagOffsets, WideRowsOfOtherTypes) {
  Tensor wide(ElementType::kI32, {3, 10, 20});
  for (size_t i = 0; i < wide.size(); ++i) wide.mutable_data<int32_t>()[i] = static_cast<int32_t>(i) - 100;
  for (const size_t threads : {1, 3}) {
    const Tensor got = run_op_open(
        "EmbeddingBagOffsets", 15, {{"reduction", "mean"}},
        {wide, Tensor::of<int32_t>({3}, {0, 2, 1}), Tensor::of<int32_t>({2}, {0, 2})}, 1, {}, threads)[0];
    for (int32_t i = 0; i < 200; ++i) {
      ASSERT_EQ(got.data<int32_t>()[i], (i - 100 + i + 300) / 2);
      ASSERT_EQ(got.data<int32_t>()[200 + i], i + 100);
    }
  }
  const Tensor half =
      bags({Tensor::of<Float16>({2}, {Float16(1.5f), Float16(2.0f)}), list({0, 1}), list({0})});
  EXPECT_EQ(f16_to_f32(half.data<uint16_t>()[0]), 3.5f);
}

TEST(EmbeddingBagOffsets, Refuses) {
  expect_error(ErrorCode::kInvalidValue, "indices[1] is 5, outside 0..4",
               [] { bags({table(), list({0, 5}), list({0})}); });
  expect_error(ErrorCode::kInvalidValue, "offsets[1] is 3, outside 0..2",
               [] { bags({table(), list({0, 1}), list({0, 3})}); });
  expect_error(ErrorCode::kInvalidValue, "offsets[1] is 0, outside 1..2",
               [] { bags({table(), list({0, 1}), list({1, 0})}); });
  expect_error(ErrorCode::kInvalidValue, "default_index[0] is 9",
               [] { bags({table(), list({0}), list({0}), number(9)}); });
  expect_error(ErrorCode::kInvalidModel, "'reduction' is mean",
               [] { bags({table(), list({0}), list({0}), number(0), weights({1})}, "mean"); });
  expect_error(ErrorCode::kInvalidShape, "axis 0 of per_sample_weights [2] is 2, axis 0 of indices is 1",
               [] { bags({table(), list({0}), list({0}), number(0), weights({1, 2})}); });
  expect_error(ErrorCode::kInvalidType, "offsets has element type i32, indices has i64",
               [] { bags({table(), list({0}), Tensor::of<int32_t>({1}, {0})}); });
}

}  // namespace
}  // namespace wasmvino::test::embedding_bag_offsets_test
