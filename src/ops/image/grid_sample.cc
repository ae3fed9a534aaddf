// SPDX-License-Identifier: Apache-2.0
// GridSample: samples images at the positions in a grid, given as fractions of the image from -1 to 1.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/image/grid-sample-9.html
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/saturate.h"
#include "kernels/numbers.h"
#include "kernels/region_samples.h"
#include "model/registry.h"
#include "ops/elements/in_f32.h"
#include "ops/inputs/checks.h"

namespace wasmvino::ops::grid_sample {

// Computed together: their taps stay in the cache for all channels.
constexpr size_t kPoints = kernels::PairSamples::kMost;
constexpr size_t kGrain = size_t{1} << 12;

enum class Mode { kBilinear, kBicubic, kNearest };
enum class Padding { kZeros, kBorder, kReflection };

struct Options {
  Mode mode = Mode::kBilinear;
  Padding padding = Padding::kZeros;
  bool align_corners = false;

  size_t taps() const { return mode == Mode::kNearest ? 1 : mode == Mode::kBilinear ? 2 : 4; }
};

// Adjacent elements of an axis and their weights. Elements outside the image have weight 0.
struct Taps {
  size_t elements[4];
  float weights[4];
};

class GridSampleKernel final : public Kernel {
 public:
  GridSampleKernel(const Shape& data, const Shape& grid, const Options& options)
      : batches_(static_cast<size_t>(data[0])),
        channels_(static_cast<size_t>(data[1])),
        height_(static_cast<size_t>(data[2])),
        width_(static_cast<size_t>(data[3])),
        points_(static_cast<size_t>(grid[1] * grid[2])),
        options_(options) {}

  void run(EvalContext& context) override {
    const float* data = context.input(0).data<float>();
    const float* grid = context.input(1).data<float>();
    float* output = context.output(0).mutable_data<float>();
    const size_t blocks = (points_ + kPoints - 1) / kPoints;
    const size_t cost = std::max<size_t>(1, channels_ * kPoints * options_.taps());
    parallel_for(context.parallel(), batches_ * blocks, std::max<size_t>(1, kGrain / cost),
                 [&](size_t begin, size_t end) {
                   for (size_t i = begin; i < end; ++i) {
                     const size_t batch = i / blocks, first = i % blocks * kPoints;
                     sample(data + batch * channels_ * height_ * width_, grid + (batch * points_ + first) * 2,
                            output + batch * channels_ * points_ + first, std::min(kPoints, points_ - first));
                   }
                 });
  }

 private:
  void sample(const float* data, const float* grid, float* output, size_t count) const {
    const size_t taps = options_.taps();
    Taps across[kPoints], down[kPoints];
    for (size_t i = 0; i < count; ++i) {
      across[i] = taps_at(grid[2 * i], width_);
      down[i] = taps_at(grid[2 * i + 1], height_);
    }
    const size_t plane = height_ * width_;
    if (taps == 1) {
      size_t places[kPoints];
      float weights[kPoints];
      for (size_t i = 0; i < count; ++i) {
        places[i] = down[i].elements[0] * width_ + across[i].elements[0];
        weights[i] = down[i].weights[0] * across[i].weights[0];
      }
      for (size_t c = 0; c < channels_; ++c, data += plane, output += points_) {
        for (size_t i = 0; i < count; ++i) output[i] = weights[i] * data[places[i]];
      }
    } else if (taps == 2 && width_ >= 2) {
      kernels::PairSamples samples{};
      for (size_t i = 0; i < count; ++i) {
        if (are_neighbours(across[i])) set_pairs(across[i], down[i], samples, i);
      }
      for (size_t c = 0; c < channels_; ++c)
        kernels::read_samples(data + c * plane, samples, count, output + c * points_);
      for (size_t i = 0; i < count; ++i) {
        if (!are_neighbours(across[i])) sample_taps(data, across + i, down + i, output + i, 1);
      }
    } else {
      sample_taps(data, across, down, output, count);
    }
  }

