// SPDX-License-Identifier: Apache-2.0
// BinaryConvolution: a convolution of bits that stand for -1 and 1, computed by XNOR and counting.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/convolution/binary-convolution-1.html
//
// Filters are of type u1. As in OpenVINO, their bits are read starting from the least significant bit of each
// byte, the opposite of Convert for u1. A data value counts as 1 if it is greater than 0.
#include <algorithm>
#include <bit>

#include "core/work.h"
#include "kernels/conv.h"
#include "model/registry.h"
#include "ops/convolution/convolution_base.h"
#include "ops/convolution/convolution_problem.h"
#include "ops/elements/in_f32.h"
#include "ops/inputs/inputs.h"

namespace wasmvino::ops::binary_convolution {

using kernels::Conv;

constexpr size_t kWordBits = 64;
// Grain: with fewer compared words, a second thread costs more than it saves.
constexpr size_t kGrain = size_t{1} << 16;

class Bits final : public Kernel {
 public:
  Bits(CompileContext& context, const Conv& conv, float pad_value)
      : c_(conv), pad_value_(pad_value), words_((conv.in_channels + kWordBits - 1) / kWordBits) {
    const CheckedSize filters = CheckedSize(c_.out_channels) * c_.kernel.product();
    context.request_scratch((filters + c_.in_pixels() + 1) * words_ * sizeof(uint64_t));
  }

  void run(EvalContext& context) override {
    uint64_t* x = static_cast<uint64_t*>(context.scratch());
    uint64_t* filters = x + c_.in_pixels() * words_;
    uint64_t* padding = filters + c_.out_channels * c_.kernel.product() * words_;
    pack_data(context.input(0).data<float>(), x);
    pack_filters(context.input(1).data<uint8_t>(), filters);
    std::fill_n(padding, words_, 0);
    if (pad_value_ > 0) {
      for (size_t channel = 0; channel < c_.in_channels; ++channel) set(padding, channel);
    }
    float* y = context.output(0).mutable_data<float>();
    const size_t planes = c_.batch * c_.out_channels;
    const size_t work =
        std::max<size_t>(1, saturating_product(c_.out.product(), c_.kernel.product(), words_));
    parallel_for(context.parallel(), planes, kGrain / work + 1, [&](size_t begin, size_t end) {
      for (size_t plane = begin; plane < end; ++plane) compute(plane, x, filters, padding, y);
    });
  }

 private:
  static void set(uint64_t* words, size_t bit) { words[bit / kWordBits] |= uint64_t{1} << bit % kWordBits; }

  // Packs [N, C, pixels] into words of channels per pixel.
  void pack_data(const float* data, uint64_t* words) const {
    const size_t pixels = c_.in.product();
    std::fill_n(words, c_.in_pixels() * words_, 0);
    for (size_t i = 0; i < c_.batch * c_.in_channels; ++i) {
      uint64_t* picture = words + i / c_.in_channels * pixels * words_;
      for (size_t p = 0; p < pixels; ++p) {
        if (data[i * pixels + p] > 0) set(picture + p * words_, i % c_.in_channels);
      }
    }
  }

  // Packs [O, I, taps] into words of channels per filter and tap.
  void pack_filters(const uint8_t* bits, uint64_t* words) const {
    const size_t taps = c_.kernel.product(), count = c_.out_channels * c_.in_channels * taps;
    std::fill_n(words, c_.out_channels * taps * words_, 0);
    for (size_t i = 0; i < count; ++i) {
      if ((bits[i / 8] >> i % 8 & 1) == 0) continue;
      const size_t filter = i / taps / c_.in_channels;
      set(words + (filter * taps + i % taps) * words_, i / taps % c_.in_channels);
    }
  }

  void compute(size_t plane, const uint64_t* x, const uint64_t* filters, const uint64_t* padding,
               float* y) const {
    const size_t n = plane / c_.out_channels, filter = plane % c_.out_channels, taps = c_.kernel.product();
    const uint64_t* picture = x + n * c_.in.product() * words_;
    for (size_t p = 0; p < c_.out.product(); ++p) {
      size_t differing = 0, counted = 0;
      count_work(taps * (words_ + 2));
      for (size_t tap = 0; tap < taps; ++tap) {
        const size_t iy = p / c_.out[2] * c_.stride[1] + tap / c_.kernel[2] * c_.dilation[1] - c_.pads[1];
        const size_t ix = p % c_.out[2] * c_.stride[2] + tap % c_.kernel[2] * c_.dilation[2] - c_.pads[2];
        const bool inside = iy < c_.in[1] && ix < c_.in[2];
        if (!inside && pad_value_ == 0) continue;
        const uint64_t* from = inside ? picture + (iy * c_.in[2] + ix) * words_ : padding;
        const uint64_t* by = filters + (filter * taps + tap) * words_;
        counted += c_.in_channels;
        for (size_t w = 0; w < words_; ++w) differing += static_cast<size_t>(std::popcount(from[w] ^ by[w]));
      }
      y[plane * c_.out.product() + p] = static_cast<float>(counted) - 2 * static_cast<float>(differing);
    }
  }

  Conv c_;
  float pad_value_;
  size_t words_;  // per pixel, to hold its channels
};

class BinaryConvolution final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    attributes_.visit(visitor, true);
    visitor.on_enum("mode", mode_, {"xnor-popcount"});
    visitor.on("pad_value", pad_value_);
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(2);
    expect_rank(context, 0, 4, 4, "data");
    expect_rank(context, 1, 4, 4, "filters");
    attributes_.expect_axes(2);
    const PartialShape& data = context.input_shape(0);
    const PartialShape& filters = context.input_shape(1);
    PartialShape output = PartialShape::of_rank(4);
    if (data.has_rank()) output[0] = data[0];
    if (filters.has_rank()) output[1] = filters[0];
    if (data.has_rank() && filters.has_rank()) {
      if (!data[1].compatible(filters[1])) {
        throw Error(ErrorCode::kInvalidShape, cat("data ", data, " has ", data[1], " channels, but filters ",
                                                  filters, " expect ", filters[1]))
            .expected(cat(filters[1], " channels"))
            .actual(cat(data[1], " channels"))
            .port("data");
      }
      for (size_t i = 0; i < 2; ++i)
        output[2 + i] = window_count(attributes_, i, data[2 + i], filters[2 + i]);
    }
    context.set_output(0, context.input_type(0), output);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return compile_in_f32(context, [this](CompileContext& inner) -> std::unique_ptr<Kernel> {
      const ConvolutionProblem problem = make_convolution(inner.input_shape(0), inner.input_shape(1),
                                                          inner.output_shape(0), {{}, attributes_, {}}, {});
      return std::make_unique<Bits>(inner, problem.conv, pad_value_);
    });
  }

 private:
  enum class Mode { kXnorPopcount };

  [[noreturn]] static void refuse(std::string_view what, ElementType type, std::string_view wanted) {
    throw Error(ErrorCode::kInvalidType, cat(what, " has element type ", type, ", expected ", wanted))
        .expected(cat(wanted))
        .actual(cat(type))
        .port(cat(what));
  }

  WindowAttributes attributes_;
  Mode mode_ = Mode::kXnorPopcount;
  float pad_value_ = 0;
};

}  // namespace wasmvino::ops::binary_convolution

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(binary_convolution) {
  registry.add<binary_convolution::BinaryConvolution>({"BinaryConvolution",
                                                       {1},
                                                       "convolution/binary-convolution-1",
                                                       {{"data", kFloats}, {"filters", ElementType::kU1}}});
}
}  // namespace wasmvino::ops
