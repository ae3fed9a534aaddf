// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/look_up.h"

#include "kernels/level_table.h"

namespace wasmvino::ops {
namespace {

// Grain: with fewer elements, a second thread costs more than it saves.
constexpr size_t kGrain = size_t{64} << 10;

class LookUpKernel final : public Kernel {
 public:
  explicit LookUpKernel(std::shared_ptr<const std::vector<uint8_t>> tables) : tables_(std::move(tables)) {}

  void run(EvalContext& context) override {
    const uint8_t* x = context.input(0).data<uint8_t>();
    uint8_t* y = context.output(0).mutable_data<uint8_t>();
    const size_t size = context.output(0).size(), channels = tables_->size() / kernels::kLevels;
    if (channels == 1) {
      parallel_for(context.parallel(), size, kGrain, [&](size_t begin, size_t end) {
        kernels::look_up(tables_->data(), x + begin, y + begin, end - begin);
      });
      return;
    }
    parallel_for(context.parallel(), size / channels, kGrain / channels + 1, [&](size_t begin, size_t end) {
      for (size_t row = begin; row < end; ++row)
        kernels::look_up_by_channel(tables_->data(), x + row * channels, y + row * channels, channels);
    });
  }

 private:
  std::shared_ptr<const std::vector<uint8_t>> tables_;
};

}  // namespace

void LookUp::infer(InferContext& context) const {
  context.set_output(0, ElementType::kU8, context.input_shape(0));
  context.set_quantization(0, output_);
}

std::unique_ptr<Kernel> LookUp::compile(CompileContext&) const {
  return std::make_unique<LookUpKernel>(tables_);
}

}  // namespace wasmvino::ops
