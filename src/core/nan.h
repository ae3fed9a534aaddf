// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace wasmvino {

// False for types that have no NaN, so templates for all types can ask.
template <typename T>
constexpr bool is_nan(T value) {
  return value != value;  // NOLINT(misc-redundant-expression): only a NaN differs from itself
}

}  // namespace wasmvino
