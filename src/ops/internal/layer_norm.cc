// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/layer_norm.h"

#include <algorithm>

#include "kernels/normalize.h"
#include "model/node.h"

namespace wasmvino::ops {
namespace {

// Grain: with fewer elements, a second thread costs more than it saves.
constexpr size_t kLayerNormGrain = size_t{1} << 14;

class LayerNormKernel final : public Kernel {
 public:
  LayerNormKernel(const LayerNormSpec& spec, size_t rows, size_t width)
      : spec_(spec), rows_(rows), width_(width) {}

  void run(EvalContext& context) override {
    const float* const x = context.input(0).data<float>();
    float* const y = context.output(0).mutable_data<float>();
    const float* const gamma = spec_.gamma ? context.input(1).data<float>() : nullptr;
    const float* const beta = spec_.beta ? context.input(spec_.gamma ? 2 : 1).data<float>() : nullptr;
    parallel_for(context.parallel(), rows_,
                 std::max<size_t>(1, kLayerNormGrain / std::max<size_t>(1, width_)),
                 [&](size_t begin, size_t end) {
                   for (size_t at = begin * width_; at < end * width_; at += width_) {
                     if (spec_.centered) {
                       kernels::layer_norm_row(x + at, y + at, width_, spec_.epsilon, gamma, beta);
                     } else {
                       kernels::rms_norm_row(x + at, y + at, width_, spec_.epsilon, gamma, beta);
                     }
                   }
                 });
  }

 private:
  LayerNormSpec spec_;
  size_t rows_, width_;
};

}  // namespace

void LayerNorm::infer(InferContext& context) const {
  context.expect_inputs(spec_.input_count());
  context.set_output(0, context.input_type(0), context.input_shape(0));
}

std::unique_ptr<Kernel> LayerNorm::compile(CompileContext& context) const {
  const Shape shape = context.input_shape(0);
  const size_t width = static_cast<size_t>(shape.back());
  const size_t rows = width == 0 ? 0 : element_count(shape) / width;
  return std::make_unique<LayerNormKernel>(spec_, rows, width);
}

}  // namespace wasmvino::ops
