// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"
#include "core/packed_bits.h"

namespace wasmvino::test::batch_to_space_test {
namespace {

using model::ValueInfo;

Tensor batch_to_space(const Tensor& data, std::initializer_list<int64_t> block,
                      std::initializer_list<int64_t> begin, std::initializer_list<int64_t> end) {
  return run_op("BatchToSpace", 2, {}, {data, i64s(block), i64s(begin), i64s(end)})[0];
}

TEST(BatchToSpace, InterleavesBlocks) {
  EXPECT_EQ(text_of(batch_to_space(iota<int32_t>({4, 1, 3}), {1, 2, 2}, {0, 0, 0}, {0, 0, 0})),
            "[1,2,6] 0 3 1 4 2 5 6 9 7 10 8 11");
  EXPECT_EQ(text_of(batch_to_space(iota<int32_t>({2, 3}), {1, 1}, {0, 0}, {0, 0})), "[2,3] 0 1 2 3 4 5");
  EXPECT_EQ(text_of(batch_to_space(iota<int32_t>({4, 2}), {1, 2}, {0, 1}, {0, 1})), "[2,2] 4 1 6 3");
}

// By the specification's reshape, transpose, reshape, crop: element by element.
template <typename T>
void expect_as_specified(const Shape& shape, const Ints& block, const Ints& begin, const Ints& end) {
  const Tensor data = iota<T>(shape);
  const auto list = [](const Ints& values) {
    return Tensor::of<int64_t>({static_cast<int64_t>(values.size())}, values.data());
  };
  const Tensor output = run_op("BatchToSpace", 2, {}, {data, list(block), list(begin), list(end)})[0];
  const Ints strides = row_major_strides(shape);
  int64_t blocks = 1;
  for (const int64_t b : block) blocks *= b;
  const int64_t batch = shape[0] / blocks;
  ASSERT_EQ(output.shape()[0], batch);
  for (size_t i = 0; i < output.size(); ++i) {
    size_t rest = i;
    int64_t from = 0;
    int64_t factor = 1;
    int64_t blocked = 0;  // number of the block
    for (size_t axis = shape.size(); axis-- > 1;) {
      const int64_t size = shape[axis] * block[axis] - begin[axis] - end[axis];
      ASSERT_EQ(output.shape()[axis], size);
      const int64_t place = static_cast<int64_t>(rest) % size + begin[axis];
      rest /= static_cast<size_t>(size);
      from += place / block[axis] * strides[axis];
      blocked += place % block[axis] * factor;
      factor *= block[axis];
    }
    from += (blocked * batch + static_cast<int64_t>(rest)) * strides[0];
    ASSERT_EQ(output.data<T>()[i], data.data<T>()[from])
        << "element " << i << " of " << to_string(output.shape());
  }
}

TEST(BatchToSpace, DoesWhatTheSpecificationSaysForAllRanksAndWidths) {
  expect_as_specified<float>({48, 3, 3, 1, 3}, {1, 2, 4, 3, 1}, {0, 0, 1, 0, 0}, {0, 0, 1, 0, 0});
  expect_as_specified<float>({10, 2}, {1, 5}, {0, 2}, {0, 0});
  expect_as_specified<uint8_t>({6, 5, 7}, {1, 3, 2}, {0, 2, 3}, {0, 4, 1});
  expect_as_specified<int16_t>({8, 2, 2, 2}, {1, 2, 2, 2}, {0, 1, 0, 1}, {0, 0, 1, 1});
  expect_as_specified<int64_t>({16, 2, 1, 2, 2, 3}, {1, 2, 2, 2, 2, 1}, {0, 0, 0, 0, 1, 1},
                               {0, 1, 0, 1, 0, 0});
  expect_as_specified<float>({4, 3, 5, 6}, {1, 2, 1, 1}, {0, 1, 0, 0}, {0, 0, 0, 0});
}

TEST(BatchToSpace, MovesStringsAndNarrowElements) {
  EXPECT_EQ(text_of(batch_to_space(strings({2, 2}), {1, 2}, {0, 1}, {0, 0})), "[1,3] 2 1 3");
  Tensor data(ElementType::kU4, {2, 3});
  for (size_t i = 0; i < 6; ++i)
    store_bits(ElementType::kU4, data.mutable_data<char>(), i, static_cast<uint8_t>(i));
  EXPECT_EQ(text_of(batch_to_space(data, {1, 2}, {0, 1}, {0, 0})), "[1,5] 3 1 4 2 5");
}

TEST(BatchToSpace, TakesBlocksAndCropsOfI32) {
  EXPECT_EQ(text_of(run_op("BatchToSpace", 2, {},
                           {iota<int32_t>({2, 2}), i32s({1, 2}), i32s({0, 0}), i32s({0, 3})})[0]),
            "[1,1] 0");
}

TEST(BatchToSpace, InfersOpenShapes) {
  const ValueInfo data = open(ElementType::kF32, {Dimension(5, 9), Dimension(), 3});
  const ValueInfo block = ValueInfo::of(i64s({1, 2, 2}));
  const ValueInfo zero = ValueInfo::of(i64s({0, 0, 1}));
  EXPECT_EQ(infer_shape("BatchToSpace", 2, {}, {data, block, zero, zero}), "[2,?,4]");
  EXPECT_EQ(infer_shape("BatchToSpace", 2, {}, {data, block, zero, open(ElementType::kI64, {3})}),
            "[2,?,..5]");
  EXPECT_EQ(infer_shape("BatchToSpace", 2, {}, {data, open(ElementType::kI64, {3}), zero, zero}), "[?,?,?]");
  EXPECT_EQ(infer_shape("BatchToSpace", 2, {}, {open(ElementType::kF32, PartialShape()), block, zero, zero}),
            "[...]");
}

TEST(BatchToSpace, RefusesEachThingThatTheSpecificationForbids) {
  const Tensor data = iota({4, 1, 3});
  using List = std::initializer_list<int64_t>;
  const auto refused = [&](ErrorCode code, const char* reason, List block, List begin, List end) {
    expect_error(code, reason, [&] { batch_to_space(data, block, begin, end); });
  };
  refused(ErrorCode::kInvalidValue, "block_shape[1] is 0, expected 1 or more", {1, 0, 2}, {0, 0, 0},
          {0, 0, 0});
  refused(ErrorCode::kInvalidValue, "block_shape[2] is -2, expected 1 or more", {1, 1, -2}, {0, 0, 0},
          {0, 0, 0});
  refused(ErrorCode::kInvalidValue, "block_shape[0] is 2, expected 1", {2, 1, 1}, {0, 0, 0}, {0, 0, 0});
  refused(ErrorCode::kInvalidValue, "crops_begin[0] is 1, expected 0", {1, 2, 2}, {1, 0, 0}, {0, 0, 0});
  refused(ErrorCode::kInvalidValue, "crops_end[0] is 1, expected 0", {1, 2, 2}, {0, 0, 0}, {1, 0, 0});
  refused(ErrorCode::kInvalidValue, "crops_begin[2] is -1, expected 0 or more", {1, 2, 2}, {0, 0, -1},
          {0, 0, 0});
  refused(ErrorCode::kInvalidValue,
          "crops_begin[2] + crops_end[2] is 3 + 4, more than block_shape[2] * data.shape[2] = 6", {1, 2, 2},
          {0, 0, 3}, {0, 0, 4});
  refused(ErrorCode::kInvalidShape, "is not a multiple of 3", {1, 3, 1}, {0, 0, 0}, {0, 0, 0});
  refused(ErrorCode::kInvalidShape, "is not a multiple of", {1, 4294967296, 4294967296}, {0, 0, 0},
          {0, 0, 0});
  refused(ErrorCode::kInvalidShape, "block_shape has 2 elements, expected one for each axis", {1, 2},
          {0, 0, 0}, {0, 0, 0});
  refused(ErrorCode::kInvalidShape, "crops_end has 2 elements", {1, 2, 2}, {0, 0, 0}, {0, 0});
  expect_error(ErrorCode::kInvalidShape, "data has shape [4], expected rank 2 or more",
               [] { batch_to_space(iota({4}), {1}, {0}, {0}); });
  expect_error(ErrorCode::kInvalidType, "crops_begin has element type i32, block_shape has i64", [&] {
    run_op("BatchToSpace", 2, {}, {data, i64s({1, 2, 2}), i32s({0, 0, 0}), i64s({0, 0, 0})});
  });
  expect_error(ErrorCode::kInvalidType, "block_shape has element type f32, expected an integer type",
               [&] { run_op("BatchToSpace", 2, {}, {data, iota({3}), iota({3}), iota({3})}); });
}

}  // namespace
}  // namespace wasmvino::test::batch_to_space_test
