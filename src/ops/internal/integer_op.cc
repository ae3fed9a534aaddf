// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/integer_op.h"

namespace wasmvino::ops {

void IntegerOp::set_result(InferContext& context, PartialShape shape, const SharedQuantization& levels) {
  context.set_output(0, levels ? ElementType::kU8 : ElementType::kF32, std::move(shape));
  context.set_quantization(0, levels);
}

}  // namespace wasmvino::ops
