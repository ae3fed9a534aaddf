// SPDX-License-Identifier: Apache-2.0
// Sets of element types, for what an input of an operation accepts.
#pragma once

#include <initializer_list>
#include <string>

#include "core/element_type.h"

namespace wasmvino {

class TypeSet {
 public:
  constexpr TypeSet() = default;
  constexpr TypeSet(ElementType type)
      : bits_(uint32_t{1} << static_cast<unsigned>(type)) {}  // NOLINT: a set of one
  constexpr TypeSet(std::initializer_list<ElementType> types) {
    for (const ElementType type : types) bits_ |= TypeSet(type).bits_;
  }

  constexpr bool contains(ElementType type) const { return (bits_ & TypeSet(type).bits_) != 0; }
  constexpr bool contains(TypeSet other) const { return (bits_ & other.bits_) == other.bits_; }
  constexpr bool empty() const { return bits_ == 0; }

  friend constexpr TypeSet operator|(TypeSet a, TypeSet b) { return TypeSet(a.bits_ | b.bits_); }
  friend constexpr TypeSet operator-(TypeSet a, TypeSet b) { return TypeSet(a.bits_ & ~b.bits_); }
  friend constexpr bool operator==(TypeSet a, TypeSet b) { return a.bits_ == b.bits_; }

 private:
  constexpr explicit TypeSet(uint32_t bits) : bits_(bits) {}
  static_assert(kElementTypeCount <= 32);
  uint32_t bits_ = 0;
};

// Types that are computed in. Operations accept kFloats in place of one another if a kernel converts them.
inline constexpr TypeSet kFloats = {ElementType::kF16, ElementType::kBf16, ElementType::kF32,
                                    ElementType::kF64};
inline constexpr TypeSet kIntegers = {ElementType::kI8,  ElementType::kI16, ElementType::kI32,
                                      ElementType::kI64, ElementType::kU8,  ElementType::kU16,
                                      ElementType::kU32, ElementType::kU64};
inline constexpr TypeSet kNumbers = kFloats | kIntegers;
inline constexpr TypeSet kBoolean = ElementType::kBoolean;
inline constexpr TypeSet kString = ElementType::kString;
inline constexpr TypeSet kIndices = {ElementType::kI32, ElementType::kI64};
// Types for storing weights. Nothing computes in them.
inline constexpr TypeSet kSmallIntegers = {ElementType::kI4, ElementType::kU1, ElementType::kU2,
                                           ElementType::kU3, ElementType::kU4, ElementType::kU6};
inline constexpr TypeSet kSmallFloats = {ElementType::kNf4, ElementType::kF8e4m3, ElementType::kF8e5m2,
                                         ElementType::kF4e2m1, ElementType::kF8e8m0};
inline constexpr TypeSet kAnyIntegers = kIntegers | kSmallIntegers;
// Types whose elements share bytes, and all others except strings.
inline constexpr TypeSet kSubByte = kSmallIntegers | TypeSet{ElementType::kNf4, ElementType::kF4e2m1};
inline constexpr TypeSet kWholeBytes = (kNumbers | kBoolean | kSmallFloats) - kSubByte;
inline constexpr TypeSet kAllTypes = kNumbers | kBoolean | kString | kSmallIntegers | kSmallFloats;

// "a numeric type or boolean", "i32 or i64".
std::string to_string(TypeSet types);

}  // namespace wasmvino
