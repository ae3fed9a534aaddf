// SPDX-License-Identifier: Apache-2.0
#include "ops/quantised_data/integer_product.h"

#include <algorithm>
#include <cmath>

#include "kernels/conv_windows.h"
#include "kernels/integer_conv.h"
#include "kernels/integer_winograd.h"
#include "kernels/registers.h"
#include "kernels/winograd.h"
#include "model/node.h"
#include "ops/convolution/convolution_policy.h"
#include "ops/quantised_data/requantization.h"

namespace wasmvino::ops {
namespace {

using kernels::Conv;
using kernels::Extents;
using kernels::IntegerDot;
using kernels::Range;

// Grain: operations in about 10 µs of work.
constexpr size_t kOperationGrain = size_t{1} << 19;
// Minimum pixels per part. With fewer, reading the filters again costs too much.
constexpr size_t kLeastPixels = 128;
// Pixels per unit of work: a multiple of the tile heights of all IntegerDot forms.
constexpr size_t kUnitPixels = 12;
// The same for Winograd's form, where transforming the filters takes as long as two or three tiles.
constexpr size_t kLeastTilesOfPart = 48;
// Fewer tiles are computed faster without transforms, and so are fewer output channels.
constexpr size_t kLeastTiles = 4, kLeastWinogradChannels = 8;
// Winograd's form multiplies pairs of i16. Beside relaxed dot, it gains only for these numbers of channels
// and tiles. The least number holds for input and output channels, the greatest for input channels. With one
// thread, its share of relaxed dot's time is 0.89 with 64 channels at 56x56, 0.84 with 128 at 28x28, and 0.97
// with 64 at 20x20. It is 1.10 with 32 channels, 1.08 with 256, and 1.4 with 9 tiles.
constexpr size_t kLeastChannelsBesideDot = 64, kMostChannelsBesideDot = 128, kLeastTilesBesideDot = 25;
constexpr size_t kAlignment = 64;

// Weights packed for one IntegerDot form, and their sums.
struct PackedIntegers {
  Tensor values;
  std::vector<int32_t> sums;
  // The largest magnitude that the sum of an output can have. Only Winograd's form needs it: of nine taps.
  int64_t largest = 0;
};

class IntegerProductKernel final : public Kernel {
 public:
  IntegerProductKernel(CompileContext& context, IntegerProduct product)
      : product_(std::move(product)), parallel_(context.parallel().threads()) {
    conv_ = {product_.conv, kernels::integer_dot(), 0};
    depthwise_ = is_depthwise(product_.conv);
    if (!depthwise_) conv_.pad = static_cast<uint8_t>(std::lround(product_.data->zero_of(0)));
    const char* layout = depthwise_                                    ? " depthwise "
                         : kernels::integer_conv_reads_in_place(conv_) ? " in place "
                                                                       : " ";
    packed_ = context.shared<PackedIntegers>(
        1, cat("integers ", static_cast<int>(conv_.dot), layout, product_.key), [&] { return pack(); });
    context.consume(1);
    make_epilogue(context);
    direct_ = cut(false);
    CheckedSize scratch = CheckedSize(direct_.threads) * thread_bytes(false);
    if (has_winograd()) {
      winograd_ = cut(true);
      if (gains_from_winograd(*winograd_)) {
        const CheckedSize own = CheckedSize(winograd_->threads) * thread_bytes(true);
        scratch = conv_.dot == IntegerDot::kPairs ? own : std::max(scratch, own);
      } else {
        winograd_.reset();
      }
    }
    context.request_scratch(scratch);
    product_.integers = nullptr;  // frees what the function has captured
  }

