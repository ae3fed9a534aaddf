// SPDX-License-Identifier: Apache-2.0
// Interpolate: an array resized along some of its axes.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/image/interpolate-11.html
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/resize.h"
#include "model/registry.h"
#include "ops/common/axes.h"
#include "ops/common/checks.h"
#include "ops/common/in_f32.h"
#include "ops/common/mapped_copy.h"
#include "ops/common/numbers.h"
#include "ops/common/resize_windows.h"

namespace wasmvino::ops::interpolate {

// Products below which a second thread costs more than it saves.
constexpr size_t kGrain = size_t{1} << 15;
constexpr size_t kAlignment = 64;

// Results of integer types: rounded, ties to even, and saturated.
struct IntegerRange {
  float low, high;
};

void round_in_place(float* values, size_t count, const IntegerRange& range) {
  for (size_t i = 0; i < count; ++i) values[i] = std::clamp(std::nearbyint(values[i]), range.low, range.high);
}

// Resizes axis after axis, the innermost first, but as few slices of it at a time as the next axis needs:
// each level keeps the slices that its windows share in a ring, so that nothing is computed twice and what
// lies between two axes stays in the cache.
class Resampler {
 public:
  struct Level {
    ResizeWindows windows;
    size_t size, result;         // of the axis, before and after
    size_t gap;                  // blocks of the next level in a slice
    size_t slice_in, slice_out;  // elements of a slice, before and after the levels inside
    size_t ring;                 // its place in the scratch memory of a part
  };

  // `axes` are the resized ones, rising; the others have the same size before and after.
  Resampler(const ResizeRule& rule, const Shape& input, const Shape& output, const Ints& axes,
            const std::vector<ResizeAxis>& resized, size_t threads) {
    outer_ = product(input, 0, static_cast<size_t>(axes.front()));
    size_t place = 0;
    for (size_t i = 0; i < axes.size(); ++i) {
      const auto axis = static_cast<size_t>(axes[i]);
      const size_t next = i + 1 < axes.size() ? static_cast<size_t>(axes[i + 1]) : axis + 1;
      Level level;
      level.slice_in = product(input, axis + 1, input.size());
      level.slice_out = product(output, axis + 1, output.size());
      level.windows = make_windows(rule, resized[i], level.slice_in == 1);
      level.size = static_cast<size_t>(resized[i].size);
      level.result = static_cast<size_t>(resized[i].result);
      level.gap = product(input, axis + 1, next);
      level.ring = place;
      const size_t taps = level.windows.taps;
      place = aligned(place + taps * (sizeof(float*) + sizeof(size_t)));
      if (i + 1 < axes.size()) place = aligned(place + taps * level.slice_out * sizeof(float));
      levels_.push_back(std::move(level));
    }
    part_bytes_ = place;
    const Level& first = levels_.front();
    const size_t cost = first.windows.taps * first.slice_out + levels_.back().windows.taps * first.slice_out;
    parts_ = std::clamp<size_t>(outer_ * first.result * cost / kGrain, 1, threads);
  }

  size_t scratch_bytes() const { return parts_ * part_bytes_; }
  // Rounds after each axis, as the Pillow library does.
  void round_each_axis(const IntegerRange& range) {
    rounds_ = true;
    range_ = range;
  }

  void run(const Parallel& parallel, const float* x, float* y, void* scratch) const {
    const Level& first = levels_.front();
    const size_t rows = outer_ * first.result;
    parallel_for(parallel, parts_, 1, [&](size_t begin, size_t end) {
      for (size_t part = begin; part < end; ++part) {
        char* const memory = static_cast<char*>(scratch) + part * part_bytes_;
        size_t row = rows * part / parts_;
        const size_t last = rows * (part + 1) / parts_;
        while (row < last) {
          const size_t block = row / first.result, at = row % first.result;
          const size_t until = std::min(first.result, at + last - row);
          resize(0, x + block * first.size * first.slice_in, at, until, y + row * first.slice_out, memory);
          row += until - at;
        }
      }
    });
  }

 private:
  static size_t aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

