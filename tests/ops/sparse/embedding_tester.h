// SPDX-License-Identifier: Apache-2.0
// The table of the specifications' examples.
#pragma once

#include "tests/ops/open_inputs.h"

namespace wasmvino::test {

inline Tensor table() {
  return Tensor::of<float>({5, 2}, {-0.2f, -0.6f, -0.1f, -0.4f, -1.9f, -1.8f, -1, 1.5f, 0.8f, -0.7f});
}

inline Tensor list(std::initializer_list<int64_t> values) {
  return Tensor::of<int64_t>({static_cast<int64_t>(values.size())}, values);
}

inline Tensor number(int64_t value) { return Tensor::scalar<int64_t>(value); }

inline Tensor weights(std::initializer_list<float> values) {
  return Tensor::of<float>({static_cast<int64_t>(values.size())}, values);
}

}  // namespace wasmvino::test
