// SPDX-License-Identifier: Apache-2.0
// The f32 kernels of convolutions: how they pack weights and compute. Attributes and shapes are in
// convolution_base.cc.
#include <algorithm>

#include "kernels/channels_first_depthwise.h"
#include "kernels/depthwise.h"
#include "kernels/winograd.h"
#include "model/node.h"
#include "ops/convolution/channels_last.h"
#include "ops/convolution/convolution_base.h"
#include "ops/convolution/convolution_policy.h"
#include "ops/convolution/convolution_problem.h"
#include "ops/convolution/filter_recipes.h"
#include "ops/convolution/quantised_filters.h"
#include "ops/convolution/wide_convolution.h"
#include "ops/elements/in_f32.h"
#include "ops/matrix/gemm.h"

namespace wasmvino::ops {
namespace {

using kernels::Conv;
using kernels::Range;

// How weights are packed for a computation.
class WeightForm {
 public:
  virtual std::string_view name() const = 0;  // key among the packed weights of a node
  virtual size_t packed_size(const Conv& c) const = 0;
  virtual void pack(const Conv& c, const kernels::ConvWeights& weights, float* packed) const = 0;

 protected:
  ~WeightForm() = default;
};

class PackedForConv : public WeightForm {
 public:
  std::string_view name() const override { return "indirect"; }
  size_t packed_size(const Conv& c) const override { return kernels::packed_conv_size(c); }
  void pack(const Conv& c, const kernels::ConvWeights& weights, float* packed) const override {
    kernels::pack_conv(c, weights, packed);
  }
};

class Indirect final : public ComputationByPixels, public PackedForConv {
 public:
  static constexpr std::string_view kMethod = "indirect";
  // `quantised`: for filters that stay quantised.
  constexpr explicit Indirect(bool quantised) : quantised_(quantised) {}
  bool takes_channels() const override { return true; }
  CheckedSize scratch_bytes(const Conv& c) const override {
    return kernels::conv_scratch_size(c, quantised_);
  }
  void run(const Conv& c, const float* x, const kernels::PackedConv& packed, float* y,
           const kernels::Epilogue& epilogue, void* scratch, Range units, Range channels) const override {
    kernels::conv(c, x, packed, y, epilogue, scratch, units, channels);
  }

 private:
  bool quantised_;
};

class Matrix final : public ComputationByPixels, public PackedForConv {
 public:
  static constexpr std::string_view kMethod = "matrix";
  constexpr explicit Matrix(bool quantised) : quantised_(quantised) {}
  bool takes_channels() const override { return true; }
  CheckedSize scratch_bytes(const Conv& c) const override {
    return CheckedSize(quantised_ ? kernels::block_scratch_size(c.out_pixels()) : 0) * sizeof(float);
  }
  void run(const Conv& c, const float* x, const kernels::PackedConv& packed, float* y,
           const kernels::Epilogue& epilogue, void* scratch, Range units, Range channels) const override {
    kernels::Gemm gemm{
        units.size(), c.out_channels, c.in_channels, nullptr, c.in_stride, 1, nullptr, c.out_stride, {}};
    gemm.epilogue.bounds = epilogue.bounds;
    gemm.epilogue.activation = epilogue.activation;
    kernels::PackedConv weights = packed;
    for (size_t g = 0; g < c.groups; ++g) {
      const size_t first = g * c.out_channels;
      gemm.a = x + units.begin * c.in_stride + g * c.in_channels;
      gemm.c = y + (units.begin - c.out_first) * c.out_stride + first;
      if (epilogue.bias != nullptr) gemm.epilogue.bias = epilogue.bias + first;
      gemm.epilogue.residual = epilogue.residual.from(units.begin, first);
      if (quantised_) {
        kernels::gemm(gemm, *weights.quantised, static_cast<float*>(scratch), {0, gemm.m}, channels);
      } else {
        kernels::gemm(gemm, weights.f32, {0, gemm.m}, channels);
      }
      weights.advance(kernels::packed_b_size(c.in_channels, c.out_channels));
    }
  }