  // Slices begin..end of the result of level `l`, from its whole input at x.
  void resize(size_t l, const float* x, size_t begin, size_t end, float* y, char* scratch) const {
    const Level& level = levels_[l];
    const ResizeWindows& windows = level.windows;
    const size_t taps = windows.taps, width = level.slice_out;
    const bool last = l + 1 == levels_.size();
    const float* const weights = windows.weights.data() + begin * taps;
    const int32_t* const first = windows.first.data() + begin;
    if (last && width == 1) {
      kernels::combine_windows(x, first, weights, taps, y, end - begin);
    } else if (last && width <= 4) {
      kernels::combine_pixels(x, level.size, width, first, weights, taps, y, end - begin);
    } else {
      const float** rows = reinterpret_cast<const float**>(scratch + level.ring);
      size_t* kept = reinterpret_cast<size_t*>(rows + taps);  // which slice a place of the ring holds
      float* slices =
          reinterpret_cast<float*>(scratch + aligned(level.ring + taps * (sizeof(float*) + sizeof(size_t))));
      std::fill_n(kept, taps, level.size);
      for (size_t i = begin; i < end; ++i) {
        for (size_t k = 0; k < taps; ++k) {
          const size_t slice = static_cast<size_t>(windows.first[i]) + k;
          const float* from = x + slice * level.slice_in;
          if (!last) {
            float* to = slices + slice % taps * width;
            if (kept[slice % taps] != slice) resize_slice(l, from, to, scratch);
            kept[slice % taps] = slice;
            from = to;
          }
          rows[k] = from;
        }
        kernels::combine_rows(rows, windows.weights.data() + i * taps, taps, y + (i - begin) * width, width);
      }
    }
    if (rounds_) round_in_place(y, (end - begin) * width, range_);
  }

  void resize_slice(size_t l, const float* x, float* y, char* scratch) const {
    const Level& next = levels_[l + 1];
    for (size_t g = 0; g < levels_[l].gap; ++g) {
      resize(l + 1, x + g * next.size * next.slice_in, 0, next.result, y + g * next.result * next.slice_out,
             scratch);
    }
  }

  std::vector<Level> levels_;
  size_t outer_ = 1, part_bytes_ = 0, parts_ = 1;
  bool rounds_ = false;
  IntegerRange range_{};
};

class ResampleKernel final : public Kernel {
 public:
  explicit ResampleKernel(Resampler resampler) : resampler_(std::move(resampler)) {}

  void run(EvalContext& context) override {
    resampler_.run(context.parallel(), context.input(0).data<float>(),
                   context.output(0).mutable_data<float>(), context.scratch());
  }

 private:
  Resampler resampler_;
};

// Integers are resized in f32.
class IntegerResampleKernel final : public Kernel {
 public:
  IntegerResampleKernel(Resampler resampler, const CompileContext& context, IntegerRange range)
      : resampler_(std::move(resampler)),
        load_(number_loader<int64_t>(signed_type(context.input_type(0)))),
        store_(number_storer<int64_t>(signed_type(context.output_type(0)))),
        range_(range),
        count_in_(element_count(context.input_shape(0))),
        count_out_(element_count(context.output_shape(0))) {}

  size_t scratch_bytes() const {
    return resampler_.scratch_bytes() + (count_in_ + count_out_) * sizeof(float);
  }

  void run(EvalContext& context) override {
    char* const scratch = static_cast<char*>(context.scratch());
    float* const x = reinterpret_cast<float*>(scratch + resampler_.scratch_bytes());
    float* const y = x + count_in_;
    const void* from = context.input(0).memory;
    void* to = context.output(0).memory;
    parallel_for(context.parallel(), count_in_, kGrain, [&](size_t begin, size_t end) {
      in_blocks(begin, end, [&](size_t at, size_t count, int64_t* block) {
        load_(from, at, 1, count, block);
        for (size_t i = 0; i < count; ++i) x[at + i] = static_cast<float>(block[i]);
      });
    });
    resampler_.run(context.parallel(), x, y, scratch);
    parallel_for(context.parallel(), count_out_, kGrain, [&](size_t begin, size_t end) {
      round_in_place(y + begin, end - begin, range_);
      in_blocks(begin, end, [&](size_t at, size_t count, int64_t* block) {
        for (size_t i = 0; i < count; ++i) block[i] = static_cast<int64_t>(y[at + i]);
        store_(block, count, to, at, 1);
      });
    });
  }

 private:
  // integer_range() keeps the upper half of u64 out.
  static ElementType signed_type(ElementType type) {
    return type == ElementType::kU64 ? ElementType::kI64 : type;
  }

  template <typename Body>
  static void in_blocks(size_t begin, size_t end, const Body& body) {
    int64_t block[128];
    for (size_t at = begin; at < end; at += std::size(block))
      body(at, std::min(std::size(block), end - at), block);
  }