  void run(EvalContext& context) override {
    char* scratch = static_cast<char*>(context.scratch());
    const bool winograd = uses_winograd();
    const Cut& cut = winograd ? *winograd_ : direct_;
    parallel_for(context.parallel(), cut.units, cut.grain, [&](size_t begin, size_t end, size_t thread) {
      char* memory = scratch + thread * thread_bytes(winograd);
      if (cut.by_channels) {
        const size_t panel = kernels::kPanelColumns;
        compute(context, winograd, cut, {0, cut.pixel_units},
                {begin * panel, std::min(end * panel, conv_.conv.out_channels)}, memory);
      } else {
        compute(context, winograd, cut, {begin, end}, {0, conv_.conv.out_channels}, memory);
      }
    });
  }

  std::string method() const override {
    const bool winograd = uses_winograd(), pairs = winograd || conv_.dot == IntegerDot::kPairs;
    return cat(depthwise_ ? "depthwise, "
               : winograd ? "Winograd F(4x4, 3x3), "
                          : "",
               "u8 x i8, ", pairs ? "dot products of i16" : "relaxed dot products of i8");
  }

 private:
  std::shared_ptr<PackedIntegers> pack() const {
    const std::vector<int8_t> integers = product_.integers();
    auto packed = std::make_shared<PackedIntegers>();
    const Conv& c = conv_.conv;
    const size_t bytes =
        depthwise_ ? kernels::integer_depthwise_weights_size(c) : kernels::integer_conv_weights_size(conv_);
    packed->values = Tensor(ElementType::kI8, {static_cast<int64_t>(bytes)});
    packed->sums.resize(depthwise_ ? padded_channels() : kernels::integer_conv_columns(c));
    auto* values = packed->values.mutable_data<int8_t>();
    if (depthwise_) {
      kernels::pack_integer_depthwise(conv_, integers.data(), product_.places, values, packed->sums.data());
    } else {
      kernels::pack_integer_conv(conv_, integers.data(), product_.places, values, packed->sums.data());
      if (c.kernel.product() == 9) packed->largest = largest_sum(integers);
    }
    return packed;
  }

  int64_t largest_sum(const std::vector<int8_t>& integers) const {
    const Conv& c = conv_.conv;
    int64_t largest = 0;
    for (size_t o = 0; o < c.groups * c.out_channels; ++o) {
      const int8_t* filter = integers.data() + o / c.out_channels * product_.places.group_stride +
                             o % c.out_channels * product_.places.out_stride;
      int64_t positive = 0, negative = 0;
      for (size_t i = 0; i < c.in_channels; ++i) {
        for (size_t tap = 0; tap < c.kernel.product(); ++tap) {
          const int64_t w = filter[i * product_.places.in_stride + tap * product_.places.tap_stride];
          (w < 0 ? negative : positive) += 255 * w;
        }
      }
      largest = std::max({largest, positive, -negative});
    }
    return largest;
  }

  // How the work is cut into units: rows of pixels (depthwise) or of tiles (Winograd), blocks of pixels or,
  // if there are few pixels, panels of channels.
  struct Cut {
    size_t unit = 1;           // pixels, not for Winograd
    size_t tiles_of_unit = 0;  // Winograd
    size_t pixel_units = 0;
    bool by_channels = false;
    size_t units = 0, grain = 1, threads = 1;
  };

  bool has_winograd() const {
    return !depthwise_ && kernels::integer_winograd_fits(conv_) &&
           packed_->largest < kernels::kMostWinogradSum &&
           conv_.conv.out_channels >= kLeastWinogradChannels &&
           kernels::winograd_tiles(conv_.conv) >= kLeastTiles;
  }

  // Whether Winograd's form is faster than direct products.
  bool gains_from_winograd(const Cut& cut) const {
    if (conv_.dot == IntegerDot::kPairs) return true;
    // Each part of the channels would transform all data again. Fewer parts than threads leave some idle.
    if (parallel_ > 1 && (cut.by_channels || cut.units / cut.grain < parallel_)) return false;
    const Conv& c = conv_.conv;
    return c.out_channels >= kLeastChannelsBesideDot && c.in_channels >= kLeastChannelsBesideDot &&
           c.in_channels <= kMostChannelsBesideDot && kernels::winograd_tiles(c) >= kLeastTilesBesideDot;
  }