 private:
  bool quantised_;
};

class PackedForDepthwise : public WeightForm {
 public:
  std::string_view name() const override { return "depthwise"; }
  size_t packed_size(const Conv& c) const override { return kernels::packed_depthwise_size(c); }
  void pack(const Conv& c, const kernels::ConvWeights& weights, float* packed) const override {
    kernels::pack_depthwise(c, weights, packed);
  }
};

class Depthwise final : public ComputationByRows, public PackedForDepthwise {
 public:
  static constexpr std::string_view kMethod = "depthwise";
  void run(const Conv& c, const float* x, const kernels::PackedConv& packed, float* y,
           const kernels::Epilogue& epilogue, void*, Range units, Range) const override {
    kernels::depthwise(c, x, packed.f32, y, epilogue, units);
  }
};

class TransposedDepthwise final : public ComputationByRows, public PackedForDepthwise {
 public:
  static constexpr std::string_view kMethod = "transposed, depthwise";
  void run(const Conv& c, const float* x, const kernels::PackedConv& packed, float* y,
           const kernels::Epilogue& epilogue, void*, Range units, Range) const override {
    kernels::transposed_depthwise(c, x, packed.f32, y, epilogue, units);
  }
};

class Transposed final : public ComputationByRows, public WeightForm {
 public:
  static constexpr std::string_view kMethod = "transposed";
  constexpr explicit Transposed(bool quantised) : quantised_(quantised) {}
  std::string_view name() const override { return "transposed"; }
  size_t packed_size(const Conv& c) const override { return kernels::packed_conv_size(c); }
  void pack(const Conv& c, const kernels::ConvWeights& weights, float* packed) const override {
    kernels::pack_transposed_conv(c, weights, packed);
  }
  bool takes_channels() const override { return true; }
  CheckedSize scratch_bytes(const Conv& c) const override {
    return kernels::transposed_conv_scratch_size(c, quantised_);
  }
  void run(const Conv& c, const float* x, const kernels::PackedConv& packed, float* y,
           const kernels::Epilogue& epilogue, void* scratch, Range units, Range channels) const override {
    kernels::transposed_conv(c, x, packed, y, epilogue, scratch, units, channels);
  }

 private:
  bool quantised_;
};

// Weights in rows, for few output channels.
class FewOutputs final : public ComputationByPixels, public WeightForm {
 public:
  static constexpr std::string_view kMethod = "indirect, few outputs";
  std::string_view name() const override { return "rows"; }
  size_t packed_size(const Conv& c) const override { return kernels::filter_rows_size(c); }
  void pack(const Conv& c, const kernels::ConvWeights& weights, float* packed) const override {
    kernels::pack_filter_rows(c, weights, packed);
  }
  CheckedSize scratch_bytes(const Conv& c) const override { return kernels::conv_scratch_size(c); }
  void run(const Conv& c, const float* x, const kernels::PackedConv& packed, float* y,
           const kernels::Epilogue& epilogue, void* scratch, Range units, Range channels) const override {
    kernels::conv(c, x, in_rows(packed), y, epilogue, scratch, units, channels);
  }

  static kernels::PackedConv in_rows(kernels::PackedConv packed) {
    packed.in_rows = true;
    return packed;
  }
};

class FewTransposedOutputs final : public ComputationByRows, public WeightForm {
 public:
  static constexpr std::string_view kMethod = "transposed, few outputs";
  std::string_view name() const override { return "rows"; }
  size_t packed_size(const Conv& c) const override { return kernels::filter_rows_size(c); }
  void pack(const Conv& c, const kernels::ConvWeights& weights, float* packed) const override {
    kernels::pack_transposed_filter_rows(c, weights, packed);
  }
  CheckedSize scratch_bytes(const Conv& c) const override { return kernels::transposed_conv_scratch_size(c); }
  void run(const Conv& c, const float* x, const kernels::PackedConv& packed, float* y,
           const kernels::Epilogue& epilogue, void* scratch, Range units, Range channels) const override {
    kernels::transposed_conv(c, x, FewOutputs::in_rows(packed), y, epilogue, scratch, units, channels);
  }
};

// Base class of computations whose units are tiles.
class ComputationByTiles : public WindowComputation {
 public:
  size_t units(const Conv& c) const override { return kernels::winograd_tiles(c); }
  size_t step(const Conv&) const override { return kernels::gemm_tile_rows(); }
  size_t least(const Conv&) const override { return kPartTiles; }
  size_t row(const Conv& c) const override { return tiles_of(c.out[2]); }
  Range pixels(const Conv& c, Range units) const override {
    return {first_row(c, units.begin) * c.out[2], first_row(c, units.end) * c.out[2]};
  }