  Resampler resampler_;
  LoadNumbers<int64_t> load_;
  StoreNumbers<int64_t> store_;
  IntegerRange range_;
  size_t count_in_, count_out_;
};

class NearestKernel final : public Kernel {
 public:
  explicit NearestKernel(MappedCopy copy) : copy_(std::move(copy)) {}
  void run(EvalContext& context) override {
    copy_.gather(context.parallel(), context.input(0).memory, context.output(0).memory, nullptr);
  }

 private:
  MappedCopy copy_;
};

// The greatest float that an integer type can hold: 2^63 itself is too large for i64.
IntegerRange integer_range(ElementType type) {
  const int bits = static_cast<int>(std::min<size_t>(bit_width(type), 63));
  if (!is_signed(type)) return {0.0f, std::nextafter(std::ldexp(1.0f, bits), 0.0f)};
  return {-std::ldexp(1.0f, bits - 1), std::nextafter(std::ldexp(1.0f, bits - 1), 0.0f)};
}

class Interpolate final : public Op {
 public:
  explicit Interpolate(int version) : version_(version) {}

  void visit_attributes(AttributeVisitor& visitor) override {
    if (version_ >= 4) {
      visitor.on_enum("mode", rule_.mode,
                      {"nearest", "linear", "linear_onnx", "cubic", "bilinear_pillow", "bicubic_pillow"});
      visitor.on_enum("shape_calculation_mode", shape_mode_, {"sizes", "scales"});
      visitor.on_enum(
          "coordinate_transformation_mode", rule_.coordinates,
          {"half_pixel", "pytorch_half_pixel", "asymmetric", "tf_half_pixel_for_nn", "align_corners"});
      visitor.on_enum("nearest_mode", rule_.nearest,
                      {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "simple"});
      visitor.on("cube_coeff", rule_.cube_coeff);
    } else {
      visitor.on_enum("mode", rule_.mode, {"nearest", "linear", "linear_onnx", "cubic"});
      visitor.on("axes", axes_);
      visitor.on("align_corners", align_corners_);
    }
    visitor.on("antialias", rule_.antialias);
    visitor.on("pads_begin", pads_begin_);
    visitor.on("pads_end", pads_end_);
    for (const Ints* pads : {&pads_begin_, &pads_end_}) {
      for (const int64_t pad : *pads) {
        if (pad < 0) fail(ErrorCode::kInvalidModel, "a pad is ", pad, ", expected 0 or more");
      }
    }
  }

  void infer(InferContext& context) const override {
    if (version_ >= 4) {
      context.expect_inputs(axes_input(), axes_input() + 1);
    } else {
      context.expect_inputs(2);
    }
    expect_numeric(context, 0, "image");
    if (by_scales()) {
      expect_real(context, target_input(), "scales");
    } else {
      expect_integral(context, target_input(), "sizes");
    }
    const PartialShape& input = context.input_shape(0);
    const std::optional<Ints> axes = known_axes_of(context);
    const TensorView* target = context.input_value(target_input());
    if (!input.has_rank()) return context.set_output(0, context.input_type(0), {});
    PartialShape output = padded(input);
    if (!axes) return context.set_output(0, context.input_type(0), PartialShape::of_rank(input.rank()));
    if (rule_.mode >= ResizeMode::kBilinearPillow && axes->size() != 2) {
      fail(ErrorCode::kInvalidValue, "the modes of Pillow resize 2 axes, not ", axes->size());
    }
    if (target != nullptr && target->size() < axes->size()) {
      fail(ErrorCode::kInvalidShape, by_scales() ? "scales" : "sizes", " has ", target->size(),
           " elements for ", axes->size(), " axes");
    }
    const Ints sizes = target != nullptr && !by_scales() ? to_ints(*target) : Ints();
    for (size_t i = 0; i < axes->size(); ++i) {
      Dimension& size = output[static_cast<size_t>((*axes)[i])];
      if (target == nullptr) {
        size = Dimension();
      } else if (by_scales()) {
        size = scaled(size, scale_at(*target, i));
      } else {
        const int64_t wanted = sizes[i];
        if (wanted < 0) fail(ErrorCode::kInvalidValue, "sizes[", i, "] is ", wanted, ", expected 0 or more");
        if (wanted > 0 && size.max == 0) {
          fail(ErrorCode::kInvalidShape, "axis ", (*axes)[i], " of image ", input,
               " has no elements to make ", wanted, " from");
        }
        size = wanted;
      }
    }
    context.set_output(0, context.input_type(0), output);
  }

