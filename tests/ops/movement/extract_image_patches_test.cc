// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/arrays.h"

namespace wasmvino::test::extract_image_patches_test {
namespace {

model::AttributeTexts patches(const std::string& sizes, const std::string& strides, const std::string& rates,
                              const std::string& auto_pad) {
  return {{"sizes", sizes}, {"strides", strides}, {"rates", rates}, {"auto_pad", auto_pad}};
}

// The examples of the specification: numbers from 1 to 100 in a square.
TEST(ExtractImagePatches, Specification) {
  Tensor square(ElementType::kI64, {1, 1, 10, 10});
  for (int64_t i = 0; i < 100; ++i) square.mutable_data<int64_t>()[i] = i + 1;
  const auto run = [&](const model::AttributeTexts& attributes) {
    return text_of(run_op("ExtractImagePatches", 3, attributes, {square})[0]);
  };
  EXPECT_EQ(run(patches("3,3", "5,5", "1,1", "valid")),
            "[1,9,2,2] 1 6 51 56 2 7 52 57 3 8 53 58 11 16 61 66 12 17 62 67 13 18 63 68 21 26 71 76 22 27 "
            "72 77 23 28 73 78");
  EXPECT_EQ(run(patches("4,4", "8,8", "1,1", "valid")),
            "[1,16,1,1] 1 2 3 4 11 12 13 14 21 22 23 24 31 32 33 34");
  EXPECT_EQ(run(patches("4,4", "9,9", "1,1", "same_upper")),
            "[1,16,2,2] 0 0 0 89 0 0 81 90 0 0 82 0 0 0 83 0 0 9 0 99 1 10 91 100 2 0 92 0 3 0 93 0 0 19 0 0 "
            "11 20 0 0 12 0 0 0 13 0 0 0 "
            "0 29 0 0 21 30 0 0 22 0 0 0 23 0 0 0");
  EXPECT_EQ(run(patches("3,3", "5,5", "2,2", "valid")),
            "[1,9,2,2] 1 6 51 56 3 8 53 58 5 10 55 60 21 26 71 76 23 28 73 78 25 30 75 80 41 46 91 96 43 48 "
            "93 98 45 50 95 100");
}

TEST(ExtractImagePatches, ChannelsAndTypes) {
  EXPECT_EQ(text_of(run_op("ExtractImagePatches", 3, patches("1,2", "1,2", "1,1", "same_lower"),
                           {iota<float>({1, 2, 1, 3})})[0]),
            "[1,4,1,2] 0 1 0 4 0 2 3 5");
  EXPECT_EQ(text_of(run_op("ExtractImagePatches", 3, patches("1,2", "1,1", "1,1", "valid"),
                           {iota<uint8_t>({2, 1, 1, 3})})[0]),
            "[2,2,1,2] 0 1 1 2 3 4 4 5");
}

TEST(ExtractImagePatches, OpenShapesAndErrors) {
  const Dimension any;
  const auto shape = [](const PartialShape& data, const model::AttributeTexts& attributes) {
    return infer_shape("ExtractImagePatches", 3, attributes, {open(ElementType::kF32, data)});
  };
  EXPECT_EQ(shape({any, 3, Dimension(7, 9), any}, patches("3,3", "2,2", "1,1", "valid")), "[?,27,3..4,?]");
  EXPECT_EQ(shape({1, 3, 2, 9}, patches("3,3", "2,2", "1,1", "valid")), "[1,27,0,4]");
  EXPECT_EQ(shape(PartialShape(), patches("3,3", "2,2", "1,1", "valid")), "[?,?,?,?]");
  expect_error(ErrorCode::kInvalidShape, "data has shape [1,2,3]",
               [&] { shape({1, 2, 3}, patches("1,1", "1,1", "1,1", "valid")); });
  expect_error(ErrorCode::kInvalidValue, "sizes is [3]",
               [&] { shape({1, 2, 3, 4}, patches("3", "1,1", "1,1", "valid")); });
  expect_error(ErrorCode::kInvalidValue, "strides is [0,1]",
               [&] { shape({1, 2, 3, 4}, patches("1,1", "0,1", "1,1", "valid")); });
  expect_error(ErrorCode::kInvalidValue, "auto_pad is explicit",
               [&] { shape({1, 2, 3, 4}, patches("1,1", "1,1", "1,1", "explicit")); });
}

}  // namespace
}  // namespace wasmvino::test::extract_image_patches_test