  void sample_taps(const float* data, const Taps* across, const Taps* down, float* output,
                   size_t count) const {
    const size_t taps = options_.taps();
    for (size_t c = 0; c < channels_; ++c, data += height_ * width_, output += points_) {
      for (size_t i = 0; i < count; ++i) {
        float sum = 0.0f;
        for (size_t k = 0; k < taps; ++k) {
          const float* row = data + down[i].elements[k] * width_;
          float part = 0.0f;
          for (size_t j = 0; j < taps; ++j) part += across[i].weights[j] * row[across[i].elements[j]];
          sum += down[i].weights[k] * part;
        }
        output[i] = sum;
      }
    }
  }

  // Whether the two taps of a sample are adjacent. At the border of the image, they may be the same element.
  // Another one must not be read with a weight of 0, because it may be infinite.
  static bool are_neighbours(const Taps& taps) {
    return taps.elements[0] + 1 == taps.elements[1] || taps.elements[1] + 1 == taps.elements[0];
  }

  void set_pairs(const Taps& across, const Taps& down, kernels::PairSamples& samples, size_t i) const {
    const size_t left = std::min(across.elements[0], across.elements[1]);
    float weights[2] = {};
    for (size_t k = 0; k < 2; ++k) weights[across.elements[k] - left] = across.weights[k];
    samples.upper[i] = down.elements[0] * width_ + left;
    samples.lower[i] = down.elements[1] * width_ + left;
    for (size_t k = 0; k < 2; ++k) {
      samples.upper_weights[i][k] = down.weights[0] * weights[k];
      samples.lower_weights[i][k] = down.weights[1] * weights[k];
    }
  }

  Taps taps_at(float place, size_t size) const {
    const float length = static_cast<float>(size);
    float x = options_.align_corners ? (place + 1) * (length - 1) / 2 : ((place + 1) * length - 1) / 2;
    // Limits values far outside any image, and NaN, so that they fit an integer.
    if (!(std::fabs(x) <= 1e9f)) x = x > 0 ? 1e9f : -1e9f;
    Taps taps{};
    if (options_.mode == Mode::kNearest) {
      set(taps, 0, static_cast<int64_t>(std::nearbyint(x)), 1.0f, size);
      return taps;
    }
    const float floor = std::floor(x), part = x - floor;
    const auto element = static_cast<int64_t>(floor);
    if (options_.mode == Mode::kBilinear) {
      set(taps, 0, element, 1 - part, size);
      set(taps, 1, element + 1, part, size);
      return taps;
    }
    for (int64_t k = 0; k < 4; ++k) {
      const float distance = std::fabs(part + 1 - static_cast<float>(k));
      set(taps, static_cast<size_t>(k), element - 1 + k, cubic(distance), size);
    }
    return taps;
  }

  // R. Keys, "Cubic convolution interpolation for digital image processing", with a = -0.75.
  static float cubic(float x) {
    constexpr float a = -0.75f;
    if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    return (((x - 5) * x + 8) * x - 4) * a;
  }

  void set(Taps& taps, size_t k, int64_t element, float weight, size_t size) const {
    const auto length = static_cast<int64_t>(size);
    if (element < 0 || element >= length) {
      if (options_.padding == Padding::kZeros) return;
      element = options_.padding == Padding::kBorder ? std::clamp<int64_t>(element, 0, length - 1)
                                                     : reflected(element, length);
    }
    taps.elements[k] = static_cast<size_t>(element);
    taps.weights[k] = weight;
  }

  // Mirrors at the centers of the outermost elements if corners are aligned, otherwise at their edges.
  int64_t reflected(int64_t element, int64_t length) const {
    if (options_.align_corners) {
      if (length == 1) return 0;
      const int64_t period = 2 * (length - 1);
      element = std::abs(element) % period;
      return std::min(element, period - element);
    }
    const int64_t period = 2 * length;
    element = (element % period + period) % period;
    return std::min(element, period - 1 - element);
  }

