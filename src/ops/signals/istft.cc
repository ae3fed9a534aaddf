// SPDX-License-Identifier: Apache-2.0
// ISTFT: restores a signal from the spectra of its overlapping frames.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/signals/istft-16.html
#include <algorithm>
#include <cmath>

#include "kernels/fourier.h"
#include "model/registry.h"
#include "ops/elements/in_f32.h"
#include "ops/inputs/checks.h"
#include "ops/signals/frames.h"

namespace wasmvino::ops::istft {

// Grain: numbers in about 15 µs of work.
constexpr size_t kGrain = size_t{1} << 11;
// Numbers of frames transformed in parallel before they are added up: 2 MB.
constexpr size_t kGroup = size_t{1} << 19;

class IstftKernel final : public Kernel {
 public:
  IstftKernel(const Frames& frames, size_t batch, size_t count, size_t result, bool center, bool normalized,
              const Parallel& parallel)
      : frames_(frames),
        transform_(CheckedSize(static_cast<uint64_t>(frames.size)).value()),
        batch_(batch),
        count_(count),
        result_(result),
        margin_(center ? static_cast<size_t>(frames.size) / 2 : 0),
        normalized_(normalized) {
    const size_t n = transform_.size();
    if (count_ > 0) {
      length_ = (CheckedSize(count_ - 1) * CheckedSize(static_cast<uint64_t>(frames.step)) + n).value();
    }
    group_ = std::min(count_, std::max<size_t>(1, kGroup / n));
    grain_ = kGrain / n;
    threads_ = std::min(parallel.threads(), parallel.ranges(group_, grain_));
    numbers_ = n + transform_.scratch_size();
  }

  CheckedSize scratch_bytes() const {
    const CheckedSize n(transform_.size());
    return CheckedSize(threads_) * numbers_ * sizeof(kernels::Complex) +
           (n + 2 * CheckedSize(length_) + group_ * n) * sizeof(float);
  }

  void run(EvalContext& context) override {
    const size_t n = transform_.size(), bins = n / 2 + 1;
    kernels::Complex* const buffers = static_cast<kernels::Complex*>(context.scratch());
    float* const window = reinterpret_cast<float*>(buffers + threads_ * numbers_);
    float* const weights = window + n;
    float* const signal = weights + length_;
    float* const group = signal + length_;
    pad_window(context.input(1), frames_, window);
    std::fill_n(weights, length_, 0.0f);
    for (size_t frame = 0; frame < count_; ++frame) add_squares(window, weights + frame * step());
    const float* spectra = context.input(0).data<float>();
    float* output = context.output(0).mutable_data<float>();
    for (size_t batch = 0; batch < batch_; ++batch, spectra += 2 * bins * count_, output += result_) {
      std::fill_n(signal, length_, 0.0f);
      for (size_t first = 0; first < count_; first += group_) {
        const size_t count = std::min(group_, count_ - first);
        parallel_for(context.parallel(), count, grain_, [&](size_t begin, size_t end, size_t thread) {
          for (size_t i = begin; i < end; ++i) {
            transform(spectra + 2 * (first + i), buffers + thread * numbers_, window, group + i * n);
          }
        });
        // Frames overlap, so they are added one after the other. This takes a fraction of the time of their
        // transforms.
        for (size_t i = 0; i < count; ++i) {
          float* to = signal + (first + i) * step();
          for (size_t k = 0; k < n; ++k) to[k] += group[i * n + k];
        }
      }
      write(signal, weights, output);
    }
  }

 private:
  size_t step() const { return static_cast<size_t>(frames_.step); }

  void add_squares(const float* values, float* to) const {
    for (size_t k = 0; k < transform_.size(); ++k) to[k] += values[k] * values[k];
  }

