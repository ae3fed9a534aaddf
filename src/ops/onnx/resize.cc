// SPDX-License-Identifier: Apache-2.0
// Resize: resizes axes one after the other, with all modes and policies of ONNX. Front ends use Interpolate
// for those that both have. https://onnx.ai/onnx/operators/onnx__Resize.html
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/call.h"
#include "kernels/numbers.h"
#include "model/registry.h"
#include "ops/inputs/axes.h"
#include "ops/inputs/checks.h"

namespace wasmvino::ops::resize {

enum Input : size_t { kData, kScales, kSizes, kRoi };
enum class Mode { kNearest, kLinear, kCubic };
enum class Coordinates {
  kHalfPixel,
  kHalfPixelSymmetric,
  kPytorchHalfPixel,
  kAlignCorners,
  kAsymmetric,
  kCrop,
};
enum class Nearest { kRoundPreferFloor, kRoundPreferCeil, kFloor, kCeil };
enum class Policy { kStretch, kNotLarger, kNotSmaller };

// Largest size of an axis, so that sizes times scales fit 64 bits.
constexpr double kMostSize = 2147483648.0;
constexpr size_t kGrain = size_t{1} << 14;

struct Options {
  Mode mode = Mode::kNearest;
  Coordinates coordinates = Coordinates::kHalfPixel;
  Nearest nearest = Nearest::kRoundPreferFloor;
  Policy policy = Policy::kStretch;
  bool antialias = false, exclude_outside = false;
  double cubic = -0.75, extrapolation = 0;
  Ints axes;  // empty: all
};

// How one axis is resized.
struct Resized {
  size_t axis = 0;
  int64_t from = 0, to = 0;
  double scale = 1;
  double begin = 0, end = 1;  // the region of interest, as parts of the axis
};

// The elements of the input, and their weights, for each element of the output.
struct Taps {
  size_t count = 0;              // for each element
  std::vector<uint32_t> places;  // of all elements, one after the other
  std::vector<float> weights;
  std::vector<uint8_t> outside;  // elements that get the extrapolation value
};

double position(const Options& o, const Resized& r, double y, bool& outside) {
  const double from = static_cast<double>(r.from), width = r.scale * from;
  switch (o.coordinates) {
    case Coordinates::kAlignCorners:
      return width == 1 ? 0 : y * (from - 1) / (width - 1);
    case Coordinates::kAsymmetric:
      return y / r.scale;
    case Coordinates::kCrop: {
      const double length = (r.end - r.begin) * (from - 1);
      const double x = (width == 1 ? length / 2 : y * length / (width - 1)) + r.begin * (from - 1);
      outside = !(x >= 0 && x <= from - 1);
      return outside ? 0 : x;
    }
    case Coordinates::kPytorchHalfPixel:
      return width == 1 ? -0.5 : (y + 0.5) / r.scale - 0.5;
    case Coordinates::kHalfPixelSymmetric:
      return from / 2 * (1 - static_cast<double>(r.to) / width) + (y + 0.5) / r.scale - 0.5;
    default:
      return (y + 0.5) / r.scale - 0.5;
  }
}

bool takes_left(Nearest nearest, double ratio) {
  switch (nearest) {
    case Nearest::kRoundPreferFloor:
      return ratio <= 0.5;
    case Nearest::kRoundPreferCeil:
      return ratio < 0.5;
    case Nearest::kFloor:
      return ratio < 1;
    default:
      return false;
  }
}

double cubic_weight(double x, double a) {
  x = std::fabs(x);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

Taps taps_of(const Options& o, const Resized& r) {
  Taps taps;
  if (r.to == 0) return taps;
  const double shrink = o.antialias ? std::min(r.scale, 1.0) : 1.0;
  const double reach = o.mode == Mode::kCubic ? 2 : 1;
  // The window around x begins at floor(x) + first, and is symmetric.
  const auto first = static_cast<int64_t>(std::floor(-reach / shrink)) + 1;
  taps.count = static_cast<size_t>(2 - 2 * first);
  const auto size = static_cast<size_t>(r.to);
  const CheckedSize all = CheckedSize(size) * taps.count;
  taps.places.resize(all.value());
  taps.weights.resize(all.value());
  taps.outside.resize(size);
  std::vector<double> weights(taps.count);
  WorkMeter meter;
  for (size_t y = 0; y < size; ++y) {
    bool outside = false;
    const double x = position(o, r, static_cast<double>(y), outside);
    taps.outside[y] = outside ? 1 : 0;
    // An integral x belongs to the element before it, at a distance of 1.
    const double floor = std::clamp(std::ceil(x) - 1, -kMostSize, 2 * kMostSize), ratio = x - floor;
    double sum = 0;
    for (size_t k = 0; k < taps.count; ++k) {
      const int64_t step = first + static_cast<int64_t>(k);
      const double distance = (static_cast<double>(step) - ratio) * shrink;
      const int64_t place = static_cast<int64_t>(floor) + step;
      double& weight = weights[k];
      if (o.mode == Mode::kNearest) {
        weight = (step == 0) == takes_left(o.nearest, ratio) ? 1 : 0;
      } else {
        weight = o.mode == Mode::kCubic ? cubic_weight(distance, o.cubic)
                                        : std::clamp(1 - std::fabs(distance), 0.0, 1.0);
      }
      if (o.exclude_outside && (place < 0 || place >= r.from)) weight = 0;
      sum += weight;
      taps.places[y * taps.count + k] = static_cast<uint32_t>(std::clamp<int64_t>(place, 0, r.from - 1));
    }
    if (sum == 0 || !(o.antialias || o.exclude_outside)) sum = 1;
    for (size_t k = 0; k < taps.count; ++k)
      taps.weights[y * taps.count + k] = static_cast<float>(weights[k] / sum);
    meter.add(8 * taps.count);
  }
  return taps;
}

class Resizing final : public Kernel {
 public:
  Resizing(CompileContext& context, const Options& options, const std::vector<Resized>& axes)
      : load_(kernels::number_loader<float>(context.input_type(kData))),
        store_(kernels::number_storer<float>(context.input_type(kData))),
        extrapolation_(static_cast<float>(options.extrapolation)) {
    Shape shape = context.input_shape(kData);
    largest_ = element_count(shape);
    for (const Resized& axis : axes) {
      Pass pass;
      pass.outer = product(shape, 0, axis.axis);
      pass.inner = product(shape, axis.axis + 1, shape.size());
      pass.from = static_cast<size_t>(axis.from);
      pass.to = static_cast<size_t>(axis.to);
      pass.taps = taps_of(options, axis);
      shape[axis.axis] = axis.to;
      largest_ = std::max(largest_, element_count(shape));
      passes_.push_back(std::move(pass));
    }
    context.request_scratch(CheckedSize(largest_) * 2 * sizeof(float));
  }

  void run(EvalContext& context) override {
    float* from = static_cast<float*>(context.scratch());
    float* to = from + largest_;
    const size_t count = context.output(0).size();
    if (count == 0) return;
    parallel_for(context.parallel(), context.input(kData).size(), kGrain, [&](size_t begin, size_t end) {
      load_(context.input(kData).memory, begin, 1, end - begin, from + begin);
    });
    for (const Pass& pass : passes_) {
      const size_t cost = std::max<size_t>(1, saturating_product(pass.inner, pass.taps.count));
      parallel_for(context.parallel(), pass.outer * pass.to, kGrain / cost + 1,
                   [&](size_t begin, size_t end) {
                     WorkMeter meter;
                     for (size_t i = begin; i < end; ++i) {
                       resize(pass, i, from, to + i * pass.inner);
                       meter.add(cost);
                     }
                   });
      std::swap(from, to);
    }
    parallel_for(context.parallel(), count, kGrain, [&](size_t begin, size_t end) {
      store_(from + begin, end - begin, context.output(0).memory, begin, 1);
    });
  }

 private:
  struct Pass {
    size_t outer, inner, from, to;
    Taps taps;
  };

  // One row of `inner` elements.
  void resize(const Pass& pass, size_t row, const float* data, float* to) const {
    const size_t y = row % pass.to;
    if (pass.taps.outside[y] != 0) return static_cast<void>(std::fill_n(to, pass.inner, extrapolation_));
    data += row / pass.to * pass.from * pass.inner;
    std::fill_n(to, pass.inner, 0.0f);
    for (size_t k = y * pass.taps.count; k < (y + 1) * pass.taps.count; ++k) {
      const float weight = pass.taps.weights[k];
      if (weight == 0) continue;
      const float* from = data + pass.taps.places[k] * pass.inner;
      for (size_t i = 0; i < pass.inner; ++i) to[i] += weight * from[i];
    }
  }

  kernels::LoadNumbers<float> load_;
  kernels::StoreNumbers<float> store_;
  float extrapolation_;
  size_t largest_ = 0;
  std::vector<Pass> passes_;
};

class Resize final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on_enum("mode", o_.mode, {"nearest", "linear", "cubic"});
    visitor.on_enum("coordinate_transformation_mode", o_.coordinates,
                    {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
                     "asymmetric", "tf_crop_and_resize"});
    visitor.on_enum("nearest_mode", o_.nearest, {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"});
    visitor.on_enum("keep_aspect_ratio_policy", o_.policy, {"stretch", "not_larger", "not_smaller"});
    visitor.on("antialias", o_.antialias);
    visitor.on("exclude_outside", o_.exclude_outside);
    visitor.on("cubic_coeff_a", o_.cubic);
    visitor.on("extrapolation_value", o_.extrapolation);
    visitor.on("axes", o_.axes);
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(4);
    for (const size_t i : {kScales, kSizes, kRoi})
      expect_rank(context, i, 1, 1, i == kScales ? "scales" : i == kSizes ? "sizes" : "roi");
    PartialShape shape = context.input_shape(kData);
    const TensorView *scales = context.input_value(kScales), *sizes = context.input_value(kSizes),
                     *roi = context.input_value(kRoi);
    if (shape.has_rank()) {
      const std::vector<size_t> axes = axes_of(shape.rank());
      if (scales != nullptr && sizes != nullptr && roi != nullptr && shape.is_static()) {
        for (const Resized& axis : resized(shape.to_shape(), *scales, *sizes, *roi))
          shape[axis.axis] = axis.to;
      } else {
        for (const size_t axis : axes) shape[axis] = Dimension();
      }
    }
    context.set_output(0, context.input_type(kData), shape);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return std::make_unique<Resizing>(context, o_,
                                      resized(context.input_shape(kData), *context.constant(kScales),
                                              *context.constant(kSizes), *context.constant(kRoi)));
  }

 private:
  std::vector<size_t> axes_of(size_t rank) const {
    std::vector<size_t> axes;
    if (o_.axes.empty()) {
      for (size_t i = 0; i < rank; ++i) axes.push_back(i);
      return axes;
    }
    for (const int64_t axis : normalize_axes(o_.axes, rank)) {
      if (std::find(axes.begin(), axes.end(), static_cast<size_t>(axis)) != axes.end())
        fail(ErrorCode::kInvalidModel, "attribute 'axes' is ", to_string(o_.axes),
             ", which names an axis twice");
      axes.push_back(static_cast<size_t>(axis));
    }
    return axes;
  }

  static std::vector<double> numbers(const TensorView& list, size_t count, const char* name) {
    if (list.size() != count)
      fail(ErrorCode::kInvalidValue, name, " has ", list.size(), " numbers, expected ", count);
    const auto values = to_doubles(list);
    return {values.begin(), values.end()};
  }

  // The axes that change.
  std::vector<Resized> resized(const Shape& shape, const TensorView& scales, const TensorView& sizes,
                               const TensorView& roi) const {
    const std::vector<size_t> axes = axes_of(shape.size());
    const bool by_scales = scales.size() > 0;
    if (by_scales == (sizes.size() > 0) && !axes.empty())
      fail(ErrorCode::kInvalidValue, "it has ", scales.size(), " scales and ", sizes.size(),
           " sizes, expected one of both for each axis");
    const std::vector<double> wanted =
        by_scales ? numbers(scales, axes.size(), "scales") : numbers(sizes, axes.size(), "sizes");
    const bool crops = o_.coordinates == Coordinates::kCrop;
    const std::vector<double> region = crops ? numbers(roi, 2 * axes.size(), "roi") : std::vector<double>();
    std::vector<Resized> made;
    for (size_t i = 0; i < axes.size(); ++i) {
      Resized r;
      r.axis = axes[i];
      r.from = shape[r.axis];
      if (!(wanted[i] >= 0 && wanted[i] <= kMostSize) || (by_scales && wanted[i] == 0))
        fail(ErrorCode::kInvalidValue, by_scales ? "scales[" : "sizes[", i, "] is ", wanted[i]);
      r.scale = by_scales ? wanted[i] : r.from == 0 ? 1 : wanted[i] / static_cast<double>(r.from);
      if (crops) r.begin = region[i], r.end = region[axes.size() + i];
      made.push_back(r);
    }
    if (o_.policy != Policy::kStretch && !by_scales) keep_ratio(made);
    for (size_t i = 0; i < made.size(); ++i) {
      Resized& r = made[i];
      const double from = static_cast<double>(r.from);
      const double to = by_scales                       ? std::floor(r.scale * from)
                        : o_.policy == Policy::kStretch ? wanted[i]
                                                        : std::floor(r.scale * from + 0.5);
      if (!(to <= kMostSize) || from > kMostSize || (r.from == 0 && to > 0)) {
        fail(ErrorCode::kInvalidValue, "axis ", r.axis, " of data ", to_string(shape), " cannot become ", to,
             " elements long");
      }
      r.to = static_cast<int64_t>(to);
    }
    made.erase(std::remove_if(made.begin(), made.end(),
                              [](const Resized& r) {
                                return r.from == r.to && (r.scale == 1 || r.from == 0) && r.begin == 0 &&
                                       r.end == 1;
                              }),
               made.end());
    return made;
  }

  // One scale for all axes.
  void keep_ratio(std::vector<Resized>& axes) const {
    if (axes.empty()) return;
    double scale = axes[0].scale;
    for (const Resized& r : axes)
      scale = o_.policy == Policy::kNotLarger ? std::min(scale, r.scale) : std::max(scale, r.scale);
    for (Resized& r : axes) r.scale = scale;
  }

  Options o_;
};

}  // namespace wasmvino::ops::resize

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(resize) {
  constexpr TypeSet kData = kFloats | TypeSet{ElementType::kU8, ElementType::kI8, ElementType::kI32};
  registry.add<resize::Resize>(
      {"Resize",
       {1},
       "Resize",
       {{"data", kData}, {"scales", kFloats}, {"sizes", kAnyIntegers}, {"roi", kFloats}},
       kLastOpset,
       "ai.onnx"});
}
}  // namespace wasmvino::ops