 protected:
  // Tiles per part that make transforming the part's filters or data worthwhile.
  static constexpr size_t kPartTiles = 48;

 private:
  static size_t tiles_of(size_t size) {
    return std::max<size_t>(1, (size + kernels::kWinogradTile - 1) / kernels::kWinogradTile);
  }
  // The first output row of a row of tiles.
  size_t first_row(const Conv& c, size_t tile) const {
    const size_t row_of_tiles = tile / row(c), in_plane = tiles_of(c.out[1]);
    return row_of_tiles / in_plane * c.out[1] + row_of_tiles % in_plane * kernels::kWinogradTile;
  }
};

class ByWinograd final : public ComputationByTiles, public WeightForm {
 public:
  static constexpr std::string_view kMethod = "Winograd F(4x4, 3x3)";
  std::string_view name() const override { return "winograd"; }
  size_t packed_size(const Conv& c) const override { return kernels::packed_winograd_size(c); }
  void pack(const Conv& c, const kernels::ConvWeights& weights, float* packed) const override {
    kernels::pack_winograd(c, weights, packed);
  }
  CheckedSize scratch_bytes(const Conv& c) const override {
    return kernels::winograd_scratch_size(c) * sizeof(float);
  }
  void run(const Conv& c, const float* x, const kernels::PackedConv& packed, float* y,
           const kernels::Epilogue& epilogue, void* scratch, Range units, Range) const override {
    kernels::winograd(c, x, packed.f32, y, epilogue, static_cast<float*>(scratch), units);
  }
};

// Each part transforms filters, quantised or not. Therefore parts have many tiles, or channels of their own.
class WinogradFromDirect final : public ComputationByTiles, public PackedForConv {
 public:
  static constexpr std::string_view kMethod = "Winograd F(4x4, 3x3), filters transformed during the run";
  bool takes_channels() const override { return true; }
  CheckedSize scratch_bytes(const Conv& c) const override {
    return kernels::winograd_from_direct_scratch_size(c) * sizeof(float);
  }
  void run(const Conv& c, const float* x, const kernels::PackedConv& packed, float* y,
           const kernels::Epilogue& epilogue, void* scratch, Range units, Range channels) const override {
    kernels::winograd_from_direct(c, x, packed, y, epilogue, static_cast<float*>(scratch), units, channels);
  }
};

constexpr Indirect kIndirect(false), kQuantisedIndirect(true);
constexpr Matrix kMatrix(false), kQuantisedMatrix(true);
constexpr Transposed kTransposed(false), kQuantisedTransposed(true);
constexpr FewOutputs kFewOutputs;
constexpr FewTransposedOutputs kFewTransposedOutputs;
constexpr Depthwise kDepthwise;
constexpr TransposedDepthwise kTransposedDepthwise;
constexpr ByWinograd kWinograd;
constexpr WinogradFromDirect kWinogradFromDirect;

// A computation and the weight form that it requires.
struct Choice {
  const WindowComputation& how;
  const WeightForm& weights;
  std::string_view method;
  template <typename T>
  Choice(const T& both) : how(both), weights(both), method(T::kMethod) {}
};

std::shared_ptr<const QuantisedMatrices> packed_filters(CompileContext& context,
                                                        const QuantisedConstant& filters,
                                                        const ConvolutionProblem& problem,
                                                        const std::string& key) {
  context.consume(1);
  return context.shared<QuantisedMatrices>(1, "quantised " + key, [&] {
    return filters.pack(is_depthwise(problem.conv)
                            ? depthwise_recipe(filters, problem.conv, problem.weights)
                            : filter_recipe(filters, problem.conv, problem.weights, problem.transposed));
  });
}

class F32Convolution final : public Kernel {
 public:
  // `quantised`: the filters, if they stay quantised.
  F32Convolution(CompileContext& context, const ConvolutionProblem& problem, Choice choice,
                 const QuantisedConstant* quantised = nullptr)
      : problem_(problem),
        choice_(choice),
        runner_(context, problem.conv, problem.fusion.in, problem.fusion.out, choice_.how,
                multiply_adds(problem.conv)),
        packed_offset_(runner_.scratch_bytes().value()) {
    const Conv& c = problem_.conv;
    std::string key = cat(context.node().type, " ", choice_.weights.name(), " ", filters_key(problem));
    // Strides and dilations determine the order of the taps in the phases.
    if (problem.transposed) key += cat(" ", text_of(c.stride), " ", text_of(c.dilation));
    if (quantised != nullptr) {
      quantised_ = packed_filters(context, *quantised, problem_, key);
      depthwise_ = is_depthwise(problem.conv);
      CheckedSize expanded;
      if (depthwise_)
        expanded = CheckedSize(choice_.weights.packed_size(c)) + depthwise_scratch_size(quantised_->matrix());
      context.request_scratch(packed_offset_ + expanded * sizeof(float));
    } else if (const TensorView* filters = context.constant(1)) {
      packed_ = context.shared<Tensor>(1, key, [&] {
        auto packed = std::make_shared<Tensor>(ElementType::kF32,
                                               Shape{static_cast<int64_t>(choice_.weights.packed_size(c))});
        choice_.weights.pack(c, with_data(filters->data<float>()), packed->mutable_data<float>());
        return packed;
      });
      context.consume(1);
      context.request_scratch(CheckedSize(packed_offset_));
    } else {
      context.request_scratch(packed_offset_ + CheckedSize(choice_.weights.packed_size(c)) * sizeof(float));
    }
  }

