// SPDX-License-Identifier: Apache-2.0
// GridSample of ONNX, for any number of spatial axes. Front ends use OpenVINO's for two.
// https://onnx.ai/onnx/operators/onnx__GridSample.html
#include <algorithm>
#include <cmath>

#include "core/call.h"
#include "model/registry.h"
#include "ops/elements/in_f32.h"
#include "ops/inputs/checks.h"

namespace wasmvino::ops::grid_sample_nd {

enum class Mode { kLinear, kNearest, kCubic };
enum class Padding { kZeros, kBorder, kReflection };

struct Options {
  Mode mode = Mode::kLinear;
  Padding padding = Padding::kZeros;
  bool align_corners = false;
};

constexpr size_t kMostAxes = 6, kMostTaps = 4;
constexpr double kCubic = -0.75;

// The elements along one axis around a place, and their weights.
struct Taps {
  size_t count = 0;
  size_t places[kMostTaps];
  float weights[kMostTaps];
};

double reflected(double x, double low, double high) {
  const double range = high - low;
  if (!(range > 0)) return low;
  const double turned = std::fmod(std::fabs(x - low), 2 * range);
  return low + (turned > range ? 2 * range - turned : turned);
}

double cubic_weight(double x) {
  x = std::fabs(x);
  if (x <= 1) return ((kCubic + 2) * x - (kCubic + 3)) * x * x + 1;
  return x < 2 ? ((kCubic * x - 5 * kCubic) * x + 8 * kCubic) * x - 4 * kCubic : 0;
}

Taps taps_at(const Options& o, float part, size_t size) {
  const double length = static_cast<double>(size), last = length - 1, p = static_cast<double>(part);
  const double low = o.align_corners ? 0 : -0.5, high = o.align_corners ? last : length - 0.5;
  const auto padded = [&](double x) {
    if (o.padding == Padding::kZeros || !(x < low || x > high)) return x;
    return o.padding == Padding::kBorder ? std::clamp(x, 0.0, last) : reflected(x, low, high);
  };
  double x = o.align_corners ? (p + 1) / 2 * last : ((p + 1) * length - 1) / 2;
  x = padded(x);
  Taps taps;
  // Infinities and NaN are outside.
  const bool finite = std::fabs(x) <= 2147483648.0;
  const double first = !finite                    ? -8
                       : o.mode == Mode::kNearest ? std::nearbyint(x)
                                                  : std::floor(x) - (o.mode == Mode::kCubic ? 1 : 0);
  taps.count = o.mode == Mode::kNearest ? 1 : o.mode == Mode::kLinear ? 2 : 4;
  for (size_t k = 0; k < taps.count; ++k) {
    const double place = first + static_cast<double>(k), distance = std::fabs(x - place);
    const double own = std::nearbyint(padded(place));
    const bool inside = finite && own >= 0 && own <= last;
    const double weight = o.mode == Mode::kNearest  ? 1
                          : o.mode == Mode::kLinear ? 1 - distance
                                                    : cubic_weight(distance);
    taps.places[k] = inside ? static_cast<size_t>(own) : 0;
    taps.weights[k] = inside ? static_cast<float>(weight) : 0.0f;
  }
  return taps;
}

class Sampling final : public Kernel {
 public:
  Sampling(const Shape& data, const Shape& grid, const Options& options)
      : options_(options),
        axes_(data.size() - 2),
        batches_(static_cast<size_t>(data[0])),
        channels_(static_cast<size_t>(data[1])),
        points_(product(grid, 1, grid.size() - 1)),
        plane_(product(data, 2, data.size())) {
    for (size_t i = 0; i < axes_; ++i) sizes_[i] = static_cast<size_t>(data[2 + i]);
  }

  void run(EvalContext& context) override {
    const float *data = context.input(0).data<float>(), *grid = context.input(1).data<float>();
    float* const to = context.output(0).mutable_data<float>();
    parallel_for(context.parallel(), batches_ * points_, 256, [&](size_t begin, size_t end) {
      WorkMeter meter;
      for (size_t i = begin; i < end; ++i) {
        const size_t batch = i / points_;
        const size_t taps = sample(data + batch * channels_ * plane_, grid + i * axes_,
                                   to + batch * channels_ * points_ + i % points_);
        meter.add(taps * (channels_ + 8));
      }
    });
  }

 private:
  // One point of all channels. Returns the number of elements that it took.
  size_t sample(const float* data, const float* place, float* to) const {
    Taps taps[kMostAxes];
    size_t count = 1;
    for (size_t axis = 0; axis < axes_; ++axis) {
      // Coordinates come in the order x, y, z, and axes in the order z, y, x.
      taps[axis] = taps_at(options_, place[axes_ - 1 - axis], sizes_[axis]);
      count *= taps[axis].count;
    }
    for (size_t c = 0; c < channels_; ++c) to[c * points_] = 0;
    for (size_t i = 0; i < count; ++i) {
      size_t rest = i, at = 0;
      float weight = 1;
      for (size_t axis = 0; axis < axes_; ++axis) {
        const size_t k = rest % taps[axis].count;
        rest /= taps[axis].count;
        at = at * sizes_[axis] + taps[axis].places[k];
        weight *= taps[axis].weights[k];
      }
      if (weight == 0) continue;
      for (size_t c = 0; c < channels_; ++c) to[c * points_] += weight * data[c * plane_ + at];
    }
    return count;
  }

  Options options_;
  size_t axes_, batches_, channels_, points_, plane_;
  size_t sizes_[kMostAxes] = {};
};

class GridSampleNd final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on_enum("mode", o_.mode, {"linear", "nearest", "cubic"});
    visitor.on_enum("padding_mode", o_.padding, {"zeros", "border", "reflection"});
    visitor.on("align_corners", o_.align_corners);
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(2);
    expect_rank(context, 0, 3, 2 + kMostAxes, "data");
    const PartialShape &data = context.input_shape(0), &grid = context.input_shape(1);
    if (!data.has_rank()) return context.set_output(0, context.input_type(0), PartialShape());
    expect_rank(context, 1, data.rank(), data.rank(), "grid");
    PartialShape shape = PartialShape::of_rank(data.rank());
    shape[1] = data[1];
    shape[0] = data[0];
    if (grid.has_rank()) {
      shape[0] = expect_size(context, 1, "grid", 0, data[0], "axis 0 of data");
      expect_size(context, 1, "grid", data.rank() - 1, Dimension(static_cast<int64_t>(data.rank()) - 2),
                  "the number of spatial axes of data");
      for (size_t i = 2; i < data.rank(); ++i) shape[i] = grid[i - 1];
    }
    for (size_t i = 2; i < data.rank(); ++i) {
      if (data[i].max == 0) fail(ErrorCode::kInvalidShape, "data ", data, " has no elements along axis ", i);
    }
    context.set_output(0, context.input_type(0), shape);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return compile_in_f32(context, [&](CompileContext& inner) -> std::unique_ptr<Kernel> {
      return std::make_unique<Sampling>(inner.input_shape(0), inner.input_shape(1), o_);
    });
  }

 private:
  Options o_;
};

}  // namespace wasmvino::ops::grid_sample_nd

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(grid_sample_nd) {
  registry.add<grid_sample_nd::GridSampleNd>(
      {"GridSampleNd", {1}, "GridSample", {{"data", kFloats}, {"grid", kFloats}}, kLastOpset, "ai.onnx"});
}
}  // namespace wasmvino::ops
