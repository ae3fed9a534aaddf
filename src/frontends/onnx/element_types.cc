// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/element_types.h"

#include <iterator>
#include <string_view>

#include "core/error.h"

namespace wasmvino::onnx {
namespace {

struct NamedType {
  std::string_view name;
  ElementType type = ElementType::kDynamic;  // kDynamic: there is none
};

// By number.
constexpr NamedType kTypes[] = {
    {"undefined"},
    {"float", ElementType::kF32},
    {"uint8", ElementType::kU8},
    {"int8", ElementType::kI8},
    {"uint16", ElementType::kU16},
    {"int16", ElementType::kI16},
    {"int32", ElementType::kI32},
    {"int64", ElementType::kI64},
    {"string", ElementType::kString},
    {"bool", ElementType::kBoolean},
    {"float16", ElementType::kF16},
    {"double", ElementType::kF64},
    {"uint32", ElementType::kU32},
    {"uint64", ElementType::kU64},
    {"complex64"},
    {"complex128"},
    {"bfloat16", ElementType::kBf16},
    {"float8e4m3fn", ElementType::kF8e4m3},
    {"float8e4m3fnuz"},
    {"float8e5m2", ElementType::kF8e5m2},
    {"float8e5m2fnuz"},
    {"uint4", ElementType::kU4},
    {"int4", ElementType::kI4},
    {"float4e2m1", ElementType::kF4e2m1},
    {"float8e8m0", ElementType::kF8e8m0},
    {"uint2", ElementType::kU2},
    {"int2"},
};

}  // namespace

ElementType element_type(int64_t number) {
  if (number < 0 || number >= static_cast<int64_t>(std::size(kTypes)))
    fail(ErrorCode::kInvalidModel, "has the element type ", number, ", which ONNX does not define");
  const NamedType& found = kTypes[number];
  if (found.type == ElementType::kDynamic)
    fail(ErrorCode::kUnsupported, "has the unsupported element type ", found.name);
  return found.type;
}

}  // namespace wasmvino::onnx
