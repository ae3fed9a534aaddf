// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "../arrays.h"
#include "core/packed_bits.h"

namespace wasmvino::test::transpose_test {
namespace {

using model::ValueInfo;

Tensor transpose(const Tensor& data, std::initializer_list<int64_t> order) {
  return run_op("Transpose", 1, {}, {data, i64s(order)})[0];
}

// By the definition: output[i_0, i_1 ...] = data at i_k along axis order[k].
template <typename T>
void expect_transposed(const Tensor& data, const Tensor& output, const Ints& order) {
  const Ints strides = row_major_strides(data.shape());
  for (size_t i = 0; i < output.size(); ++i) {
    size_t from = 0;
    size_t rest = i;
    for (size_t axis = order.size(); axis-- > 0;) {
      const size_t size = static_cast<size_t>(output.shape()[axis]);
      from += rest % size * static_cast<size_t>(strides[static_cast<size_t>(order[axis])]);
      rest /= size;
    }
    ASSERT_EQ(output.data<T>()[i], data.data<T>()[from])
        << "element " << i << " of " << to_string(output.shape());
  }
}

template <typename T>
void sweep() {
  // Tails of blocks of 4, 8, 16 and 32, short rows, merged axes, axes of size 1.
  const Shape shapes[] = {{1, 1},    {3, 5},     {33, 70},   {2, 100},     {100, 3},
                          {2, 3, 4}, {5, 17, 9}, {4, 1, 37}, {2, 3, 4, 5}, {3, 8, 2, 16}};
  for (const Shape& shape : shapes) {
    const Tensor data = iota<T>(shape);
    Ints order;
    for (size_t i = 0; i < shape.size(); ++i) order.push_back(static_cast<int64_t>(i));
    do {
      const Tensor axes = Tensor::of<int64_t>({static_cast<int64_t>(order.size())}, order.data());
      expect_transposed<T>(data, run_op("Transpose", 1, {}, {data, axes})[0], order);
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

TEST(Transpose, MovesElementsOf1Byte) { sweep<uint8_t>(); }
TEST(Transpose, MovesElementsOf2Bytes) { sweep<uint16_t>(); }
TEST(Transpose, MovesElementsOf4Bytes) { sweep<float>(); }
TEST(Transpose, MovesElementsOf8Bytes) { sweep<int64_t>(); }

TEST(Transpose, MovesStringsAndNarrowElements) {
  EXPECT_EQ(text_of(transpose(strings({2, 3}), {1, 0})), "[3,2] 0 3 1 4 2 5");
  for (const ElementType type :
       {ElementType::kU1, ElementType::kU2, ElementType::kU3, ElementType::kI4, ElementType::kU6}) {
    Tensor data(type, {2, 3});
    const float values[] = {1, 0, 1, 1, 0, 0};
    const Tensor wide = Tensor::of<float>({2, 3}, values);
    for (size_t i = 0; i < 6; ++i) store_bits(type, data.mutable_data<char>(), i, values[i] != 0);
    EXPECT_EQ(text_of(transpose(data, {1, 0})), "[3,2] 1 1 0 0 1 0") << name(type);
  }
}

TEST(Transpose, ReversesWithAnEmptyOrder) {
  EXPECT_EQ(text_of(transpose(iota<int32_t>({2, 3}), {})), "[3,2] 0 3 1 4 2 5");
}

TEST(Transpose, HandlesEmptyArraysAndScalars) {
  EXPECT_EQ(text_of(transpose(iota({2, 0, 3}), {2, 0, 1})), "[3,2,0]");
  EXPECT_EQ(text_of(transpose(iota({}), {})), "[] 0");
}

TEST(Transpose, InfersOpenShapes) {
  const ValueInfo data = open(ElementType::kF32, {Dimension(), 3, Dimension(1, 2)});
  EXPECT_EQ(infer_shape("Transpose", 1, {}, {data, ValueInfo::of(i64s({2, 0, 1}))}), "[1..2,?,3]");
  EXPECT_EQ(infer_shape("Transpose", 1, {}, {data, open(ElementType::kI64, {3})}), "[?,?,?]");
}

TEST(Transpose, RefusesWhatIsNoPermutation) {
  expect_error(ErrorCode::kInvalidValue, "order [0,0] is not a permutation of 2 axes",
               [] { transpose(iota({2, 3}), {0, 0}); });
  expect_error(ErrorCode::kInvalidValue, "is not a permutation", [] { transpose(iota({2, 3}), {-1, 0}); });
  expect_error(ErrorCode::kInvalidShape, "order has 3 elements", [] { transpose(iota({2, 3}), {0, 1, 2}); });
}

}  // namespace
}  // namespace wasmvino::test::transpose_test
