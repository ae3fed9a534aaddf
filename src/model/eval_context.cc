// SPDX-License-Identifier: Apache-2.0
#include "model/eval_context.h"

#include "core/error.h"

namespace wasmvino::model {

void EvalContext::set_output_shape(size_t i, const Shape& shape) const {
  if (services_ != nullptr) return services_->set_output_shape(i, shape);
  if (output(i).shape != shape) {
    fail(ErrorCode::kInternal, "output ", i, " was planned with shape ", output(i).shape, ", but got shape ",
         shape);
  }
}

}  // namespace wasmvino::model
