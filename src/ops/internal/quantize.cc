// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/quantize.h"

#include "ops/quantised_data/quantization.h"

namespace wasmvino::ops {
namespace {

// Grain: with fewer elements, a second thread costs more than it saves.
constexpr size_t kGrain = size_t{64} << 10;

// Calls body(first element, count) for pieces of a tensor: rows of `channels` elements, or any pieces if
// `channels` is 1.
template <typename Body>
void for_rows(EvalContext& context, size_t channels, const Body& body) {
  const size_t size = context.output(0).size();
  if (channels == 1) {
    parallel_for(context.parallel(), size, kGrain,
                 [&](size_t begin, size_t end) { body(begin, end - begin); });
    return;
  }
  parallel_for(context.parallel(), size / channels, kGrain / channels + 1, [&](size_t begin, size_t end) {
    for (size_t row = begin; row < end; ++row) body(row * channels, channels);
  });
}

class DequantizeKernel final : public Kernel {
 public:
  explicit DequantizeKernel(SharedQuantization quantization) : quantization_(std::move(quantization)) {}

  void run(EvalContext& context) override {
    const uint8_t* q = context.input(0).data<uint8_t>();
    float* x = context.output(0).mutable_data<float>();
    for_rows(context, quantization_->scale.size(),
             [&](size_t first, size_t count) { dequantize(*quantization_, q + first, x + first, count); });
  }

 private:
  SharedQuantization quantization_;
};

}  // namespace

void Quantize::infer(InferContext& context) const {
  context.set_output(0, ElementType::kU8, context.input_shape(0));
  context.set_quantization(0, quantization_);
}

void Quantize::evaluate(EvalContext& context) const {
  const float* x = context.input(0).data<float>();
  uint8_t* q = context.output(0).mutable_data<uint8_t>();
  for_rows(context, quantization_->inverse.size(),
           [&](size_t first, size_t count) { quantize(*quantization_, x + first, q + first, count); });
}

void Dequantize::infer(InferContext& context) const {
  context.set_output(0, ElementType::kF32, context.input_shape(0));
}

std::unique_ptr<Kernel> Dequantize::compile(CompileContext& context) const {
  return std::make_unique<DequantizeKernel>(context.input(0).quantization);
}

}  // namespace wasmvino::ops