  void run(EvalContext& context) override {
    char* scratch = static_cast<char*>(context.scratch());
    kernels::PackedConv packed;
    if (depthwise_) {
      // Depthwise filters are few, so they are dequantised in each run: whole networks take 0.97 to 1.03
      // times as long as with filters dequantised beforehand.
      float* to = reinterpret_cast<float*>(scratch + packed_offset_);
      const size_t size = choice_.weights.packed_size(problem_.conv);
      const size_t channels = size / problem_.conv.kernel.product();
      expand_depthwise(quantised_->matrix(), channels, channels, 1, to + size, to);
      packed = to;
    } else if (quantised_ != nullptr) {
      packed = quantised_->matrices();
    } else if (packed_ != nullptr) {
      packed = packed_->data<float>();
    } else {
      float* to = reinterpret_cast<float*>(scratch + packed_offset_);
      choice_.weights.pack(problem_.conv, with_data(context.input(1).data<float>()), to);
      packed = to;
    }
    kernels::Epilogue epilogue;
    const ConvolutionFusion& fusion = problem_.fusion;
    epilogue.activate(fusion.activation);
    if (fusion.bias) epilogue.bias = context.input(fusion.bias_input()).data<float>();
    if (fusion.residual) {
      epilogue.residual.f32 = context.input(fusion.residual_input()).data<float>();
      epilogue.residual.stride = problem_.conv.out_stride;
    }
    runner_.run(context, packed, epilogue, scratch);
  }

  std::string method() const override {
    return cat(choice_.method, quantised_ != nullptr ? ", quantised filters" : "");
  }

 private:
  static size_t multiply_adds(const Conv& c) {
    return saturating_product(c.out_pixels(), out_channels(c), c.in_channels, c.kernel.product());
  }

  kernels::ConvWeights with_data(const float* data) const {
    kernels::ConvWeights weights = problem_.weights;
    weights.data = data;
    return weights;
  }

