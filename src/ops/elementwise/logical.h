// SPDX-License-Identifier: Apache-2.0
// Operations on two booleans. Any byte except 0 counts as true.
#pragma once

#include "kernels/binary.h"
#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops {

template <kernels::Logical kOp>
void logical_loop(const LoopOperand* in, void* out, size_t count, const LoopParameters&) {
  kernels::apply_logical(kOp, in[0].as<uint8_t>(), in[0].step, in[1].as<uint8_t>(), in[1].step,
                         static_cast<uint8_t*>(out), count);
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