  // With registers of 256 bits, relaxed dot is twice as fast, while products of i16 gain nothing. The probe
  // needs several runs.
  bool uses_winograd() const {
    return winograd_.has_value() && (conv_.dot == IntegerDot::kPairs || !kernels::wide_registers());
  }

  size_t padded_channels() const {
    return (CheckedSize(conv_.conv.groups).rounded_up(kernels::kIntegerChannels)).value();
  }

  // Index of output channel o in the epilogue's arrays.
  size_t place(size_t o) const {
    if (depthwise_) return o;
    const size_t columns = packed_->sums.size() / conv_.conv.groups;
    return o / conv_.conv.out_channels * columns + o % conv_.conv.out_channels;
  }

  void make_epilogue(CompileContext& context) {
    const Quantization* output = product_.output.get();
    const auto bounds = requantized_bounds(product_.activation, output);
    // Activations other than clamps, and PRelu, are applied to f32 before they are quantised.
    const bool steps = !bounds.has_value() || product_.slopes != nullptr;
    if (product_.activation.kind == kernels::Unary::kLeakyRelu && product_.slopes == nullptr) {
      const size_t all = conv_.conv.groups * conv_.conv.out_channels;
      product_.slopes = std::make_shared<std::vector<float>>(all, product_.activation.alpha);
      product_.activation = {};
    }
    if (steps) {
      epilogue_.activation = product_.activation;
    } else {
      epilogue_.bounds = *bounds;
    }
    const TensorView* bias = product_.bias_input ? context.constant(*product_.bias_input) : nullptr;
    const size_t channels = conv_.conv.groups * conv_.conv.out_channels, size = packed_->sums.size();
    start_.resize(size);
    scale_.resize(size);
    bias_.resize(size);
    residual_scale_.resize(product_.residual_input ? size : 0);
    slopes_.resize(product_.slopes != nullptr ? size : 0);
    const bool quantises = steps && output != nullptr;
    inverse_.resize(quantises ? size : 0);
    shift_.resize(quantises ? size : 0);
    pads_.resize(depthwise_ ? channels : 0);
    const int32_t shift = conv_.dot == IntegerDot::kSigned ? 128 : 0;
    for (size_t o = 0; o < channels; ++o) {
      const size_t at = place(o);
      const auto zero = static_cast<int32_t>(std::lround(product_.data->zero_of(o)));
      if (depthwise_) pads_[o] = static_cast<uint8_t>(zero);
      start_[at] = (shift - zero) * packed_->sums[at];
      double scale = product_.data->scale_of(o) * product_.scales[o];
      double added = bias != nullptr ? bias->data<float>()[o] : 0;
      // Corrects for the rounding of the data's zero point.
      added += (zero - static_cast<double>(product_.data->zero_of(o))) * scale * packed_->sums[at];
      double residual = product_.residual ? product_.residual->scale[0] : 1;
      if (product_.residual) added -= residual * product_.residual->zero_point[0];
      if (product_.slopes != nullptr) slopes_[at] = (*product_.slopes)[o];
      if (quantises) {
        inverse_[at] = output->inverse_of(o);
        shift_[at] = output->shift_of(o);
      } else if (output != nullptr) {
        const double inverse = output->inverse_of(o);
        scale *= inverse;
        residual *= inverse;
        added = added * inverse + output->shift_of(o);
      }
      scale_[at] = static_cast<float>(scale);
      bias_[at] = static_cast<float>(added);
      if (product_.residual_input) residual_scale_[at] = static_cast<float>(residual);
    }
    epilogue_.start = start_.data();
    epilogue_.scale = scale_.data();
    epilogue_.bias = bias_.data();
    if (product_.residual_input) epilogue_.residual_scale = residual_scale_.data();
    if (product_.slopes != nullptr) epilogue_.slopes = slopes_.data();
    if (quantises) {
      epilogue_.inverse = inverse_.data();
      epilogue_.shift = shift_.data();
      epilogue_.most = output->most;
    }
    if (bias != nullptr) context.consume(*product_.bias_input);
  }

