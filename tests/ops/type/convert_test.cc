// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "../op_tester.h"
#include "core/float_types.h"
#include "core/packed_bits.h"

namespace wasmvino::test::convert_test {
namespace {

Tensor convert(const Tensor& x, const char* type) {
  return run_op("Convert", 1, {{"destination_type", type}}, {x})[0];
}

const ElementType kNumeric[] = {
    ElementType::kBoolean, ElementType::kBf16, ElementType::kF16, ElementType::kF32, ElementType::kF64,
    ElementType::kI8,      ElementType::kI16,  ElementType::kI32, ElementType::kI64, ElementType::kU8,
    ElementType::kU16,     ElementType::kU32,  ElementType::kU64,
};
const ElementType kSmall[] = {
    ElementType::kI4,     ElementType::kU1,     ElementType::kU2,     ElementType::kU3,
    ElementType::kU4,     ElementType::kU6,     ElementType::kNf4,    ElementType::kF4e2m1,
    ElementType::kF8e4m3, ElementType::kF8e5m2, ElementType::kF8e8m0,
};

TEST(Convert, KeepsSmallNumbersBetweenAllPairsOfTypes) {
  // 600 elements are more than two blocks.
  std::vector<double> values(600);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i * 7 % 11);
  const Tensor wide = Tensor::of<double>({600}, values.data());
  for (const ElementType from : kNumeric) {
    const Tensor x = convert(wide, name(from).data());
    for (const ElementType to : kNumeric) {
      const Tensor y = convert(x, name(to).data());
      ASSERT_EQ(name(y.type()), name(to));
      const auto got = to_doubles(y.view());
      const bool is_flag = from == ElementType::kBoolean || to == ElementType::kBoolean;
      for (size_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(got[i], is_flag ? values[i] != 0 : values[i])
            << name(from) << " to " << name(to) << " at " << i;
      }
    }
  }
}

TEST(Convert, ReadsAndWritesPackedTypes) {
  for (const ElementType type : kSmall) {
    const size_t patterns = size_t{1} << bit_width(type);
    Tensor packed(type, {301});
    std::vector<float> values;
    for (size_t i = 0; i < 301; ++i) {
      const uint8_t bits = static_cast<uint8_t>(i * 5 % patterns);
      store_bits(type, packed.mutable_data<uint8_t>(), i, bits);
      values.push_back(decode_bits(type, bits));
    }
    expect_near(convert(packed, "f32"), {301}, values, 0);
    const Tensor again = convert(convert(packed, "f64"), name(type).data());
    for (size_t i = 0; i < 301; ++i) {
      const float value = decode_bits(type, load_bits(type, again.data<uint8_t>(), i));
      ASSERT_TRUE(value == values[i] || std::isnan(values[i])) << name(type) << " at " << i;
    }
    if (is_real(type)) continue;
    const Tensor integers = convert(packed, "i8");
    for (size_t i = 0; i < 301; ++i)
      ASSERT_EQ(integers.data<int8_t>()[i], values[i]) << name(type) << " at " << i;
  }
}

TEST(Convert, PackedIntegersKeepTheLowBits) {
  const Tensor x = Tensor::of<float>({8}, {0, 1, -1, 2.5f, -3.5f, 8.2f, 100, 300});
  const Tensor i4 = convert(x, "i4");
  const uint8_t expected[] = {0x10, 0x2f, 0x8d, 0xc4};
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(i4.data<uint8_t>()[i], expected[i]);
  EXPECT_EQ(convert(x, "u1").data<uint8_t>()[0], 0b01101000);
}

TEST(Convert, TruncatesRealsTowardsZero) {
  const Tensor x = Tensor::of<float>({6}, {2.9f, -2.9f, 0.99f, -0.99f, 255.5f, -0.0f});
  expect_tensor<int32_t>(convert(x, "i32"), {6}, {2, -2, 0, 0, 255, 0});
  expect_tensor<int64_t>(convert(x, "i64"), {6}, {2, -2, 0, 0, 255, 0});
  expect_tensor<uint8_t>(convert(x, "u8"), {6}, {2, 254, 0, 0, 255, 0});
  expect_tensor<int16_t>(convert(x, "i16"), {6}, {2, -2, 0, 0, 255, 0});
}

TEST(Convert, OfWhatDoesNotFitIsDefined) {
  const float inf = INFINITY;
  const Tensor x = Tensor::of<float>({7}, {NAN, inf, -inf, 3e9f, -3e9f, 300.7f, -300.7f});
  const int32_t lowest = std::numeric_limits<int32_t>::min();
  expect_tensor<int32_t>(convert(x, "i32"), {7}, {lowest, lowest, lowest, lowest, lowest, 300, -300});
  expect_tensor<int8_t>(convert(x, "i8"), {7}, {0, 0, 0, 0, 0, 44, -44});
  expect_tensor<uint8_t>(convert(x, "u8"), {7}, {0, 0, 0, 0, 0, 44, 212});
  expect_tensor<uint32_t>(convert(x, "u32"), {7}, {0, 0, 0, 3000000000u, 1294967296u, 300, 4294966996u});
  const int64_t least = std::numeric_limits<int64_t>::min();
  expect_tensor<int64_t>(convert(x, "i64"), {7}, {least, least, least, 3000000000, -3000000000, 300, -300});
  expect_tensor<uint64_t>(convert(Tensor::of<double>({3}, {1e19, -1, 5}), "u64"), {3},
                          {10000000000000000000u, ~0ull, 5});
  expect_tensor<int32_t>(
      convert(Tensor::of<double>({4}, {2147483647.5, -2147483648.5, 2147483648.0, NAN}), "i32"), {4},
      {2147483647, lowest, lowest, lowest});
  expect_tensor<int64_t>(convert(Tensor::of<double>({2}, {0x1p63, -0x1p63}), "i64"), {2}, {least, least});
}

TEST(Convert, OfIntegersWrapsAround) {
  const Tensor x = Tensor::of<int64_t>({4}, {300, -1, (1ll << 40) + 5, 70000});
  expect_tensor<int8_t>(convert(x, "i8"), {4}, {44, -1, 5, 112});
  expect_tensor<uint16_t>(convert(x, "u16"), {4}, {300, 65535, 5, 4464});
  expect_tensor<int32_t>(convert(x, "i32"), {4}, {300, -1, 5, 70000});
  expect_tensor<uint64_t>(convert(x, "u64"), {4}, {300, ~0ull, (1ull << 40) + 5, 70000});
  expect_tensor<float>(convert(Tensor::of<uint64_t>({2}, {~0ull, 1}), "f32"), {2}, {0x1p64f, 1});
  expect_tensor<double>(convert(Tensor::of<uint64_t>({1}, {1ull << 63}), "f64"), {1}, {0x1p63});
}

TEST(Convert, ToBooleanIsWhetherItIsNotZero) {
  const std::vector<bool> expected = {false, false, true, true, true, true};
  expect_tensor<bool>(convert(Tensor::of<float>({6}, {0, -0.0f, 0.3f, -0.3f, NAN, INFINITY}), "boolean"), {6},
                      expected);
  expect_tensor<bool>(convert(Tensor::of<double>({6}, {0, -0.0, 0.3, -0.3, NAN, INFINITY}), "boolean"), {6},
                      expected);
  expect_tensor<bool>(convert(Tensor::of<int64_t>({2}, {1ll << 40, 0}), "boolean"), {2}, {true, false});
  uint8_t bytes[] = {0, 2};
  expect_tensor<int32_t>(convert(Tensor(ElementType::kBoolean, {2}, bytes), "i32"), {2}, {0, 1});
}

TEST(Convert, RoundsToTheNearestHalf) {
  const Tensor halves = convert(Tensor::of<float>({4}, {1.0f, 0.1f, 70000, 1e-8f}), "f16");
  EXPECT_EQ(halves.data<uint16_t>()[0], 0x3c00);
  EXPECT_EQ(halves.data<uint16_t>()[1], 0x2e66);
  EXPECT_EQ(halves.data<uint16_t>()[2], 0x7c00);
  EXPECT_EQ(halves.data<uint16_t>()[3], 0);
  EXPECT_EQ(convert(Tensor::scalar<int32_t>(100000), "f16").data<uint16_t>()[0], 0x7c00);
}

TEST(Convert, ToTheSameTypeCopiesStringsToo) {
  expect_tensor<float>(convert(Tensor::of<float>({2}, {1, 2}), "f32"), {2}, {1, 2});
  expect_tensor<std::string>(convert(Tensor::of<std::string>({2}, {"a", "b"}), "string"), {2}, {"a", "b"});
}

TEST(Convert, RefusesStringsAndMissingTypes) {
  expect_error(ErrorCode::kUnsupported, "conversion from type string to f32 is not supported",
               [] { convert(Tensor(ElementType::kString, {2}), "f32"); });
  expect_error(ErrorCode::kInvalidModel, "attribute 'destination_type' is missing",
               [] { run_op("Convert", 1, {}, {Tensor::scalar(1.0f)}); });
}

}  // namespace
}  // namespace wasmvino::test::convert_test
