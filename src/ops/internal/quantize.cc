// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/quantize.h"

namespace wasmvino::ops {
namespace {

// Grain: with fewer elements, a second thread costs more than it saves.
constexpr size_t kGrain = size_t{64} << 10;

// Calls body(first element, count) for pieces of a tensor: rows of channels if quantised by channel,
// otherwise any pieces.
template <typename Body>
void for_rows(EvalContext& context, const Quantization& quantization, const Body& body) {
  const size_t size = context.output(0).size();
  if (!quantization.by_channel()) {
    parallel_for(context.parallel(), size, kGrain,
                 [&](size_t begin, size_t end) { body(begin, end - begin); });
    return;
  }
  const size_t channels = quantization.scale.size();
  parallel_for(context.parallel(), size / channels, kGrain / channels + 1, [&](size_t begin, size_t end) {
    for (size_t row = begin; row < end; ++row) body(row * channels, channels);
  });
}

}  // namespace

void Quantize::infer(InferContext& context) const {
  context.set_output(0, ElementType::kU8, context.input_shape(0));
}

void Quantize::evaluate(EvalContext& context) const {
  const float* x = context.input(0).data<float>();
  uint8_t* q = context.output(0).mutable_data<uint8_t>();
  for_rows(context, quantization_,
           [&](size_t first, size_t count) { quantization_.quantize(x + first, q + first, count); });
}

void Dequantize::infer(InferContext& context) const {
  context.set_output(0, ElementType::kF32, context.input_shape(0));
}

void Dequantize::evaluate(EvalContext& context) const {
  const uint8_t* q = context.input(0).data<uint8_t>();
  float* x = context.output(0).mutable_data<float>();
  for_rows(context, quantization_,
           [&](size_t first, size_t count) { quantization_.dequantize(q + first, x + first, count); });
}

}  // namespace wasmvino::ops
