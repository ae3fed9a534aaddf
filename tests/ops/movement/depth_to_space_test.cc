// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"

namespace wasmvino::test::depth_to_space_test {
namespace {

Tensor depth_to_space(const Tensor& data, const char* mode, const char* block_size) {
  return run_op("DepthToSpace", 1, {{"mode", mode}, {"block_size", block_size}}, {data})[0];
}

Tensor space_to_depth(const Tensor& data, const char* mode, const char* block_size) {
  return run_op("SpaceToDepth", 1, {{"mode", mode}, {"block_size", block_size}}, {data})[0];
}

TEST(DepthToSpace, PlacesChannelsAsBlocks) {
  // By the specification's reshape and transpose, in numpy.
  EXPECT_EQ(text_of(depth_to_space(iota({1, 8, 1, 2}), "blocks_first", "2")),
            "[1,2,2,4] 0 4 1 5 8 12 9 13 2 6 3 7 10 14 11 15");
  EXPECT_EQ(text_of(depth_to_space(iota({1, 8, 1, 2}), "depth_first", "2")),
            "[1,2,2,4] 0 2 1 3 4 6 5 7 8 10 9 11 12 14 13 15");
  EXPECT_EQ(text_of(depth_to_space(iota({1, 6, 2}), "blocks_first", "3")),
            "[1,2,6] 0 4 8 1 5 9 2 6 10 3 7 11");
  EXPECT_EQ(text_of(depth_to_space(iota({1, 6, 2}), "depth_first", "3")),
            "[1,2,6] 0 2 4 1 3 5 6 8 10 7 9 11");
}

TEST(SpaceToDepth, IsTheInverse) {
  for (const char* const mode : {"blocks_first", "depth_first"}) {
    for (const Shape& shape : {Shape{2, 24, 3, 5}, Shape{1, 8, 2, 1, 3}, Shape{3, 4, 7}}) {
      const Tensor data = iota<int32_t>(shape);
      EXPECT_EQ(text_of(space_to_depth(depth_to_space(data, mode, "2"), mode, "2")), text_of(data)) << mode;
    }
  }
  EXPECT_EQ(text_of(space_to_depth(iota<uint8_t>({1, 1, 2, 4}), "blocks_first", "2")),
            "[1,4,1,2] 0 2 1 3 4 6 5 7");
}

TEST(DepthToSpace, InfersOpenShapes) {
  const std::vector<model::ValueInfo> data = {
      open(ElementType::kF32, {Dimension(), Dimension(5, 9), 3, Dimension()})};
  EXPECT_EQ(infer_shape("DepthToSpace", 1, {{"mode", "depth_first"}, {"block_size", "2"}}, data),
            "[?,2,6,?]");
  const std::vector<model::ValueInfo> spatial = {
      open(ElementType::kF32, {2, Dimension(1, 2), 6, Dimension()})};
  EXPECT_EQ(infer_shape("SpaceToDepth", 1, {{"mode", "depth_first"}, {"block_size", "2"}}, spatial),
            "[2,4..8,3,?]");
}

TEST(DepthToSpace, RefusesWhatDoesNotDivide) {
  expect_error(ErrorCode::kInvalidShape, "size 3 of axis 1 is not a multiple of 'block_size' 2",
               [] { depth_to_space(iota({1, 6, 2, 2}), "depth_first", "2"); });
  expect_error(ErrorCode::kInvalidShape, "size 3 of axis 2 is not a multiple of 'block_size' 2",
               [] { space_to_depth(iota({1, 1, 3}), "depth_first", "2"); });
  expect_error(ErrorCode::kInvalidShape, "data has shape [4,2], expected rank 3 or more",
               [] { depth_to_space(iota({4, 2}), "depth_first", "2"); });
  expect_error(ErrorCode::kInvalidModel, "'block_size' is 0",
               [] { space_to_depth(iota({1, 1, 3}), "depth_first", "0"); });
  expect_error(ErrorCode::kInvalidModel, "attribute 'mode'",
               [] { space_to_depth(iota({1, 1, 3}), "rows", "2"); });
}

// The product of such blocks is larger than any integer, and no size of a tensor in 32 bits.
TEST(SpaceToDepth, NothingInLargeBlocks) {
  const auto run = [] {
    return run_op("SpaceToDepth", 1, {{"block_size", "16777216"}, {"mode", "blocks_first"}},
                  {Tensor(ElementType::kF32, {0, 2, 0, 0, 0})});
  };
  if (sizeof(size_t) < 8) {
    expect_error(ErrorCode::kInvalidShape, "more elements than the address space can hold", run);
  } else {
    EXPECT_EQ(to_string(run()[0].shape()), "[0,9223372036854775807,0,0,0]");
  }
}

}  // namespace
}  // namespace wasmvino::test::depth_to_space_test