  Cut cut(bool winograd) const {
    const Conv& c = conv_.conv;
    Cut cut;
    const size_t panels = (c.out_channels + kernels::kPanelColumns - 1) / kernels::kPanelColumns;
    const size_t width = std::max<size_t>(1, c.out[2]);
    size_t least = 1, operations = saturating_product(c.out_pixels(), c.groups * c.out_channels,
                                                      c.in_channels, c.kernel.product());
    if (depthwise_) {
      cut.unit = width;
    } else if (winograd) {
      const size_t tiles = (width + kernels::kWinogradTile - 1) / kernels::kWinogradTile;
      cut.tiles_of_unit = tiles;
      least = (kLeastTilesOfPart + tiles - 1) / tiles;
      operations /= 4;
    } else {
      cut.unit = kUnitPixels;
      least = kLeastPixels / kUnitPixels;
    }
    cut.pixel_units = winograd ? kernels::winograd_tiles(c) / cut.tiles_of_unit
                               : (c.out_pixels() + cut.unit - 1) / cut.unit;
    cut.by_channels = !depthwise_ && c.groups == 1 && parallel_ > 1 && cut.pixel_units < 2 * least;
    cut.units = cut.by_channels ? panels : cut.pixel_units;
    cut.grain = std::max<size_t>(1, kOperationGrain / (operations / std::max<size_t>(1, cut.units) + 1));
    if (!cut.by_channels) cut.grain = std::max(cut.grain, least);
    cut.threads = std::min(parallel_, std::max<size_t>(1, cut.units));
    return cut;
  }

  // The first pixel of a unit.
  size_t pixel_of(const Cut& cut, size_t unit) const {
    const Conv& c = conv_.conv;
    return std::min(unit * cut.unit, c.out_pixels());
  }

  size_t thread_bytes(bool winograd) const {
    const CheckedSize own = depthwise_ ? kernels::integer_depthwise_scratch_size(conv_.conv)
                            : winograd ? kernels::integer_winograd_scratch_size(conv_)
                                       : kernels::integer_conv_scratch_size(conv_);
    return own.rounded_up(kAlignment).value();
  }

  void compute(EvalContext& context, bool winograd, const Cut& cut, Range units, Range channels,
               char* scratch) const {
    if (units.size() == 0 || channels.size() == 0) return;
    TensorView& y = context.output(0);
    kernels::Output out = {nullptr, nullptr, conv_.conv.out_stride};
    if (product_.output) {
      out.u8 = y.mutable_data<uint8_t>();
    } else {
      out.f32 = y.mutable_data<float>();
    }
    kernels::Epilogue epilogue = epilogue_;
    if (product_.residual_input) {
      const TensorView& residual = context.input(*product_.residual_input);
      epilogue.residual.stride = conv_.conv.out_stride;
      if (product_.residual) {
        epilogue.residual.u8 = residual.data<uint8_t>();
      } else {
        epilogue.residual.f32 = residual.data<float>();
      }
    }
    const uint8_t* x = context.input(0).data<uint8_t>();
    const auto* values = packed_->values.data<int8_t>();
    if (depthwise_) {
      kernels::depthwise(conv_, pads_.data(), x, values, out, epilogue, scratch, units);
    } else if (winograd) {
      kernels::winograd(conv_, x, values, out, epilogue, scratch,
                        {units.begin * cut.tiles_of_unit, units.end * cut.tiles_of_unit}, channels);
    } else {
      kernels::conv(conv_, x, values, out, epilogue, scratch,
                    {pixel_of(cut, units.begin), pixel_of(cut, units.end)}, channels);
    }
  }

