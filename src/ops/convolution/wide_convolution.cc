// SPDX-License-Identifier: Apache-2.0
#include "ops/convolution/wide_convolution.h"

#include <algorithm>
#include <optional>

#include "core/work.h"
#include "kernels/numbers.h"

namespace wasmvino::ops {
namespace {

using kernels::Conv;

// Grain: multiply-adds in about 20 µs of work.
constexpr size_t kGrain = size_t{1} << 13;

// Computes NCHW planes with 64-bit sums, which wrap. Results of 8 and 16 bits saturate, like those of MatMul.
class WideConvolution final : public Kernel {
 public:
  WideConvolution(CompileContext& context, const ConvolutionProblem& problem)
      : problem_(problem),
        count_in_(element_count(context.input_shape(0))),
        count_filters_(element_count(context.input_shape(1))) {
    const ElementType type = context.output_type(0);
    // Sums that wrap have the same bits for signed and unsigned types.
    const ElementType held = type == ElementType::kU64 ? ElementType::kI64 : type;
    load_ = kernels::number_loader<int64_t>(held);
    store_ = kernels::number_storer<int64_t>(held);
    const Conv& c = problem.conv;
    grain_ =
        kGrain / std::max<size_t>(1, saturating_product(c.out.product(), c.in_channels, c.kernel.product()));
    const size_t threads =
        std::min(context.parallel().threads(), context.parallel().ranges(c.batch * out_channels(c), grain_));
    context.request_scratch((CheckedSize(threads) * c.out.product() + count_in_ + count_filters_) *
                            sizeof(int64_t));
  }

  void run(EvalContext& context) override {
    const Conv& c = problem_.conv;
    int64_t* x = static_cast<int64_t*>(context.scratch());
    int64_t* filters = x + count_in_;
    load_(context.input(0).memory, 0, 1, count_in_, x);
    load_(context.input(1).memory, 0, 1, count_filters_, filters);
    const size_t plane = c.out.product();
    parallel_for(context.parallel(), c.batch * out_channels(c), grain_,
                 [&](size_t begin, size_t end, size_t thread) {
                   int64_t* sums = filters + count_filters_ + thread * plane;
                   for (size_t i = begin; i < end; ++i) {
                     sum_plane(x, filters, i, sums);
                     store_(sums, plane, context.output(0).memory, i * plane, 1);
                   }
                 });
  }

  std::string method() const override { return "sums of 64 bits"; }

 private:
  // Computes plane i of the output.
  void sum_plane(const int64_t* x, const int64_t* filters, size_t i, int64_t* sums) const {
    const Conv& c = problem_.conv;
    const size_t n = i / out_channels(c), channel = i % out_channels(c), group = channel / c.out_channels;
    const int64_t* weights = filters + group * problem_.weights.group_stride +
                             channel % c.out_channels * problem_.weights.out_stride;
    const int64_t* planes = x + (n * in_channels(c) + group * c.in_channels) * c.in.product();
    std::fill_n(sums, c.out.product(), 0);
    for (size_t k = 0; k < c.in_channels; ++k) {
      add(weights + k * problem_.weights.in_stride, planes + k * c.in.product(), sums);
    }
  }

  // The input position that tap `tap` of output position `out` reads; nullopt if it is padding.
  std::optional<size_t> source(size_t axis, size_t out, size_t tap) const {
    const Conv& c = problem_.conv;
    size_t in = 0;
    if (problem_.transposed) {
      const size_t sum = out + c.pads[axis], part = tap * c.dilation[axis];
      if (sum < part || (sum - part) % c.stride[axis] != 0) return std::nullopt;
      in = (sum - part) / c.stride[axis];
    } else {
      in = out * c.stride[axis] + tap * c.dilation[axis] - c.pads[axis];
    }
    return in < c.in[axis] ? std::optional(in) : std::nullopt;
  }

  void add(const int64_t* weights, const int64_t* in, int64_t* sums) const {
    const Conv& c = problem_.conv;
    for (size_t z = 0; z < c.out[0]; ++z) {
      for (size_t y = 0; y < c.out[1]; ++y) {
        for (size_t tap = 0; tap < c.kernel.product(); ++tap) {
          const auto from_z = source(0, z, tap / c.kernel[2] / c.kernel[1]);
          const auto from_y = source(1, y, tap / c.kernel[2] % c.kernel[1]);
          if (!from_z || !from_y) continue;
          const uint64_t weight = static_cast<uint64_t>(weights[tap * problem_.weights.tap_stride]);
          const int64_t* row = in + (*from_z * c.in[1] + *from_y) * c.in[2];
          int64_t* sum = sums + (z * c.out[1] + y) * c.out[2];
          count_work(2 * c.out[2]);
          for (size_t x = 0; x < c.out[2]; ++x) {
            const auto from_x = source(2, x, tap % c.kernel[2]);
            if (!from_x) continue;
            sum[x] = static_cast<int64_t>(static_cast<uint64_t>(sum[x]) +
                                          weight * static_cast<uint64_t>(row[*from_x]));
          }
        }
      }
    }
  }

  ConvolutionProblem problem_;
  size_t count_in_, count_filters_, grain_;
  kernels::LoadNumbers<int64_t> load_;
  kernels::StoreNumbers<int64_t> store_;
};

}  // namespace

std::unique_ptr<Kernel> compile_wide_convolution(CompileContext& context, const ConvolutionProblem& problem) {
  return std::make_unique<WideConvolution>(context, problem);
}

}  // namespace wasmvino::ops