  ConvolutionProblem problem_;
  Choice choice_;
  ChannelsLastRunner runner_;
  // Constant filters use one of these two.
  std::shared_ptr<const Tensor> packed_;
  std::shared_ptr<const QuantisedMatrices> quantised_;
  bool depthwise_ = false;  // whether the quantised filters are depthwise
  // Offset in the scratch memory, for weights that are known or dequantised only during the run.
  size_t packed_offset_;
};

// Depthwise convolution of NCHW data, or few filters over one channel. The kernel reads filters in their
// original layout.
class ChannelsFirstDepthwise final : public Kernel {
 public:
  ChannelsFirstDepthwise(CompileContext& context, const ConvolutionProblem& problem,
                         const QuantisedConstant* quantised)
      : problem_(problem) {
    const Conv& c = problem.conv;
    CheckedSize expanded;  // floats of dequantised filters in scratch memory
    if (quantised != nullptr) {
      quantised_ = packed_filters(context, *quantised, problem, cat("depthwise ", c.groups));
      expanded =
          CheckedSize(out_channels(c)) * c.kernel.product() + depthwise_scratch_size(quantised_->matrix());
    }
    parts_ = std::min(convolution_parts(context.parallel().threads(), c),
                      std::max<size_t>(1, c.batch * out_channels(c)));
    const size_t threads = std::min(parts_, context.parallel().threads());
    filters_offset_ = (CheckedSize(threads) * kernels::channels_first_depthwise_scratch_size(c)).value();
    context.request_scratch((filters_offset_ + expanded) * sizeof(float));
  }

  void run(EvalContext& context) override {
    const Conv& c = problem_.conv;
    const float* filters;
    if (quantised_ != nullptr) {
      float* to = static_cast<float*>(context.scratch()) + filters_offset_;
      const size_t taps = c.kernel.product();
      expand_depthwise(quantised_->matrix(), out_channels(c), 1, taps, to + out_channels(c) * taps, to);
      filters = to;
    } else {
      filters = context.input(1).data<float>();
    }
    kernels::Epilogue epilogue;
    epilogue.activate(problem_.fusion.activation);
    if (problem_.fusion.bias) epilogue.bias = context.input(problem_.fusion.bias_input()).data<float>();
    const size_t planes = c.batch * out_channels(c), size = kernels::channels_first_depthwise_scratch_size(c);
    parallel_for(context.parallel(), parts_, 1, [&](size_t first, size_t last, size_t thread) {
      for (size_t part = first; part < last; ++part) {
        kernels::channels_first_depthwise(
            c, context.input(0).data<float>(), filters, context.output(0).mutable_data<float>(), epilogue,
            static_cast<float*>(context.scratch()) + thread * size,
            {part_begin(planes, part, parts_), part_begin(planes, part + 1, parts_)});
      }
    });
  }

  std::string method() const override {
    return cat("depthwise, NCHW", quantised_ != nullptr ? ", quantised filters" : "");
  }

 private:
  ConvolutionProblem problem_;
  std::shared_ptr<const QuantisedMatrices> quantised_;
  // filters_offset_: floats before the dequantised filters in the scratch memory.
  size_t parts_, filters_offset_;
};

// 1x1 convolution of NCHW data: filters [out][in] times pixels [in][pixels].
class ChannelsFirstMatrix final : public Kernel {
 public:
  ChannelsFirstMatrix(CompileContext& context, const ConvolutionProblem& problem) : problem_(problem) {
    const Conv& c = problem.conv;
    parts_ = gemm_parts(context.parallel().threads(), c.out_channels, c.out.product(), c.in_channels);
    context.request_scratch(CheckedSize(std::min(parts_, context.parallel().threads())) *
                            kernels::kGemmScratchSize * sizeof(float));
  }

