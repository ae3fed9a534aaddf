// SPDX-License-Identifier: Apache-2.0
#include "core/tensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/copies.h"
#include "core/error.h"
#include "core/float_types.h"
#include "core/memory_use.h"
#include "core/packed_bits.h"

namespace wasmvino {
namespace {

Tensor counted(Shape shape) {
  Tensor tensor(ElementType::kI32, std::move(shape));
  for (size_t i = 0; i < tensor.size(); ++i) tensor.mutable_data<int32_t>()[i] = static_cast<int32_t>(i);
  return tensor;
}

std::vector<int32_t> values(const Tensor& tensor) {
  return {tensor.data<int32_t>(), tensor.data<int32_t>() + tensor.size()};
}

TEST(Tensor, ReshapeShowsTheSameMemory) {
  const Tensor tensor = counted({2, 3, 4});
  const Tensor reshaped = tensor.reshape({6, 4});
  EXPECT_EQ(reshaped.data<int32_t>(), tensor.data<int32_t>());
  EXPECT_EQ(to_string(reshaped.shape()), "[6,4]");
  EXPECT_THROW(tensor.reshape({5, 5}), Error);
}

TEST(Tensor, ReshapedViewKeepsTheMemoryAlive) {
  Tensor view;
  {
    const Tensor tensor = counted({4});
    view = tensor.reshape({2, 2});
  }
  EXPECT_EQ(values(view), (std::vector<int32_t>{0, 1, 2, 3}));
}

TEST(Tensor, ColumnMajorReshapeIsNumpysOrderF) {
  // numpy.arange(6).reshape(2, 3).reshape((3, 2), order='F')
  EXPECT_EQ(values(counted({2, 3}).reshape_column_major({3, 2})), (std::vector<int32_t>{0, 4, 3, 2, 1, 5}));
  // numpy.arange(8).reshape(2, 2, 2).reshape((8,), order='F')
  EXPECT_EQ(values(counted({2, 2, 2}).reshape_column_major({8})),
            (std::vector<int32_t>{0, 4, 2, 6, 1, 5, 3, 7}));
  EXPECT_THROW(counted({2, 3}).reshape_column_major({4}), Error);
}

TEST(Tensor, SliceIsAViewWhereItIsOneBlock) {
  const Tensor tensor = counted({1, 4, 3});
  const Tensor slice = tensor.slice(1, 1, 3);
  EXPECT_EQ(slice.data<int32_t>(), tensor.data<int32_t>() + 3);
  EXPECT_EQ(values(slice), (std::vector<int32_t>{3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(to_string(tensor.slice(2, 0, 3).shape()), "[1,4,3]");
  EXPECT_THROW(tensor.slice(2, 0, 2), Error);
  EXPECT_THROW(tensor.slice(1, 3, 5), Error);
}

TEST(Tensor, HoldsAnyRank) {
  Shape shape(12, 1);
  shape[11] = 5;
  EXPECT_EQ(counted(shape).size(), 5u);
  EXPECT_EQ(values(counted({})).size(), 1u);
}

TEST(Tensor, ClonesStrings) {
  const Tensor words = Tensor::of<std::string>({2}, {"ab", "a long enough text to live on the heap"});
  const Tensor copy = words.clone();
  EXPECT_EQ(copy.data<std::string>()[1], words.data<std::string>()[1]);
  EXPECT_NE(copy.data<std::string>(), words.data<std::string>());
}

TEST(Tensor, NamesTheBytesThatDoNotFit) {
  try {
    Tensor tensor(ElementType::kF64, {int64_t{1} << 45});
    FAIL() << "2^48 bytes were allocated";
  } catch (const Error& error) {
    EXPECT_TRUE(error.code() == ErrorCode::kOutOfMemory || error.code() == ErrorCode::kInvalidShape);
  }
}

// In 32 bits there is no room for the second one, or for neither; what comes is never smaller than it says.
TEST(Tensor, OfAlmostTwoGigabytesIsWholeOrRefused) {
  constexpr int64_t kBytes = 0x7fffff00;
  std::vector<Tensor> tensors;
  try {
    for (int i = 0; i < 2; ++i) {
      tensors.emplace_back(ElementType::kU8, Shape{kBytes});
      tensors.back().mutable_data<char>()[0] = 1;
      tensors.back().mutable_data<char>()[kBytes - 1] = 1;
    }
  } catch (const Error& error) {
    EXPECT_EQ(name(error.code()), "OUT_OF_MEMORY") << error.what();
  }
}

TEST(Tensor, ReadsIntegersOfAnyType) {
  EXPECT_EQ(to_ints(Tensor::of<int64_t>({2}, {int64_t{1} << 62, -1}).view()), (Ints{int64_t{1} << 62, -1}));
  EXPECT_EQ(to_ints(Tensor::of<float>({2}, {2.9f, -2.9f}).view()), (Ints{2, -2}));
  uint8_t packed[] = {0xf1};
  EXPECT_EQ(to_ints(Tensor(ElementType::kI4, {2}, packed).view()), (Ints{1, -1}));
}

TEST(ElementType, HasNamesAndSizes) {
  EXPECT_EQ(parse_element_type("f32"), ElementType::kF32);
  EXPECT_EQ(require_element_type("f32"), ElementType::kF32);
  EXPECT_THROW(require_element_type("F32"), Error);
  EXPECT_EQ(parse_element_type("F32"), std::nullopt);
  EXPECT_EQ(parse_precision("FP16"), ElementType::kF16);
  EXPECT_EQ(parse_precision("BIN"), ElementType::kU1);
  EXPECT_EQ(parse_precision("bool"), ElementType::kBoolean);
  EXPECT_EQ(storage_bytes(ElementType::kU1, 9), 2u);
  EXPECT_EQ(storage_bytes(ElementType::kU3, 9), 6u);
  EXPECT_EQ(storage_bytes(ElementType::kU6, 5), 6u);
  EXPECT_EQ(storage_bytes(ElementType::kI4, 3), 2u);
  // Half the address space is the end of it, wherever the count alone would fit.
  constexpr size_t kHalf = static_cast<size_t>(PTRDIFF_MAX);
  EXPECT_EQ(storage_bytes(ElementType::kU8, kHalf / 2), kHalf / 2);
  EXPECT_THROW(storage_bytes(ElementType::kF32, kHalf / 2), Error);
  EXPECT_THROW(storage_bytes(ElementType::kI64, kHalf / 7), Error);
}

TEST(FloatTypes, F16KeepsEveryValue) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = f16_to_f32(static_cast<uint16_t>(bits));
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(f16_to_f32(f32_to_f16(value))));
    } else {
      EXPECT_EQ(f32_to_f16(value), bits);
    }
  }
  EXPECT_EQ(f16_to_f32(0x0001), 0x1p-24f);
  EXPECT_EQ(f32_to_f16(65519.99f), 0x7bff);
  EXPECT_EQ(f32_to_f16(65520.0f), 0x7c00);
  EXPECT_EQ(f32_to_f16(1.0f + 0x1p-11f), 0x3c00);  // a tie goes to even
}

TEST(FloatTypes, Bf16RoundsToEven) {
  EXPECT_EQ(f32_to_bf16(1.0f), 0x3f80);
  EXPECT_EQ(f32_to_bf16(1.0f + 0x1p-8f), 0x3f80);
  EXPECT_EQ(f32_to_bf16(1.0f + 0x1.8p-7f), 0x3f82);
  EXPECT_TRUE(std::isnan(bf16_to_f32(f32_to_bf16(std::nanf("")))));
}

TEST(PackedBits, FollowTheOrderOfTheIr) {
  const uint8_t low_nibble_first[] = {0x21};
  EXPECT_EQ(load_bits(ElementType::kU4, low_nibble_first, 0), 1);
  EXPECT_EQ(load_bits(ElementType::kU4, low_nibble_first, 1), 2);
  const uint8_t low_pair_first[] = {0xe4};
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(load_bits(ElementType::kU2, low_pair_first, i), i);
  const uint8_t high_bit_first[] = {0x80};
  EXPECT_EQ(load_bits(ElementType::kU1, high_bit_first, 0), 1);
  EXPECT_EQ(load_bits(ElementType::kU1, high_bit_first, 1), 0);
  // u3: 7 is pair 3 in byte 0 (top) and high bit 7 of byte 2.
  const uint8_t seven[] = {0xc0, 0, 0x80};
  EXPECT_EQ(load_bits(ElementType::kU3, seven, 0), 7);
  // u6: 0x2a is nibble 0xa in byte 0 (high) and pair 2 in the top of byte 2.
  const uint8_t forty_two[] = {0xa0, 0, 0x80};
  EXPECT_EQ(load_bits(ElementType::kU6, forty_two, 0), 0x2a);
}

TEST(PackedBits, StoreWhatTheyLoad) {
  for (const ElementType type :
       {ElementType::kU1, ElementType::kU2, ElementType::kU3, ElementType::kU4, ElementType::kI4,
        ElementType::kU6, ElementType::kNf4, ElementType::kF4e2m1}) {
    std::vector<uint8_t> packed(storage_bytes(type, 24), 0xff);
    const uint8_t mask = static_cast<uint8_t>((1 << bit_width(type)) - 1);
    for (size_t i = 0; i < 24; ++i) store_bits(type, packed.data(), i, static_cast<uint8_t>(i * 5 & mask));
    for (size_t i = 0; i < 24; ++i)
      EXPECT_EQ(load_bits(type, packed.data(), i), (i * 5 & mask)) << name(type) << i;
  }
}

TEST(PackedBits, ClearWhatBelongsToNoElement) {
  for (const ElementType type :
       {ElementType::kU1, ElementType::kU2, ElementType::kU3, ElementType::kU4, ElementType::kI4,
        ElementType::kU6, ElementType::kNf4, ElementType::kF4e2m1}) {
    const uint8_t ones = static_cast<uint8_t>((1 << bit_width(type)) - 1);
    for (size_t count = 0; count <= 9; ++count) {
      std::vector<uint8_t> packed(storage_bytes(type, count), 0xff), expected(packed.size(), 0);
      for (size_t i = 0; i < count; ++i) store_bits(type, expected.data(), i, ones);
      clear_padding(type, packed.data(), count);
      EXPECT_EQ(packed, expected) << name(type) << " " << count;
    }
  }
}

TEST(PackedBits, EncodeToTheNearestValue) {
  for (const ElementType type : {ElementType::kF8e4m3, ElementType::kF8e5m2, ElementType::kF4e2m1,
                                 ElementType::kNf4, ElementType::kF8e8m0}) {
    const int count = 1 << bit_width(type);
    for (int bits = 0; bits < count; ++bits) {
      const float value = decode_bits(type, static_cast<uint8_t>(bits));
      if (std::isnan(value)) continue;
      EXPECT_EQ(decode_bits(type, encode_bits(type, value)), value) << name(type) << " " << bits;
    }
  }
  EXPECT_EQ(decode_bits(ElementType::kF8e4m3, encode_bits(ElementType::kF8e4m3, 1e9f)), 448.0f);
  EXPECT_TRUE(std::isinf(decode_bits(ElementType::kF8e5m2, encode_bits(ElementType::kF8e5m2, 1e9f))));
  EXPECT_EQ(decode_bits(ElementType::kI4, encode_bits(ElementType::kI4, -9.0f)), -8.0f);
  // Has no sign: what is below its smallest number becomes that.
  for (const float value : {-2.0f, -std::numeric_limits<float>::infinity(), 0.0f})
    EXPECT_EQ(encode_bits(ElementType::kF8e8m0, value), 0);
}

ErrorCode code_of_copy(const Tensor& from, const Tensor& to) {
  TensorView target = to.view();
  try {
    copy_elements(from.view(), target);
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode::kInternal;
}

TEST(Tensor, CopiesOnlyBetweenTensorsOfOneTypeAndSize) {
  const Tensor three = Tensor::of<float>({3}, {1, 2, 3}), same(ElementType::kF32, {1, 3});
  TensorView target = same.view();
  copy_elements(three.view(), target);
  EXPECT_EQ(same.data<float>()[2], 3);
  EXPECT_EQ(code_of_copy(three, Tensor(ElementType::kF32, {4})), ErrorCode::kInvalidShape);
  EXPECT_EQ(code_of_copy(Tensor(ElementType::kF64, {3}), three), ErrorCode::kInvalidType);
  EXPECT_EQ(code_of_copy(three, Tensor(ElementType::kI32, {3})), ErrorCode::kInvalidType);
  EXPECT_EQ(code_of_copy(three, Tensor(ElementType::kString, {3})), ErrorCode::kInvalidType);
  EXPECT_EQ(code_of_copy(Tensor(ElementType::kString, {3}), three), ErrorCode::kInvalidType);
}

TEST(Tensor, CopiesBlocksOnlyInsideBothTensors) {
  const Tensor from = Tensor::of<int32_t>({6}, {1, 2, 3, 4, 5, 6});
  Tensor to = Tensor::of<int32_t>({4}, {0, 0, 0, 0});
  TensorView target = to.view();
  copy_blocks(from.view(), {1, 3}, target, {0, 2}, 2, 2);
  EXPECT_EQ(std::vector<int32_t>(to.data<int32_t>(), to.data<int32_t>() + 4),
            (std::vector<int32_t>{2, 3, 5, 6}));
  EXPECT_THROW(copy_blocks(from.view(), {2, 3}, target, {0, 2}, 2, 2), Error);
  EXPECT_THROW(copy_blocks(from.view(), {1, 3}, target, {1, 2}, 2, 2), Error);
  EXPECT_THROW(copy_blocks(from.view(), {~size_t{0}, 3}, target, {0, 2}, 2, 2), Error);
  TensorView other = Tensor(ElementType::kF32, {4}).view();
  EXPECT_THROW(copy_blocks(from.view(), {0, 0}, other, {0, 0}, 0, 0), Error);
}

TEST(Tensor, CountsAsMemoryOfItsOwner) {
  const MemoryLimit limit{std::make_shared<MemoryUse>(), 1000};
  const MemoryScope scope(&limit);
  Tensor first(ElementType::kU8, {640});
  EXPECT_EQ(limit.use->bytes(), 640u);
  EXPECT_THROW(Tensor(ElementType::kU8, {384}), Error);
  EXPECT_EQ(limit.use->bytes(), 640u);
  const Tensor strings(ElementType::kString, {2});
  EXPECT_EQ(limit.use->bytes(), 640u + 2 * sizeof(std::string));
  first = Tensor();
  const Tensor second(ElementType::kU8, {384});
  EXPECT_EQ(limit.use->bytes(), 384u + 2 * sizeof(std::string));
}

TEST(Error, TellsLayerExpectedAndActual) {
  Error error(ErrorCode::kInvalidValue, "parent_ids[3,0,2] is 12, outside beams 0..9");
  error.expected("0..9").actual("12").at_layer("decode/tree", "GatherTree", 37, 1, 812);
  EXPECT_STREQ(error.what(),
               "GatherTree 'decode/tree' (layer 37, GatherTree-1, line 812): parent_ids[3,0,2] is 12, "
               "outside beams 0..9");
  error.at_layer("outer", "Loop", 1, 5, 1);  // the innermost layer stays
  EXPECT_EQ(error.layer(), "decode/tree");
  EXPECT_EQ(error.layer_type(), "GatherTree-1");
  error.within("Loop 'steps', iteration 3");
  EXPECT_NE(std::string(error.what()).find("in Loop 'steps', iteration 3"), std::string::npos);
}

}  // namespace
}  // namespace wasmvino
