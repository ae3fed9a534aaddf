// SPDX-License-Identifier: Apache-2.0
#include "model/type_contract.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/error.h"

namespace wasmvino::model {
namespace {

constexpr ElementType kF32 = ElementType::kF32, kF16 = ElementType::kF16, kI32 = ElementType::kI32;

const TypeContract kScatter = {{"data", kNumbers}, {"indices", kIndices}, {"updates", kNumbers, 0}};
const TypeContract kConcat = {{"input", kAllTypes, 0, true}};

void expect_refused(const TypeContract& contract, const std::vector<ElementType>& types,
                    const std::string& reason, const std::string& port) {
  try {
    contract.check(types);
    ADD_FAILURE() << "no error; expected '" << reason << "'";
  } catch (const Error& error) {
    EXPECT_EQ(name(error.code()), name(ErrorCode::kInvalidType));
    EXPECT_EQ(error.reason(), reason);
    EXPECT_EQ(error.port(), port);
  }
}

TEST(TypeContract, Takes) {
  kScatter.check(std::vector<ElementType>{kF32, kI32, kF32});
  kScatter.check(std::vector<ElementType>{kF32});  // the number of inputs is no matter of types
  kConcat.check(std::vector<ElementType>{ElementType::kString, ElementType::kString, ElementType::kString});
}

TEST(TypeContract, TakesWhatIsNotKnownYet) {
  kScatter.check(std::vector<ElementType>{ElementType::kDynamic, kI32, kF32});
  kScatter.check(std::vector<ElementType>{kF32, ElementType::kDynamic, ElementType::kDynamic});
}

TEST(TypeContract, Refuses) {
  expect_refused(kScatter, {ElementType::kF8e4m3, kI32, ElementType::kF8e4m3},
                 "data has element type f8e4m3, expected a numeric type", "input 0");
  expect_refused(kScatter, {kF32, ElementType::kI8, kF32}, "indices has element type i8, expected i32 or i64",
                 "input 1");
  expect_refused(kScatter, {kF32, kI32, kF16}, "updates has element type f16, data has f32", "input 2");
  expect_refused(kConcat, {kF32, kF32, kI32}, "input 2 has element type i32, input 0 has f32", "input 2");
}

TEST(TypeSet, IsDescribed) {
  EXPECT_EQ(to_string(kNumbers), "a numeric type");
  EXPECT_EQ(to_string(kNumbers | kBoolean), "a numeric type or boolean");
  EXPECT_EQ(to_string(kFloats | TypeSet(ElementType::kU8)), "a floating point type or u8");
  EXPECT_EQ(to_string(kFloats - TypeSet(ElementType::kF64)), "bf16, f16 or f32");
  EXPECT_EQ(to_string(kAllTypes), "any type");
  EXPECT_EQ(to_string(kAllTypes - kString), "any type but string");
}

}  // namespace
}  // namespace wasmvino::model