  void run(EvalContext& context) override {
    const Conv& c = problem_.conv;
    const size_t pixels = c.out.product();
    kernels::Gemm gemm{c.out_channels, pixels, c.in_channels, nullptr, c.in_channels, 1, nullptr, pixels, {}};
    gemm.epilogue.bias_per_row = true;
    gemm.epilogue.activation = problem_.fusion.activation;
    for (size_t i = 0; i < c.batch * c.groups; ++i) {
      const size_t group = i % c.groups, first = group * c.out_channels;
      gemm.a = context.input(1).data<float>() + first * c.in_channels;
      gemm.c = context.output(0).mutable_data<float>() + i * c.out_channels * pixels;
      if (problem_.fusion.bias) {
        gemm.epilogue.bias = context.input(problem_.fusion.bias_input()).data<float>() + first;
      }
      const float* planes = context.input(0).data<float>() + i * c.in_channels * pixels;
      parallel_for(context.parallel(), parts_, 1, [&](size_t begin, size_t end, size_t thread) {
        float* scratch = static_cast<float*>(context.scratch()) + thread * kernels::kGemmScratchSize;
        for (size_t part = begin; part < end; ++part) {
          gemm_part(gemm, planes, pixels, 1, scratch, part, parts_);
        }
      });
    }
  }

  std::string method() const override { return "matrix, NCHW"; }

 private:
  ConvolutionProblem problem_;
  size_t parts_;
};

std::unique_ptr<Kernel> compile_f32(CompileContext& context, const ConvolutionProblem& problem,
                                    const FilterForm& form) {
  const QuantisedConstant* quantised = quantised_input(context, 1);
  if (quantised != nullptr && !can_pack_filters(*quantised, form)) quantised = nullptr;
  ConvolutionSituation situation;
  situation.quantised = quantised != nullptr;
  situation.constant_filters = quantised != nullptr || context.constant(1) != nullptr;
  situation.channels_first =
      problem.fusion.in == Layout::kChannelsFirst && problem.fusion.out == Layout::kChannelsFirst;
  situation.residual = problem.fusion.residual;
  const auto make = [&](Choice in_f32, Choice of_quantised) {
    const Choice choice = quantised != nullptr ? of_quantised : in_f32;
    return std::make_unique<F32Convolution>(context, problem, choice, quantised);
  };
  if (problem.transposed) {
    if (is_depthwise(problem.conv)) return make(kTransposedDepthwise, kTransposedDepthwise);
    const bool few = kernels::few_outputs_fit(problem.conv, true);
    return make(few ? Choice(kFewTransposedOutputs) : Choice(kTransposed), kQuantisedTransposed);
  }
  switch (choose_convolution(problem.conv, situation)) {
    case ConvolutionForm::kChannelsFirstDepthwise:
      return std::make_unique<ChannelsFirstDepthwise>(context, problem, quantised);
    case ConvolutionForm::kChannelsFirstMatrix:
      return std::make_unique<ChannelsFirstMatrix>(context, problem);
    case ConvolutionForm::kDepthwise:
      return make(kDepthwise, kDepthwise);
    case ConvolutionForm::kWinograd:
      return std::make_unique<F32Convolution>(context, problem, kWinograd);
    case ConvolutionForm::kMatrix:
      return make(kMatrix, kQuantisedMatrix);
    case ConvolutionForm::kWinogradFromDirect:
      return make(kWinogradFromDirect, kWinogradFromDirect);
    case ConvolutionForm::kFewOutputs:
      return make(kFewOutputs, kQuantisedIndirect);
    case ConvolutionForm::kIndirect:
      break;
  }
  return make(kIndirect, kQuantisedIndirect);
}

}  // namespace

std::unique_ptr<Kernel> compile_convolution(CompileContext& context, const ConvolutionSpec& spec,
                                            const ConvolutionFusion& fusion) {
  const ConvolutionProblem problem =
      make_convolution(context.input_shape(0), context.input_shape(1), context.output_shape(0), spec, fusion);
  if (!is_real(context.output_type(0))) return compile_wide_convolution(context, problem);
  return compile_in_f32(context, [&](CompileContext& inner) -> std::unique_ptr<Kernel> {
    return compile_f32(inner, problem, spec.form);
  });
}

}  // namespace wasmvino::ops