  // The numbers of one frame are `count` apart.
  void transform(const float* spectrum, kernels::Complex* buffer, const float* window, float* frame) const {
    const size_t n = transform_.size();
    for (size_t k = 0; k <= n / 2; ++k) {
      const double real = static_cast<double>(spectrum[2 * k * count_]);
      const double imaginary = static_cast<double>(spectrum[2 * k * count_ + 1]);
      // The inverse is the transform with real and imaginary parts swapped. The other half of the spectrum is
      // the complex conjugate of this half.
      if (k > 0) buffer[n - k] = {-imaginary, real};
      buffer[k] = {imaginary, real};
    }
    transform_.run(buffer, buffer + n);
    for (size_t k = 0; k < n; ++k) {
      frame[k] = static_cast<float>(buffer[k].imaginary / static_cast<double>(n)) * window[k];
    }
  }

  // Frames have been multiplied by the window twice: before the transform and now. Therefore each element is
  // divided by the sum of the squares of the windows at its position.
  void write(const float* signal, const float* weights, float* output) const {
    const float scale = normalized_ ? std::sqrt(static_cast<float>(frames_.size)) : 1.0f;
    const size_t last = length_ > margin_ ? length_ - margin_ : 0;
    for (size_t k = 0; k < result_; ++k) {
      const float weight = k < last ? weights[margin_ + k] : 0.0f;
      output[k] = weight != 0.0f ? signal[margin_ + k] * scale / weight : 0.0f;
    }
  }

  Frames frames_;
  kernels::FourierTransform transform_;
  size_t batch_, count_, result_, margin_;
  size_t length_ = 0;  // of the signal that all frames cover
  bool normalized_;
  size_t group_, grain_, threads_, numbers_;
};

class ISTFT final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("center", center_);
    visitor.on("normalized", normalized_);
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(4, 5);
    expect_rank(context, 0, 3, 4, "data");
    const auto frames = infer_frames(context);
    std::optional<int64_t> length;
    if (context.input_count() > 4) {
      length = known_int(context, 4, "signal_length");
      if (length && *length < 0) {
        fail(ErrorCode::kInvalidValue, "signal_length is ", *length, ", expected 0 or more");
      }
    }
    const PartialShape& data = context.input_shape(0);
    if (!data.has_rank()) return context.set_output(0, context.input_type(0), {});
    const size_t first = data.rank() - 3;
    expect_size(context, 0, "data", first + 2, 2, "the number of parts");
    Dimension result;
    if (length) result = *length;
    if (frames) {
      expect_size(context, 0, "data", first, frames->bins(), "frame_size / 2 + 1");
      const Dimension count = data[first + 1];
      if (context.input_count() == 4 && count.is_static()) {
        // Margins are whole elements. For frames of odd size, this leaves one element more than the
        // specification says.
        const int64_t margins = center_ ? frames->size / 2 * 2 : 0;
        result = (count - 1) * frames->step + (frames->size - margins);
      }
    }
    PartialShape output = PartialShape::of_rank(0);
    if (first == 1) output.push_back(data[0]);
    output.push_back(result);
    context.set_output(0, context.input_type(0), output);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return compile_in_f32(context, [&](CompileContext& inner) -> std::unique_ptr<Kernel> {
      const Shape data = inner.input_shape(0);
      auto kernel = std::make_unique<IstftKernel>(
          read_frames(inner), data.size() == 4 ? static_cast<size_t>(data[0]) : 1,
          static_cast<size_t>(data[data.size() - 2]), static_cast<size_t>(inner.output_shape(0).back()),
          center_, normalized_, inner.parallel());
      inner.request_scratch(kernel->scratch_bytes());
      return kernel;
    });
  }

 private:
  bool center_ = false, normalized_ = false;
};

}  // namespace wasmvino::ops::istft

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(istft) {
  registry.add<istft::ISTFT>({"ISTFT",
                              {16},
                              "signals/istft-16",
                              {{"data", kFloats},
                               {"window", kFloats, 0},
                               {"frame_size", kAnyIntegers},
                               {"frame_step", kAnyIntegers},
                               {"signal_length", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
