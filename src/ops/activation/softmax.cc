// SPDX-License-Identifier: Apache-2.0
#include "ops/activation/softmax.h"

#include "model/registry.h"

namespace wasmvino::ops::softmax {

void Softmax::visit_attributes(AttributeVisitor& visitor) {
  int64_t& axis = attributes_.axis;
  visitor.on("axis", axis);
  if (version_ < 8 && axis < 0) {
    throw Error(ErrorCode::kInvalidModel,
                cat("attribute 'axis' is ", axis, ", expected 0 or more in Softmax-1"))
        .expected("0 or more")
        .actual(cat(axis));
  }
}

}  // namespace wasmvino::ops::softmax

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(softmax) {
  registry.add<softmax::Softmax>({"Softmax", {1, 8}, "activation/softmax-8", {{"data", kNumbers}}});
}
}  // namespace wasmvino::ops
