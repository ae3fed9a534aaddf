// SPDX-License-Identifier: Apache-2.0
// Operations on two booleans. Any byte except 0 counts as true.
#pragma once

#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops {

// `struct F { static bool apply(bool a, bool b); }`
template <typename F>
void logical_loop(const LoopOperand* in, void* out, size_t count, const LoopParameters&) {
  const uint8_t* a = in[0].as<uint8_t>();
  const uint8_t* b = in[1].as<uint8_t>();
  const size_t a_step = in[0].step;
  const size_t b_step = in[1].step;
  uint8_t* y = static_cast<uint8_t*>(out);
  for (size_t i = 0; i < count; ++i) y[i] = F::apply(a[i * a_step] != 0, b[i * b_step] != 0);
}

// Two booleans, broadcast to each other.
class LogicalElementwise : public BinaryElementwise {
 public:
  explicit LogicalElementwise(ElementwiseLoop loop) : loop_(loop) {}
  ElementwiseFunction function(ElementType) const override {
    return elementwise_function(loop_, ElementType::kBoolean);
  }

 private:
  ElementwiseLoop loop_;
};

}  // namespace wasmvino::ops
