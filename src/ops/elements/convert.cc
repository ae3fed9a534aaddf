// SPDX-License-Identifier: Apache-2.0
#include "ops/elements/convert.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/dispatch.h"
#include "core/packed_bits.h"
#include "kernels/binary.h"
#include "kernels/convert.h"

namespace wasmvino::ops {
namespace {

using Loop = void (*)(ElementType, const void*, void*, size_t);

// Out of range, an integer conversion traps or saturates in wasm and is undefined in C++. Therefore the range
// is checked first.
template <typename Integer, typename Real>
Integer truncate(Real value) {
  constexpr Real limit = static_cast<Real>(std::numeric_limits<Integer>::max() / 2 + 1) * 2;
  // -limit - 1 is exact in f64 only. For f32, the next smaller value is already below it.
  constexpr Real lowest = sizeof(Real) > sizeof(Integer) ? -limit - 1 : -limit;
  const bool fits = value < limit && (sizeof(Real) > sizeof(Integer) ? value > lowest : value >= lowest);
  return fits ? static_cast<Integer>(value) : std::numeric_limits<Integer>::min();
}

template <typename To, typename From>
To convert_one(From value) {
  if constexpr (std::is_same_v<From, Float16> || std::is_same_v<From, BFloat16>) {
    return convert_one<To>(static_cast<float>(value));
  } else if constexpr (std::is_same_v<To, Float16> || std::is_same_v<To, BFloat16>) {
    return To(static_cast<float>(value));
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From(0);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    if constexpr (std::is_same_v<To, uint64_t>) {
      if (value >= static_cast<From>(0x1p63) && value < static_cast<From>(0x1p64))
        return static_cast<To>(value);
    }
    if constexpr (sizeof(To) == 8 || std::is_same_v<To, uint32_t>) {
      return static_cast<To>(truncate<int64_t>(value));
    } else {
      return static_cast<To>(truncate<int32_t>(value));
    }
  } else {
    return static_cast<To>(value);
  }
}

template <typename From, typename To>
void convert(ElementType, const void* from, void* to, size_t count) {
  const From* in = static_cast<const From*>(from);
  To* out = static_cast<To*>(to);
  for (size_t i = 0; i < count; ++i) out[i] = convert_one<To>(in[i]);
}

// A boolean is 1 for any byte except 0.
template <typename To>
void convert_boolean(ElementType, const void* from, void* to, size_t count) {
  const uint8_t* in = static_cast<const uint8_t*>(from);
  To* out = static_cast<To*>(to);
  for (size_t i = 0; i < count; ++i) out[i] = static_cast<To>(in[i] != 0);
}

// Sub-byte types and f8: uses a table of the values of all bit patterns.
template <typename To>
void load_small(ElementType type, const void* from, void* to, size_t count) {
  float values[256];
  const size_t patterns = size_t{1} << bit_width(type);
  for (size_t bits = 0; bits < patterns; ++bits) values[bits] = decode_bits(type, static_cast<uint8_t>(bits));
  To* out = static_cast<To*>(to);
  if (bit_width(type) == 4) {
    const uint8_t* in = static_cast<const uint8_t*>(from);
    for (size_t i = 0; i < count; ++i) out[i] = static_cast<To>(values[in[i / 2] >> (i % 2 * 4) & 15]);
  } else {
    for (size_t i = 0; i < count; ++i) out[i] = static_cast<To>(values[load_bits(type, from, i)]);
  }
}

template <typename From>
void store_small_integers(ElementType type, const void* from, void* to, size_t count) {
  const From* in = static_cast<const From*>(from);
  const uint8_t mask = static_cast<uint8_t>((1 << bit_width(type)) - 1);
  for (size_t i = 0; i < count; ++i) {
    store_bits(type, to, i, static_cast<uint8_t>(convert_one<int32_t>(in[i])) & mask);
  }
}

template <typename From>
void store_small_reals(ElementType type, const void* from, void* to, size_t count) {
  const From* in = static_cast<const From*>(from);
  for (size_t i = 0; i < count; ++i) {
    const float value = static_cast<float>(in[i]);
    uint8_t bits = encode_bits(type, value);
    // Unlike encode_bits, does not saturate: a value that rounds to more than 448 is NaN.
    if (type == ElementType::kF8e4m3 && std::abs(value) > 464.0f) bits |= 0x7f;
    store_bits(type, to, i, bits);
  }
}

bool is_small(ElementType type) {
  switch (type) {
    case ElementType::kF8e4m3:
    case ElementType::kF8e5m2:
    case ElementType::kF8e8m0:
      return true;
    default:
      return is_sub_byte(type);
  }
}

// Loads integers and boolean as i64, other types (and u64 for real results) as f64.
template <typename Wide>
Loop loader(ElementType type) {
  if (is_small(type)) return load_small<Wide>;
  if (type == ElementType::kBoolean) return convert_boolean<Wide>;
  return with_numeric(type, []<typename T>() -> Loop { return convert<T, Wide>; });
}

template <typename Wide>
Loop storer(ElementType type) {
  if (is_small(type)) return is_real(type) ? store_small_reals<Wide> : store_small_integers<Wide>;
  if (type == ElementType::kBoolean) return convert<Wide, bool>;
  return with_numeric(type, []<typename T>() -> Loop { return convert<Wide, T>; });
}

template <typename From, typename To, void (*kKernel)(const From*, To*, size_t)>
void convert_by_kernel(ElementType, const void* from, void* to, size_t count) {
  kKernel(static_cast<const From*>(from), static_cast<To*>(to), count);
}

void convert_to_boolean(ElementType, const void* from, void* to, size_t count) {
  static constexpr float kZero = 0.0f;
  kernels::compare(kernels::Comparison::kNotEqual, static_cast<const float*>(from), 1, &kZero, 0,
                   static_cast<uint8_t*>(to), count);
}

// Direct loops for pairs of types that models use or that elementwise operations convert blocks between.
Loop direct_loop(ElementType from, ElementType to) {
  using enum ElementType;
  struct Pair {
    ElementType from, to;
    Loop loop;
  };
  static constexpr Pair kPairs[] = {
      {kF16, kF32, convert_by_kernel<uint16_t, float, kernels::f16_to_f32>},
      {kF32, kF16, convert_by_kernel<float, uint16_t, kernels::f32_to_f16>},
      {kBf16, kF32, convert_by_kernel<uint16_t, float, kernels::bf16_to_f32>},
      {kF32, kBf16, convert_by_kernel<float, uint16_t, kernels::f32_to_bf16>},
      {kI8, kF32, convert_by_kernel<int8_t, float, kernels::convert>},
      {kU8, kF32, convert_by_kernel<uint8_t, float, kernels::convert>},
      {kI32, kF32, convert_by_kernel<int32_t, float, kernels::convert>},
      {kI64, kF32, convert_by_kernel<int64_t, float, kernels::convert>},
      {kF64, kF32, convert_by_kernel<double, float, kernels::convert>},
      {kF32, kF64, convert_by_kernel<float, double, kernels::convert>},
      {kI32, kI64, convert_by_kernel<int32_t, int64_t, kernels::convert>},
      {kI64, kI32, convert_by_kernel<int64_t, int32_t, kernels::convert>},
      {kF32, kI32, convert_by_kernel<float, int32_t, kernels::convert>},
      {kF32, kI64, convert_by_kernel<float, int64_t, kernels::convert>},
      {kF32, kI8, convert_by_kernel<float, int8_t, kernels::convert>},
      {kF32, kU8, convert_by_kernel<float, uint8_t, kernels::convert>},
      {kF32, kBoolean, convert_to_boolean},
      {kI32, kBoolean, convert<int32_t, bool>},
      {kBoolean, kF32, convert_by_kernel<uint8_t, float, kernels::booleans_to_f32>},
      {kBoolean, kI32, convert_boolean<int32_t>},
      {kI8, kI32, convert<int8_t, int32_t>},
      {kI32, kI8, convert<int32_t, int8_t>},
      {kU8, kI32, convert<uint8_t, int32_t>},
      {kI32, kU8, convert<int32_t, uint8_t>},
      {kI16, kI32, convert<int16_t, int32_t>},
      {kI32, kI16, convert<int32_t, int16_t>},
      {kU16, kI32, convert<uint16_t, int32_t>},
      {kI32, kU16, convert<int32_t, uint16_t>},
      {kU64, kF32, convert<uint64_t, float>},
      {kU4, kF32, load_small<float>},
      {kI4, kF32, load_small<float>},
      {kNf4, kF32, load_small<float>},
  };
  for (const Pair& pair : kPairs) {
    if (pair.from == from && pair.to == to) return pair.loop;
  }
  return nullptr;
}

}  // namespace

Conversion::Conversion(ElementType from, ElementType to) : from_(from), to_(to) {
  for (const ElementType type : {from, to}) {
    if (type == ElementType::kString || type == ElementType::kDynamic) {
      fail(ErrorCode::kUnsupported, "conversion from type ", from, " to ", to, " is not supported");
    }
  }
  if (from == to) return;
  direct_ = direct_loop(from, to);
  if (direct_ != nullptr) return;
  if (is_real(from) || (from == ElementType::kU64 && is_real(to))) {
    load_ = loader<double>(from);
    store_ = storer<double>(to);
  } else {
    load_ = loader<int64_t>(from);
    store_ = storer<int64_t>(to);
  }
}

void Conversion::run(const void* from, void* to, size_t count) const {
  if (count == 0) return;  // empty tensors have no memory
  if (direct_ != nullptr) {
    // If a direct loop has a sub-byte type, it is the source.
    direct_(from_, from, to, count);
    return;
  }
  if (load_ == nullptr) {
    std::memcpy(to, from, storage_bytes(from_, count));
    return;
  }
  alignas(16) char wide[kConvertBlock * 8];
  const char* in = static_cast<const char*>(from);
  char* out = static_cast<char*>(to);
  const size_t in_step = storage_bytes(from_, kConvertBlock);
  const size_t out_step = storage_bytes(to_, kConvertBlock);
  for (size_t done = 0; done < count; done += kConvertBlock, in += in_step, out += out_step) {
    const size_t block = std::min(kConvertBlock, count - done);
    load_(from_, in, wide, block);
    store_(to_, wide, out, block);
  }
}

void convert_elements(const TensorView& from, TensorView& to, const Parallel& parallel) {
  const Conversion conversion(from.type, to.type);
  const size_t count = from.size();
  const char* in = from.data<char>();
  char* out = to.mutable_data<char>();
  const size_t in_step = storage_bytes(from.type, kConvertBlock);
  const size_t out_step = storage_bytes(to.type, kConvertBlock);
  // Threads get whole blocks, so that each byte of sub-byte elements belongs to one thread.
  parallel_for(parallel, (count + kConvertBlock - 1) / kConvertBlock, 64, [&](size_t begin, size_t end) {
    const size_t last = std::min(end * kConvertBlock, count);
    conversion.run(in + begin * in_step, out + begin * out_step, last - begin * kConvertBlock);
  });
}

}  // namespace wasmvino::ops
