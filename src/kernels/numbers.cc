// SPDX-License-Identifier: Apache-2.0
#include "kernels/numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/dispatch.h"
#include "kernels/convert.h"

namespace wasmvino::kernels {
namespace {

struct Boolean {
  uint8_t value;
};

template <typename T, typename Wide>
Wide widen(T value) {
  if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
    return static_cast<Wide>(static_cast<float>(value));
  } else if constexpr (std::is_same_v<T, Boolean>) {
    return value.value != 0;
  } else {
    return static_cast<Wide>(value);
  }
}

template <typename T, typename Wide>
T narrow(Wide value) {
  if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
    return T(static_cast<float>(value));
  } else if constexpr (std::is_same_v<T, Boolean>) {
    return {static_cast<uint8_t>(value != 0)};
  } else if constexpr (std::is_integral_v<T> && std::is_floating_point_v<Wide>) {
    // The bounds of wide types are not representable as floats. The nearest floats towards zero would be too
    // small, so comparisons use the power of two beyond the bound.
    constexpr Wide kLeast = static_cast<Wide>(std::numeric_limits<T>::min());
    constexpr Wide kEnd = static_cast<Wide>(std::numeric_limits<T>::max() / 2 + 1) * 2;
    const Wide rounded = std::nearbyint(value);
    if (!(rounded > kLeast)) return std::numeric_limits<T>::min();  // also for NaN
    return rounded < kEnd ? static_cast<T>(rounded) : std::numeric_limits<T>::max();
  } else if constexpr (std::is_integral_v<T> && sizeof(T) <= 2) {
    return static_cast<T>(
        std::clamp<Wide>(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  } else {
    return static_cast<T>(value);
  }
}

template <typename T, typename Wide>
void load(const void* memory, size_t first, size_t stride, size_t count, Wide* to) {
  const T* from = static_cast<const T*>(memory) + first;
  if constexpr (std::is_same_v<Wide, float> && (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>)) {
    static_assert(sizeof(T) == sizeof(uint16_t));
    if (stride == 1) {
      const auto* bits = reinterpret_cast<const uint16_t*>(from);
      return std::is_same_v<T, Float16> ? f16_to_f32(bits, to, count) : bf16_to_f32(bits, to, count);
    }
  }
  if (stride == 1) {
    for (size_t i = 0; i < count; ++i) to[i] = widen<T, Wide>(from[i]);
  } else {
    for (size_t i = 0; i < count; ++i) to[i] = widen<T, Wide>(from[i * stride]);
  }
}

template <typename T, typename Wide>
void store(const Wide* from, size_t count, void* memory, size_t first, size_t stride) {
  T* to = static_cast<T*>(memory) + first;
  if constexpr (std::is_same_v<Wide, float> && (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>)) {
    if (stride == 1) {
      auto* bits = reinterpret_cast<uint16_t*>(to);
      return std::is_same_v<T, Float16> ? f32_to_f16(from, bits, count) : f32_to_bf16(from, bits, count);
    }
  }
  for (size_t i = 0; i < count; ++i) to[i * stride] = narrow<T, Wide>(from[i]);
}

// Calls body.template operator()<T>() if Wide holds all values of the type.
template <typename Wide, typename Body>
auto with_held_type(ElementType type, Body body) {
  if constexpr (std::is_floating_point_v<Wide>) {
    switch (type) {
      case ElementType::kF32:
        return body.template operator()<float>();
      case ElementType::kF64:
        return body.template operator()<double>();
      case ElementType::kF16:
        return body.template operator()<Float16>();
      case ElementType::kBf16:
        return body.template operator()<BFloat16>();
      default:
        break;
    }
    if constexpr (std::is_same_v<Wide, float>) {
      if (is_integral(type)) return with_numeric(type, body);
    }
    refuse_type(type);
  } else if constexpr (std::is_signed_v<Wide>) {
    switch (type) {
      case ElementType::kBoolean:
        return body.template operator()<Boolean>();
      case ElementType::kI8:
        return body.template operator()<int8_t>();
      case ElementType::kI16:
        return body.template operator()<int16_t>();
      case ElementType::kI32:
        return body.template operator()<int32_t>();
      case ElementType::kI64:
        return body.template operator()<int64_t>();
      case ElementType::kU8:
        return body.template operator()<uint8_t>();
      case ElementType::kU16:
        return body.template operator()<uint16_t>();
      case ElementType::kU32:
        return body.template operator()<uint32_t>();
      default:
        refuse_type(type);
    }
  } else {
    if (type == ElementType::kU64) return body.template operator()<uint64_t>();
    refuse_type(type);
  }
}

}  // namespace

template <typename Wide>
LoadNumbers<Wide> number_loader(ElementType type) {
  return with_held_type<Wide>(type, []<typename T>() -> LoadNumbers<Wide> { return &load<T, Wide>; });
}

template <typename Wide>
StoreNumbers<Wide> number_storer(ElementType type) {
  return with_held_type<Wide>(type, []<typename T>() -> StoreNumbers<Wide> { return &store<T, Wide>; });
}

template LoadNumbers<float> number_loader<float>(ElementType);
template LoadNumbers<double> number_loader<double>(ElementType);
template LoadNumbers<int64_t> number_loader<int64_t>(ElementType);
template LoadNumbers<uint64_t> number_loader<uint64_t>(ElementType);
template StoreNumbers<float> number_storer<float>(ElementType);
template StoreNumbers<double> number_storer<double>(ElementType);
template StoreNumbers<int64_t> number_storer<int64_t>(ElementType);
template StoreNumbers<uint64_t> number_storer<uint64_t>(ElementType);

}  // namespace wasmvino::kernels