  size_t batches_, channels_, height_, width_, points_;
  Options options_;
};

// Samples integer images in f32. As in OpenVINO's CPU plugin, 8-bit results are rounded to nearest, wider
// types truncated.
class IntegerGridSampleKernel final : public Kernel {
 public:
  IntegerGridSampleKernel(GridSampleKernel kernel, const CompileContext& context)
      : kernel_(std::move(kernel)),
        load_(kernels::number_loader<int64_t>(context.input_type(0))),
        store_(kernels::number_storer<int64_t>(context.output_type(0))),
        rounds_(bit_width(context.output_type(0)) == 8),
        grid_(context.input_type(1)),
        data_{ElementType::kF32, context.input_shape(0)},
        coordinates_{ElementType::kF32, context.input_shape(1)},
        result_{ElementType::kF32, context.output_shape(0)} {}

  CheckedSize scratch_bytes() const {
    return CheckedSize(data_.byte_size()) + coordinates_.byte_size() + result_.byte_size();
  }

  void run(EvalContext& context) override {
    float* const x = static_cast<float*>(context.scratch());
    float* const grid = x + data_.size();
    float* const y = grid + coordinates_.size();
    for (size_t i = 0; i < data_.size(); ++i) {
      int64_t value = 0;
      load_(context.input(0).memory, i, 1, 1, &value);
      x[i] = static_cast<float>(value);
    }
    kernels::number_loader<float>(grid_)(context.input(1).memory, 0, 1, coordinates_.size(), grid);
    data_.memory = x, coordinates_.memory = grid, result_.memory = y;
    TensorView* inputs[] = {&data_, &coordinates_};
    TensorView* outputs[] = {&result_};
    struct : EvalServices {
      void set_output_shape(size_t, const Shape&) override {}
    } services;
    EvalContext inner(context.node(), inputs, outputs, nullptr, context.parallel(), services);
    kernel_.run(inner);
    for (size_t i = 0; i < result_.size(); ++i) {
      const int64_t value = saturated_int64(rounds_ ? std::nearbyint(y[i]) : y[i]);
      store_(&value, 1, context.output(0).memory, i, 1);
    }
  }

 private:
  GridSampleKernel kernel_;
  kernels::LoadNumbers<int64_t> load_;
  kernels::StoreNumbers<int64_t> store_;
  bool rounds_;
  ElementType grid_;
  TensorView data_, coordinates_, result_;
};

class GridSample final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("align_corners", options_.align_corners);
    visitor.on_enum("mode", options_.mode, {"bilinear", "bicubic", "nearest"});
    visitor.on_enum("padding_mode", options_.padding, {"zeros", "border", "reflection"});
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(2);
    expect_rank(context, 0, 4, 4, "data");
    expect_rank(context, 1, 4, 4, "grid");
    const PartialShape& data = context.input_shape(0);
    const PartialShape& grid = context.input_shape(1);
    expect_size(context, 1, "grid", 3, 2, "that of a pair");
    PartialShape output = PartialShape::of_rank(4);
    if (data.has_rank()) output[0] = data[0], output[1] = data[1];
    output[0] = expect_size(context, 1, "grid", 0, output[0], "axis 0 of data");
    if (grid.has_rank()) output[2] = grid[1], output[3] = grid[2];
    if (data.has_rank() && (data[2].max == 0 || data[3].max == 0)) {
      fail(ErrorCode::kInvalidShape, "data ", data, " has no elements to sample");
    }
    context.set_output(0, context.input_type(0), output);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    const GridSampleKernel kernel(context.input_shape(0), context.input_shape(1), options_);
    if (!is_real(context.input_type(0))) {
      auto wrapped = std::make_unique<IntegerGridSampleKernel>(kernel, context);
      context.request_scratch(wrapped->scratch_bytes());
      return wrapped;
    }
    return compile_in_f32(context, [&](CompileContext&) -> std::unique_ptr<Kernel> {
      return std::make_unique<GridSampleKernel>(kernel);
    });
  }

 private:
  Options options_;
};

}  // namespace wasmvino::ops::grid_sample

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(grid_sample) {
  registry.add<grid_sample::GridSample>(
      {"GridSample", {9}, "image/grid-sample-9", {{"data", kNumbers}, {"grid", kFloats}}});
}
}  // namespace wasmvino::ops
