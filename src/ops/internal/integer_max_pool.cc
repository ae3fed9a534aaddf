// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/integer_max_pool.h"

#include "kernels/integer_elementwise.h"
#include "ops/internal/channels_last_pooling.h"
#include "ops/pooling/pooling_problem.h"

namespace wasmvino::ops {
namespace {

// Grain: with fewer bytes read, a second thread costs more than it saves.
constexpr size_t kGrain = size_t{64} << 10;

class MaxPoolKernel final : public Kernel {
 public:
  explicit MaxPoolKernel(const kernels::Conv& conv) : conv_(conv) {}

  void run(EvalContext& context) override {
    const uint8_t* x = context.input(0).data<uint8_t>();
    uint8_t* y = context.output(0).mutable_data<uint8_t>();
    const size_t rows = conv_.batch * conv_.out[0] * conv_.out[1];
    const size_t row = saturating_product(conv_.out[2], conv_.kernel.product(), conv_.groups);
    parallel_for(context.parallel(), rows, kGrain / std::max<size_t>(1, row) + 1,
                 [&](size_t begin, size_t end) { kernels::max_pool(conv_, x, y, {begin, end}); });
  }

 private:
  kernels::Conv conv_;
};

}  // namespace

bool IntegerMaxPool::takes(const PoolAttributes& attributes) {
  const WindowAttributes& window = attributes.window;
  for (size_t i = 0; i < attributes.kernel.size(); ++i) {
    // Without dilation, `same` pads less than a window. With sizes rounded up, the last window may begin up
    // to a stride minus one later.
    if (window.dilation(i) != 1) return false;
    if (window.auto_pad == AutoPad::kSameUpper || window.auto_pad == AutoPad::kSameLower) continue;
    const bool padded = window.auto_pad == AutoPad::kExplicit;
    const int64_t late = attributes.rounding == Rounding::kFloor ? 0 : window.stride(i) - 1;
    const int64_t begin = !padded || window.pads_begin.empty() ? 0 : window.pads_begin[i];
    const int64_t end = !padded || window.pads_end.empty() ? 0 : window.pads_end[i];
    if (begin >= attributes.kernel[i] || end + late >= attributes.kernel[i]) return false;
  }
  return true;
}

void IntegerMaxPool::infer(InferContext& context) const {
  ChannelsLastPooling(kernels::Pooling::kMaximum, version_, attributes_,
                      {Layout::kChannelsLast, Layout::kChannelsLast})
      .infer(context);
  context.set_quantization(0, context.input(0).quantization);
}

std::unique_ptr<Kernel> IntegerMaxPool::compile(CompileContext& context) const {
  return std::make_unique<MaxPoolKernel>(make_pooling(kernels::Pooling::kMaximum, context.input_shape(0),
                                                      context.output_shape(0), attributes_,
                                                      Layout::kChannelsLast, Layout::kChannelsLast)
                                             .conv);
}

}  // namespace wasmvino::ops
