// SPDX-License-Identifier: Apache-2.0
#include "../arrays.h"

namespace wasmvino::test::convert_promote_types_test {
namespace {

using model::AttributeTexts;

constexpr ElementType kTypes[] = {
    ElementType::kBoolean, ElementType::kU1,  ElementType::kU4,     ElementType::kU8,     ElementType::kU16,
    ElementType::kU32,     ElementType::kU64, ElementType::kI4,     ElementType::kI8,     ElementType::kI16,
    ElementType::kI32,     ElementType::kI64, ElementType::kF8e4m3, ElementType::kF8e5m2, ElementType::kBf16,
    ElementType::kF16,     ElementType::kF32, ElementType::kF64,
};

// The types that `a` and each of kTypes are promoted to, "-" where they are refused.
std::string promoted(ElementType a, const AttributeTexts& attributes, const PartialShape& a_shape = {2},
                     const PartialShape& b_shape = {2}) {
  std::string text;
  for (const ElementType b : kTypes) {
    std::string_view type = "-";
    try {
      type = name(
          infer_op("ConvertPromoteTypes", 14, attributes, {open(a, a_shape), open(b, b_shape)}, 2)[0].type);
    } catch (const Error& error) {
      EXPECT_EQ(name(error.code()), name(ErrorCode::kInvalidType)) << error.what();
    }
    text += cat(text.empty() ? "" : " ", type);
  }
  return text;
}

void expect_table(const char* const (&rows)[18], const AttributeTexts& attributes,
                  const PartialShape& a_shape = {2}, const PartialShape& b_shape = {2}) {
  for (size_t i = 0; i < 18; ++i) {
    EXPECT_EQ(promoted(kTypes[i], attributes, a_shape, b_shape), rows[i]) << name(kTypes[i]);
  }
}

// The tables are those of OpenVINO 2026.4.
constexpr const char* kUnsafe[] = {
    "boolean u1 u4 u8 u16 u32 u64 i4 i8 i16 i32 i64 f8e4m3 f8e5m2 bf16 f16 f32 f64",
    "u1 u1 u4 u8 u16 u32 u64 i4 i8 i16 i32 i64 f8e4m3 f8e5m2 bf16 f16 f32 f64",
    "u4 u4 u4 u8 u16 u32 u64 i8 i8 i16 i32 i64 f8e4m3 f8e5m2 bf16 f16 f32 f64",
    "u8 u8 u8 u8 u16 u32 u64 i16 i16 i16 i32 i64 f8e4m3 f8e5m2 bf16 f16 f32 f64",
    "u16 u16 u16 u16 u16 u32 u64 i32 i32 i32 i32 i64 f8e4m3 f8e5m2 bf16 f16 f32 f64",
    "u32 u32 u32 u32 u32 u32 u64 i64 i64 i64 i64 i64 f8e4m3 f8e5m2 bf16 f16 f32 f64",
    "u64 u64 u64 u64 u64 u64 u64 f32 f32 f32 f32 f32 f8e4m3 f8e5m2 bf16 f16 f32 f64",
    "i4 i4 i8 i16 i32 i64 f32 i4 i8 i16 i32 i64 f8e4m3 f8e5m2 bf16 f16 f32 f64",
    "i8 i8 i8 i16 i32 i64 f32 i8 i8 i16 i32 i64 f8e4m3 f8e5m2 bf16 f16 f32 f64",
    "i16 i16 i16 i16 i32 i64 f32 i16 i16 i16 i32 i64 f8e4m3 f8e5m2 bf16 f16 f32 f64",
    "i32 i32 i32 i32 i32 i64 f32 i32 i32 i32 i32 i64 f8e4m3 f8e5m2 bf16 f16 f32 f64",
    "i64 i64 i64 i64 i64 i64 f32 i64 i64 i64 i64 i64 f8e4m3 f8e5m2 bf16 f16 f32 f64",
    "f8e4m3 f8e4m3 f8e4m3 f8e4m3 f8e4m3 f8e4m3 f8e4m3 f8e4m3 f8e4m3 f8e4m3 f8e4m3 f8e4m3 f8e4m3 f16 bf16 f16 "
    "f32 f64",
    "f8e5m2 f8e5m2 f8e5m2 f8e5m2 f8e5m2 f8e5m2 f8e5m2 f8e5m2 f8e5m2 f8e5m2 f8e5m2 f8e5m2 f16 f8e5m2 bf16 f16 "
    "f32 f64",
    "bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 f32 f32 f64",
    "f16 f16 f16 f16 f16 f16 f16 f16 f16 f16 f16 f16 f16 f16 f32 f16 f32 f64",
    "f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f64",
    "f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64",
};
constexpr const char* kSafe[] = {
    "boolean u1 u4 u8 u16 u32 u64 i4 i8 i16 i32 i64 f8e4m3 f8e5m2 bf16 f16 f32 f64",
    "u1 u1 u4 u8 u16 u32 u64 i4 i8 i16 i32 i64 f8e4m3 f8e5m2 bf16 f16 f32 f64",
    "u4 u4 u4 u8 u16 u32 u64 - i8 i16 i32 i64 f8e4m3 f8e5m2 bf16 f16 f32 f64",
    "u8 u8 u8 u8 u16 u32 u64 - - i16 i32 i64 - - bf16 f16 f32 f64",
    "u16 u16 u16 u16 u16 u32 u64 - - - i32 i64 - - - - f32 f64",
    "u32 u32 u32 u32 u32 u32 u64 - - - - i64 - - - - - f64",
    "u64 u64 u64 u64 u64 u64 u64 - - - - - - - - - - -",
    "i4 i4 - - - - - i4 i8 i16 i32 i64 f8e4m3 f8e5m2 bf16 f16 f32 f64",
    "i8 i8 i8 - - - - i8 i8 i16 i32 i64 - - bf16 f16 f32 f64",
    "i16 i16 i16 i16 - - - i16 i16 i16 i32 i64 - - - - f32 f64",
    "i32 i32 i32 i32 i32 - - i32 i32 i32 i32 i64 - - - - - f64",
    "i64 i64 i64 i64 i64 i64 - i64 i64 i64 i64 i64 - - - - - -",
    "f8e4m3 f8e4m3 f8e4m3 - - - - f8e4m3 - - - - f8e4m3 - bf16 f16 f32 f64",
    "f8e5m2 f8e5m2 f8e5m2 - - - - f8e5m2 - - - - - f8e5m2 bf16 f16 f32 f64",
    "bf16 bf16 bf16 bf16 - - - bf16 bf16 - - - bf16 bf16 bf16 - f32 f64",
    "f16 f16 f16 f16 - - - f16 f16 - - - f16 f16 - f16 f32 f64",
    "f32 f32 f32 f32 f32 - - f32 f32 f32 - - f32 f32 f32 f32 f32 f64",
    "f64 f64 f64 f64 f64 f64 - f64 f64 f64 f64 - f64 f64 f64 f64 f64 f64",
};
constexpr const char* kScalarUnsafe[] = {
    "boolean u1 u4 u8 u16 u32 u64 i4 i8 i16 i32 i64 f8e4m3 f8e5m2 bf16 f16 f32 f64",
    "u1 u1 u4 u8 u16 u32 u64 i4 i8 i16 i32 i64 f8e4m3 f8e5m2 bf16 f16 f32 f64",
    "u4 u1 u4 u8 u16 u32 u64 i4 i8 i16 i32 i64 f8e4m3 f8e5m2 bf16 f16 f32 f64",
    "u8 u1 u4 u8 u16 u32 u64 i4 i8 i16 i32 i64 f8e4m3 f8e5m2 bf16 f16 f32 f64",
    "u16 u1 u4 u8 u16 u32 u64 i4 i8 i16 i32 i64 f8e4m3 f8e5m2 bf16 f16 f32 f64",
    "u32 u1 u4 u8 u16 u32 u64 i4 i8 i16 i32 i64 f8e4m3 f8e5m2 bf16 f16 f32 f64",
    "u64 u1 u4 u8 u16 u32 u64 i4 i8 i16 i32 i64 f8e4m3 f8e5m2 bf16 f16 f32 f64",
    "i4 u1 u4 u8 u16 u32 u64 i4 i8 i16 i32 i64 f8e4m3 f8e5m2 bf16 f16 f32 f64",
    "i8 u1 u4 u8 u16 u32 u64 i4 i8 i16 i32 i64 f8e4m3 f8e5m2 bf16 f16 f32 f64",
    "i16 u1 u4 u8 u16 u32 u64 i4 i8 i16 i32 i64 f8e4m3 f8e5m2 bf16 f16 f32 f64",
    "i32 u1 u4 u8 u16 u32 u64 i4 i8 i16 i32 i64 f8e4m3 f8e5m2 bf16 f16 f32 f64",
    "i64 u1 u4 u8 u16 u32 u64 i4 i8 i16 i32 i64 f8e4m3 f8e5m2 bf16 f16 f32 f64",
    "f8e4m3 f8e4m3 f8e4m3 f8e4m3 f8e4m3 f8e4m3 f8e4m3 f8e4m3 f8e4m3 f8e4m3 f8e4m3 f8e4m3 f8e4m3 f8e5m2 bf16 "
    "f16 f32 f64",
    "f8e5m2 f8e5m2 f8e5m2 f8e5m2 f8e5m2 f8e5m2 f8e5m2 f8e5m2 f8e5m2 f8e5m2 f8e5m2 f8e5m2 f8e4m3 f8e5m2 bf16 "
    "f16 f32 f64",
    "bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 f8e4m3 f8e5m2 bf16 f16 f32 f64",
    "f16 f16 f16 f16 f16 f16 f16 f16 f16 f16 f16 f16 f8e4m3 f8e5m2 bf16 f16 f32 f64",
    "f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f8e4m3 f8e5m2 bf16 f16 f32 f64",
    "f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f8e4m3 f8e5m2 bf16 f16 f32 f64",
};
constexpr const char* kScalarSafe[] = {
    "boolean u1 u4 u8 u16 u32 u64 i4 i8 i16 i32 i64 f8e4m3 f8e5m2 bf16 f16 f32 f64",
    "u1 u1 u4 u8 u16 u32 u64 i4 i8 i16 i32 i64 f8e4m3 f8e5m2 bf16 f16 f32 f64",
    "u4 - u4 u8 u16 u32 u64 i4 i8 i16 i32 i64 f8e4m3 f8e5m2 bf16 f16 f32 f64",
    "u8 - - u8 u16 u32 u64 i4 i8 i16 i32 i64 - - bf16 f16 f32 f64",
    "u16 - - - u16 u32 u64 - i8 i16 i32 i64 - - - - f32 f64",
    "u32 - - - - u32 u64 - - i16 i32 i64 - - - - - f64",
    "u64 - - - - - u64 - - - i32 i64 - - - - - -",
    "i4 - - - - - - i4 i8 i16 i32 i64 f8e4m3 f8e5m2 bf16 f16 f32 f64",
    "i8 - - - - - - - i8 i16 i32 i64 - - bf16 f16 f32 f64",
    "i16 - - - - - - - - i16 i32 i64 - - - - f32 f64",
    "i32 - - - - - - - - - i32 i64 - - - - - f64",
    "i64 - - - - - - - - - - i64 - - - - - -",
    "f8e4m3 f8e4m3 f8e4m3 - - - - f8e4m3 - - - - f8e4m3 f8e5m2 bf16 f16 f32 f64",
    "f8e5m2 f8e5m2 f8e5m2 - - - - f8e5m2 - - - - f8e4m3 f8e5m2 bf16 f16 f32 f64",
    "bf16 bf16 bf16 bf16 - - - bf16 bf16 - - - - - bf16 f16 f32 f64",
    "f16 f16 f16 f16 - - - f16 f16 - - - - - bf16 f16 f32 f64",
    "f32 f32 f32 f32 f32 - - f32 f32 f32 - - - - - - f32 f64",
    "f64 f64 f64 f64 f64 f64 - f64 f64 f64 f64 - - - - - - f64",
};

TEST(ConvertPromoteTypes, FindsTheCommonType) {
  expect_table(kUnsafe, {{"promote_unsafe", "true"}});
  expect_table(kSafe, {});
}

TEST(ConvertPromoteTypes, TakesTheTypeOfTheArrayBesideAScalar) {
  const AttributeTexts unsafe = {{"promote_unsafe", "true"}, {"pytorch_scalar_promotion", "true"}};
  const AttributeTexts safe = {{"pytorch_scalar_promotion", "true"}};
  const PartialShape scalar = PartialShape::of_rank(0);
  expect_table(kScalarUnsafe, unsafe, scalar, {2});
  expect_table(kScalarSafe, safe, scalar, {2});
  expect_table(kUnsafe, unsafe, scalar, scalar);
  expect_table(kUnsafe, unsafe, {1}, {2});
  EXPECT_EQ(name(infer_op("ConvertPromoteTypes", 14, unsafe,
                          {open(ElementType::kU8, {2}), open(ElementType::kI8, PartialShape())}, 2)[0]
                     .type),
            "dynamic");
  EXPECT_EQ(promoted(ElementType::kU8, unsafe, {2}, scalar).substr(0, 20), "u8 u8 u8 u8 u8 u8 u8");
}

TEST(ConvertPromoteTypes, TakesTheTargetOfU64FromItsAttribute) {
  const auto results = infer_op("ConvertPromoteTypes", 14,
                                {{"promote_unsafe", "true"}, {"u64_integer_promotion_target", "i64"}},
                                {open(ElementType::kU64, {2, 3}), open(ElementType::kI8, {Dimension()})}, 2);
  EXPECT_EQ(name(results[0].type), "i64");
  EXPECT_EQ(name(results[1].type), "i64");
  EXPECT_EQ(to_string(results[0].shape), "[2,3]");
  EXPECT_EQ(to_string(results[1].shape), "[?]");
}

TEST(ConvertPromoteTypes, ConvertsBoth) {
  const auto results = run_op("ConvertPromoteTypes", 14, {{"promote_unsafe", "true"}},
                              {Tensor::of<int8_t>({2}, {-1, 2}), Tensor::of<uint8_t>({3}, {1, 2, 255})}, 2);
  expect_tensor<int16_t>(results[0], {2}, {-1, 2});
  expect_tensor<int16_t>(results[1], {3}, {1, 2, 255});
  const auto one =
      run_op("ConvertPromoteTypes", 14, {}, {Tensor::of<float>({2}, {1.5f, 2}), Tensor::scalar(true)}, 2);
  expect_tensor<float>(one[0], {2}, {1.5f, 2});
  expect_tensor<float>(one[1], {}, {1});
}

TEST(ConvertPromoteTypes, RefusesWhatHasNoCommonType) {
  expect_error(ErrorCode::kInvalidType, "types f16 and i32 have no safe common type", [] {
    run_op("ConvertPromoteTypes", 14, {}, {Tensor(ElementType::kF16, {1}), Tensor::scalar<int32_t>(1)}, 2);
  });
  expect_error(ErrorCode::kInvalidType, "has element type string",
               [] { run_op("ConvertPromoteTypes", 14, {}, {strings({1}), Tensor::scalar<int32_t>(1)}, 2); });
}

}  // namespace
}  // namespace wasmvino::test::convert_promote_types_test