  IntegerProduct product_;
  size_t parallel_;
  kernels::IntegerConv conv_;
  bool depthwise_ = false;
  Cut direct_;
  std::optional<Cut> winograd_;  // if its form is faster, at least without wide registers
  std::shared_ptr<const PackedIntegers> packed_;
  kernels::Epilogue epilogue_;  // without the residual
  std::vector<int32_t> start_;
  std::vector<float> scale_, bias_, residual_scale_, slopes_, inverse_, shift_;
  std::vector<uint8_t> pads_;
};

// Omits the first and the last taps of an axis if they read only padding, as those of a widely dilated kernel
// do if the data are small. Padding has the level of 0, so it adds nothing.
void omit_taps_in_padding(IntegerProduct& product) {
  Conv& c = product.conv;
  Extents first = {{0, 0, 0}}, kernel = c.kernel;
  for (size_t axis = 0; axis < 3; ++axis) {
    const auto is_used = [&](size_t tap) { return kernels::reads_input(c, axis, tap); };
    size_t end = kernel[axis];
    while (end > 1 && !is_used(end - 1)) --end;
    // The pad stays 0 or more.
    while (first[axis] + 1 < end && !is_used(first[axis]) &&
           c.pads[axis] >= (first[axis] + 1) * c.dilation[axis])
      ++first[axis];
    kernel[axis] = end - first[axis];
  }
  if (kernel == c.kernel) return;
  product.set_kernel(kernel, [&](Extents tap) {
    for (size_t axis = 0; axis < 3; ++axis) tap[axis] += first[axis];
    return tap;
  });
  product.key += " taps";
  for (size_t axis = 0; axis < 3; ++axis) {
    product.key += cat(" ", first[axis], "+", kernel[axis]);
    c.pads[axis] -= first[axis] * c.dilation[axis];
    if (kernel[axis] == 1) c.dilation[axis] = 1;
  }
}

}  // namespace

void IntegerProduct::set_kernel(const Extents& kernel, const std::function<Extents(const Extents&)>& tap_of) {
  const size_t count = kernel.product(), filter = conv.in_channels * count;
  // Places in the old filters. Those of weight 0 have none.
  std::vector<std::optional<size_t>> taps(count);
  for (size_t i = 0; i < count; ++i) {
    const Extents tap = tap_of({{i / kernel[2] / kernel[1], i / kernel[2] % kernel[1], i % kernel[2]}});
    if (tap[0] >= conv.kernel[0] || tap[1] >= conv.kernel[1] || tap[2] >= conv.kernel[2]) continue;
    taps[i] = ((tap[0] * conv.kernel[1] + tap[1]) * conv.kernel[2] + tap[2]) * places.tap_stride;
  }
  integers = [old = std::move(integers), places = places, conv = conv, taps = std::move(taps)] {
    const std::vector<int8_t> all = old();
    const CheckedSize filters = CheckedSize(conv.groups) * conv.out_channels * conv.in_channels;
    const CheckedSize size = filters * taps.size();
    std::vector<int8_t> made;
    made.reserve(size.value());
    for (size_t g = 0; g < conv.groups; ++g) {
      for (size_t o = 0; o < conv.out_channels; ++o) {
        for (size_t i = 0; i < conv.in_channels; ++i) {
          const int8_t* from =
              all.data() + g * places.group_stride + o * places.out_stride + i * places.in_stride;
          for (const auto& tap : taps) made.push_back(tap ? from[*tap] : int8_t{0});
        }
      }
    }
    return made;
  };
  places = {nullptr, conv.out_channels * filter, filter, count, 1};
  conv.kernel = kernel;
}

std::unique_ptr<Kernel> compile_integer_product(CompileContext& context, IntegerProduct product) {
  // Each size of dynamic data would have packed filters of its own, which stay in memory.
  if (model::shape_of(context.node().inputs[0]).is_static()) omit_taps_in_padding(product);
  return std::make_unique<IntegerProductKernel>(context, std::move(product));
}

}  // namespace wasmvino::ops