  std::optional<ViewOf> view_of(const CompileContext& context, size_t) const override {
    const ResizeRule rule = rule_for(context);
    const bool same = context.input_shape(0) == context.output_shape(0) && !has_pads();
    return same && !rule.antialias ? std::optional(ViewOf{0, 0}) : std::nullopt;
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    if (rule_.mode == ResizeMode::kNearest) return compile_nearest(context);
    const ElementType type = context.input_type(0);
    if (is_integral(type)) {
      const IntegerRange range = integer_range(type);
      Resampler resampler = make_resampler(context);
      if (rule_.mode >= ResizeMode::kBilinearPillow) resampler.round_each_axis(range);
      auto kernel = std::make_unique<IntegerResampleKernel>(std::move(resampler), context, range);
      context.request_scratch(kernel->scratch_bytes());
      return kernel;
    }
    return compile_in_f32(context, [&](CompileContext& inner) -> std::unique_ptr<Kernel> {
      Resampler resampler = make_resampler(inner);
      inner.request_scratch(resampler.scratch_bytes());
      return std::make_unique<ResampleKernel>(std::move(resampler));
    });
  }

 private:
  enum class ShapeMode { kSizes, kScales };

  bool by_scales() const { return version_ >= 4 && shape_mode_ == ShapeMode::kScales; }
  size_t target_input() const { return version_ == 4 && by_scales() ? 2 : 1; }
  size_t axes_input() const { return version_ == 4 ? 3 : 2; }

  bool has_pads() const {
    const auto is_pad = [](int64_t pad) { return pad != 0; };
    return std::any_of(pads_begin_.begin(), pads_begin_.end(), is_pad) ||
           std::any_of(pads_end_.begin(), pads_end_.end(), is_pad);
  }
  // Lists of pads may be shorter than the rank.
  static int64_t pad_at(const Ints& pads, size_t axis) { return axis < pads.size() ? pads[axis] : 0; }
  PartialShape padded(PartialShape shape) const {
    for (size_t axis = 0; axis < shape.rank(); ++axis) {
      shape[axis] = shape[axis] + Dimension(pad_at(pads_begin_, axis) + pad_at(pads_end_, axis));
    }
    return shape;
  }

  static float scale_at(const TensorView& scales, size_t i) {
    float scale = 0.0f;
    number_loader<float>(scales.type)(scales.memory, i, 1, 1, &scale);
    if (!(scale > 0.0f) || scale > std::numeric_limits<float>::max()) {
      fail(ErrorCode::kInvalidValue, "scales[", i, "] is ", scale, ", expected a number above 0");
    }
    return scale;
  }
  // OpenVINO adds 1e-6 to the scale, so that 10 * 0.7 is 7 whatever the rounding.
  static Dimension scaled(Dimension size, float scale) {
    const auto times = [&](int64_t bound) {
      if (bound == Dimension::kUnbounded) return bound;
      return static_cast<int64_t>(std::floor(static_cast<float>(bound) * (scale + 1e-6f)));
    };
    return {times(size.min), times(size.max)};
  }

  std::optional<Ints> known_axes_of(InferContext& context) const {
    const PartialShape& shape = context.input_shape(0);
    if (version_ >= 4 && context.input_count() > axes_input()) {
      const auto axes = known_axes(context, axes_input(), shape);
      if (axes) expect_distinct(*axes);
      return axes;
    }
    if (!shape.has_rank()) return std::nullopt;
    const Ints axes = default_axes(shape.rank());
    expect_distinct(axes);
    return axes;
  }
  Ints default_axes(size_t rank) const {
    if (version_ < 4) return normalize_axes(axes_, rank);
    Ints axes;
    for (size_t axis = 0; axis < rank; ++axis) axes.push_back(static_cast<int64_t>(axis));
    return axes;
  }
  static void expect_distinct(const Ints& axes) {
    for (size_t i = 0; i < axes.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (axes[i] == axes[j]) fail(ErrorCode::kInvalidValue, "axis ", axes[i], " is named twice");
      }
    }
  }

