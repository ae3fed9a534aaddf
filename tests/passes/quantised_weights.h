// SPDX-License-Identifier: Apache-2.0
// Quantised weights, for tests of passes.
#pragma once

#include "tests/passes/pass_tester.h"

namespace wasmvino::passes {

// Random bits of integers, or random small floating-point numbers.
inline Source stored(Model& model, const std::string& name, ElementType type, const Shape& shape,
                     uint32_t seed = 1) {
  Tensor tensor(type, shape);
  kernels::Random random(seed);
  auto* bytes = tensor.mutable_data<uint8_t>();
  for (size_t i = 0; i < tensor.byte_size(); ++i) {
    bytes[i] = static_cast<uint8_t>(random.next());
    if (type == ElementType::kF16 && i % 2 == 1) bytes[i] = static_cast<uint8_t>(0x30 | (bytes[i] & 0x83));
    if (is_real(type) && bit_width(type) == 8) bytes[i] &= 0xBF;
    if (type == ElementType::kBf16 && i % 2 == 1) bytes[i] = static_cast<uint8_t>(0x3E | (bytes[i] & 0x80));
  }
  return {model.add_constant(name, tensor), 0};
}

inline Source in_f32(Model& model, const std::string& name, Source source) {
  return add(model, "Convert", name, {source}, {{"destination_type", "f32"}});
}

}  // namespace wasmvino::passes
