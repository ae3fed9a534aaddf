// SPDX-License-Identifier: Apache-2.0
#include "ops/extension/normalization.h"

#include "core/call.h"

namespace wasmvino::ops::extension {

void infer_normalization(InferContext& context, bool has_skips) {
  infer_strings(context, 0, context.input_shape(0));
  if (has_skips && context.output_count() > 3)
    context.set_output(3, ElementType::kBoolean, context.input_shape(3));
}

void Normalization::run(EvalContext& context) {
  texts_.read(Strings(context, 0));
  const bool* skips = nullptr;
  if (has_skips_) {
    if (context.input(3).size() != texts_.size()) {
      fail(ErrorCode::kInvalidShape, "there are ", texts_.size(), " strings, but ", context.input(3).size(),
           " skips");
    }
    skips = context.input(3).data<bool>();
  }
  results_.clear();
  WorkMeter meter;
  for (size_t i = 0; i < texts_.size(); ++i) {
    const std::string_view text = texts_[i];
    if (skips != nullptr && skips[i]) {
      results_.bytes().append(text);
    } else {
      rewrite(text, results_.bytes());
    }
    results_.close();
    meter.add(text.size() + 16);
  }
  results_.write(context, 0);
  if (has_skips_ && context.output_count() > 3) copy_through(context, 3, 3);
}

}  // namespace wasmvino::ops::extension