  // In the order of the inputs.
  Ints axes_of(const CompileContext& context) const {
    const size_t rank = context.input_shape(0).size();
    if (version_ < 4 || context.input_count() <= axes_input()) return default_axes(rank);
    return normalize_axes(*context.constant_ints(axes_input()), rank);
  }

  // All axes of the image; those that are not resized may have pads.
  std::vector<ResizeAxis> resized_axes(const CompileContext& context) const {
    const Shape input = context.input_shape(0), output = context.output_shape(0);
    std::vector<ResizeAxis> axes(input.size());
    for (size_t axis = 0; axis < input.size(); ++axis) {
      axes[axis].size = input[axis];
      axes[axis].pad_begin = pad_at(pads_begin_, axis);
      axes[axis].pad_end = pad_at(pads_end_, axis);
      axes[axis].result = output[axis];
    }
    const Ints named = axes_of(context);
    for (size_t i = 0; i < named.size(); ++i) {
      ResizeAxis& axis = axes[static_cast<size_t>(named[i])];
      axis.scale = by_scales() ? scale_at(*context.constant(target_input()), i)
                               : static_cast<float>(axis.result) / static_cast<float>(axis.padded());
    }
    return axes;
  }

  // Version 1 in the terms of version 4: OpenVINO resizes pictures with other coordinates than volumes and
  // lines.
  ResizeRule rule_for(const CompileContext& context) const {
    ResizeRule rule = rule_;
    const Shape shape = context.input_shape(0);
    if (version_ < 4) {
      const bool linear = rule.mode == ResizeMode::kLinear || rule.mode == ResizeMode::kLinearOnnx;
      if (rule.mode == ResizeMode::kLinear && shape.size() < 5) rule.mode = ResizeMode::kLinearOnnx;
      Ints axes = axes_of(context);
      std::sort(axes.begin(), axes.end());
      const bool picture = shape.size() == 4 && axes == Ints{2, 3};
      rule.nearest = NearestMode::kSimple;
      rule.coordinates = align_corners_                      ? CoordinateMode::kAlignCorners
                         : linear && !has_pads() && !picture ? CoordinateMode::kHalfPixel
                                                             : CoordinateMode::kAsymmetric;
    }
    const std::vector<ResizeAxis> axes = resized_axes(context);
    const bool shrinks =
        std::any_of(axes.begin(), axes.end(), [](const ResizeAxis& axis) { return axis.scale < 1; });
    rule.antialias = rule.antialias && shrinks && rule.mode == ResizeMode::kLinear;
    return rule;
  }

  Resampler make_resampler(const CompileContext& context) const {
    const std::vector<ResizeAxis> all = resized_axes(context);
    const ResizeRule rule = rule_for(context);
    Ints axes;
    std::vector<ResizeAxis> resized;
    for (size_t axis = 0; axis < all.size(); ++axis) {
      const bool blurred = rule.antialias && all[axis].scale != 1.0f;
      if (all[axis].size == all[axis].result && all[axis].size == all[axis].padded() && !blurred) continue;
      axes.push_back(static_cast<int64_t>(axis));
      resized.push_back(all[axis]);
    }
    return Resampler(rule, context.input_shape(0), context.output_shape(0), axes, resized,
                     context.parallel().threads());
  }

  std::unique_ptr<Kernel> compile_nearest(const CompileContext& context) const {
    const ResizeRule rule = rule_for(context);
    const Ints strides = row_major_strides(context.input_shape(0));
    const std::vector<ResizeAxis> axes = resized_axes(context);
    std::vector<AxisMap> maps;
    for (size_t axis = 0; axis < axes.size(); ++axis) {
      AxisMap& map = maps.emplace_back();
      for (const int32_t element : nearest_elements(rule, axes[axis])) {
        if (element < 0) {
          map.add_nowhere(1);
        } else {
          map.add(1, static_cast<ptrdiff_t>(element * strides[axis]), 0);
        }
      }
    }
    return std::make_unique<NearestKernel>(MappedCopy(context.input_type(0), std::move(maps)));
  }

  int version_;
  ResizeRule rule_;
  ShapeMode shape_mode_ = ShapeMode::kSizes;
  Ints pads_begin_, pads_end_;
  // Of version 1.
  Ints axes_;
  bool align_corners_ = true;
};

}  // namespace wasmvino::ops::interpolate

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(interpolate) {
  registry.add<interpolate::Interpolate>({"Interpolate", {1, 4, 11}, "image/interpolate-11"});
}
}  // namespace wasmvino::ops
