// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/pooling/pooling_tester.h"

namespace wasmvino::test::adaptive_max_pool_test {
namespace {

TEST(AdaptiveMaxPool, ValuesAndIndices) {
  const auto run = [](const Tensor& data, const Tensor& sizes, const std::string& type = "i64") {
    const std::vector<Tensor> got =
        run_op("AdaptiveMaxPool", 8, {{"index_element_type", type}}, {data, sizes}, 2);
    EXPECT_EQ(name(got[1].type()), type);
    return text_of(got[0]) + " at" + text_of(got[1]);
  };
  EXPECT_EQ(run(Tensor::of<float>({1, 1, 5}, {1, 9, 4, 8, 2}), i64s({2})), "[1,1,2] 9 8 at[1,1,2] 1 3");
  EXPECT_EQ(run(Tensor::of<float>({1, 1, 5}, {1, 9, 4, 8, 2}), i32s({3}), "i32"),
            "[1,1,3] 9 9 8 at[1,1,3] 1 1 3");
  // Indices count in each plane.
  EXPECT_EQ(run(iota({2, 2, 2, 3}), i64s({1, 2})),
            "[2,2,1,2] 4 5 10 11 16 17 22 23 at[2,2,1,2] 4 5 4 5 4 5 4 5");
  EXPECT_EQ(run(Tensor::of<float>({1, 1, 6}, {5, 5, 3, 5, -1, -1}), i64s({2})), "[1,1,2] 5 5 at[1,1,2] 0 3");
  EXPECT_EQ(run(Tensor::of<int8_t>({1, 1, 4}, {-5, -7, 100, 3}), i64s({2})), "[1,1,2] -5 100 at[1,1,2] 0 2");
  // A window begins with its first element, whatever that is.
  const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(run(Tensor::of<float>({1, 1, 6}, {-inf, -inf, nan, 1, 2, nan}), i64s({3})),
            "[1,1,3] -inf nan 2 at[1,1,3] 0 2 4");
}

TEST(AdaptiveMaxPool, OneOutputSuffices) {
  EXPECT_EQ(text_of(run_op("AdaptiveMaxPool", 8, {}, {iota({1, 1, 4}), i64s({2})})[0]), "[1,1,2] 1 3");
}

// Products of sizes are more than 32 bits hold; windows of one element give the elements.
TEST(AdaptiveMaxPool, OfManyWindows) {
  const int64_t count = 65'536;
  const Tensor data = iota({1, 1, count});
  EXPECT_TRUE(same_elements(run_op("AdaptiveMaxPool", 8, {}, {data, i64s({count})}, 2)[0], data));
}

TEST(AdaptiveMaxPool, RefusesAnEmptyAxis) {
  expect_error(ErrorCode::kInvalidShape, "1 or more elements along spatial axis 1", [] {
    run_op("AdaptiveMaxPool", 8, {}, {Tensor(ElementType::kF32, {1, 2, 3, 0}), i64s({2, 2})}, 2);
  });
}

TEST(AdaptiveMaxPool, Errors) {
  expect_error(ErrorCode::kInvalidType, "index_element_type is u8", [] {
    infer_op("AdaptiveMaxPool", 8, {{"index_element_type", "u8"}},
             {open(ElementType::kF32, {1, 3, 4}), model::ValueInfo::of(i64s({2}))}, 2);
  });
  expect_error(ErrorCode::kInvalidShape, "data has shape [3,4]", [] {
    infer_op("AdaptiveMaxPool", 8, {}, {open(ElementType::kF32, {3, 4}), model::ValueInfo::of(i64s({2}))}, 2);
  });
}

}  // namespace
}  // namespace wasmvino::test::adaptive_max_pool_test
