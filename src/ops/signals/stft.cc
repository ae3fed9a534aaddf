// SPDX-License-Identifier: Apache-2.0
// STFT: the spectra of overlapping frames of a signal.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/signals/stft-15.html
#include <algorithm>

#include "kernels/fourier.h"
#include "model/registry.h"
#include "ops/elements/in_f32.h"
#include "ops/inputs/checks.h"
#include "ops/signals/frames.h"

namespace wasmvino::ops::stft {

// Grain: numbers in about 15 µs of work.
constexpr size_t kGrain = size_t{1} << 11;

class StftKernel final : public Kernel {
 public:
  StftKernel(const Frames& frames, size_t batch, size_t length, size_t count, bool transposed,
             const Parallel& parallel)
      : frames_(frames),
        transform_(static_cast<size_t>(frames.size)),
        batch_(batch),
        length_(length),
        count_(count),
        transposed_(transposed) {
    grain_ = kGrain / transform_.size();
    threads_ = std::min(parallel.threads(), parallel.ranges(batch_ * count_, grain_));
    numbers_ = transform_.size() + transform_.scratch_size();
  }

  CheckedSize scratch_bytes() const {
    return CheckedSize(threads_) * numbers_ * sizeof(kernels::Complex) +
           CheckedSize(transform_.size()) * sizeof(float);
  }

  void run(EvalContext& context) override {
    kernels::Complex* const buffers = static_cast<kernels::Complex*>(context.scratch());
    float* const window = reinterpret_cast<float*>(buffers + threads_ * numbers_);
    pad_window(context.input(1), frames_, window);
    const float* signal = context.input(0).data<float>();
    float* output = context.output(0).mutable_data<float>();
    parallel_for(context.parallel(), batch_ * count_, grain_, [&](size_t begin, size_t end, size_t thread) {
      for (size_t i = begin; i < end; ++i) {
        transform(signal, window, i / count_, i % count_, buffers + thread * numbers_, output);
      }
    });
  }

 private:
  void transform(const float* signal, const float* window, size_t batch, size_t frame,
                 kernels::Complex* buffer, float* output) const {
    const size_t n = transform_.size(), bins = n / 2 + 1;
    const float* from = signal + batch * length_ + frame * static_cast<size_t>(frames_.step);
    for (size_t k = 0; k < n; ++k)
      buffer[k] = {static_cast<double>(from[k]) * static_cast<double>(window[k]), 0.0};
    transform_.run(buffer, buffer + n);
    float* to = output + 2 * (batch * count_ * bins + frame * (transposed_ ? 1 : bins));
    const size_t step = 2 * (transposed_ ? count_ : 1);
    for (size_t k = 0; k < bins; ++k, to += step) {
      to[0] = static_cast<float>(buffer[k].real);
      to[1] = static_cast<float>(buffer[k].imaginary);
    }
  }

  Frames frames_;
  kernels::FourierTransform transform_;
  size_t batch_, length_, count_;
  bool transposed_;
  size_t grain_, threads_, numbers_;
};

class STFT final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override { visitor.on("transpose_frames", transposed_); }

  void infer(InferContext& context) const override {
    context.expect_inputs(4);
    expect_rank(context, 0, 1, 2, "signal");
    const auto frames = infer_frames(context);
    const PartialShape& signal = context.input_shape(0);
    if (!signal.has_rank()) return context.set_output(0, context.input_type(0), {});
    Dimension count, bins;
    if (frames) {
      bins = frames->bins();
      const Dimension length = signal[signal.rank() - 1];
      if (length.max < frames->size) {
        fail(ErrorCode::kInvalidShape, "signal ", signal, " is shorter than frame_size, ", frames->size);
      }
      if (length.is_static()) count = (length.size() - frames->size) / frames->step + 1;
    }
    PartialShape output = PartialShape::of_rank(0);
    if (signal.rank() == 2) output.push_back(signal[0]);
    output.push_back(transposed_ ? bins : count);
    output.push_back(transposed_ ? count : bins);
    output.push_back(2);
    context.set_output(0, context.input_type(0), output);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return compile_in_f32(context, [&](CompileContext& inner) -> std::unique_ptr<Kernel> {
      const Shape signal = inner.input_shape(0), output = inner.output_shape(0);
      const size_t count = static_cast<size_t>(output[output.size() - (transposed_ ? 2 : 3)]);
      auto kernel = std::make_unique<StftKernel>(
          read_frames(inner), signal.size() == 2 ? static_cast<size_t>(signal[0]) : 1,
          static_cast<size_t>(signal.back()), count, transposed_, inner.parallel());
      inner.request_scratch(kernel->scratch_bytes());
      return kernel;
    });
  }

 private:
  bool transposed_ = false;
};

}  // namespace wasmvino::ops::stft

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(stft) {
  registry.add<stft::STFT>({"STFT",
                            {15},
                            "signals/stft-15",
                            {{"signal", kFloats},
                             {"window", kFloats, 0},
                             {"frame_size", kAnyIntegers},
                             {"frame_step", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
