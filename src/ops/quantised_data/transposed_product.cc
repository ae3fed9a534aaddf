// SPDX-License-Identifier: Apache-2.0
#include "ops/quantised_data/transposed_product.h"

#include <algorithm>
#include <cstring>

namespace wasmvino::ops {
namespace {

using kernels::Conv;
using kernels::Extents;

constexpr size_t kAlignment = 64;
// Grain: with fewer bytes moved, a second thread costs more than it saves.
constexpr size_t kGrain = size_t{64} << 10;

// Tap `from` of the transposed convolution, along one axis, is tap count - 1 of the phase's convolution; the
// taps before it are `stride` apart. Data are reached by tap 0 of output 0 at position -pad.
struct AxisOfPhase {
  size_t taps, from, pad, outputs;
};

// The phase of outputs first, first + stride ...
AxisOfPhase axis_of_phase(const Conv& c, size_t axis, size_t first) {
  const size_t stride = c.stride[axis], shifted = first + c.pads[axis];
  const size_t from = shifted % stride, reached = shifted / stride, kernel = c.kernel[axis];
  const size_t own = from < kernel ? (kernel - from + stride - 1) / stride : 0;
  // Without taps of weight 0 in front, the pad could be negative.
  const size_t taps = std::max(own, reached + 1);
  const size_t outputs = first < c.out[axis] ? (c.out[axis] - first + stride - 1) / stride : 0;
  return {taps, from, taps - 1 - reached, outputs};
}

class TransposedProduct final : public Kernel {
 public:
  TransposedProduct(CompileContext& context, const IntegerProduct& product)
      : stride_(product.conv.stride), out_(product.conv.out), batch_(product.conv.batch) {
    for (size_t i = 0; i < context.input_count(); ++i)
      views_.push_back({context.input_type(i), context.input_shape(i), nullptr});
    for (TensorView& view : views_) inputs_.push_back(&view);
    type_ = context.output_type(0);
    pixel_bytes_ = storage_bytes(type_, product.conv.out_stride);
    for (size_t z = 0; z < stride_[0]; ++z) {
      for (size_t y = 0; y < stride_[1]; ++y) {
        for (size_t x = 0; x < stride_[2]; ++x) add_phase(context, product, {{z, y, x}});
      }
    }
    size_t most = 0;
    for (const Phase& phase : phases_) most = std::max(most, phase.sizes.product());
    block_bytes_ = (CheckedSize(most) * batch_ * pixel_bytes_).rounded_up(kAlignment).value();
    context.request_scratch(CheckedSize(context.scratch_bytes()) + block_bytes_);
  }

  void run(EvalContext& context) override {
    for (size_t i = 0; i < views_.size(); ++i) views_[i].memory = context.input(i).memory;
    char* const block = static_cast<char*>(context.scratch());
    for (const Phase& phase : phases_) {
      TensorView made = {type_, phase.shape, block};
      TensorView* const outputs[] = {&made};
      EvalContext of_phase(context.node(), inputs_, outputs, block + block_bytes_, context.parallel());
      phase.kernel->run(of_phase);
      move(context, phase, block);
    }
  }

  std::string method() const override {
    return phases_.empty() ? std::string() : cat("phases: ", phases_.front().kernel->method());
  }

 private:
  struct Phase {
    std::unique_ptr<Kernel> kernel;
    Extents first, sizes;
    Shape shape;
  };

  void add_phase(CompileContext& context, const IntegerProduct& whole, const Extents& first) {
    Phase phase;
    phase.first = first;
    IntegerProduct product = whole;
    Conv& c = product.conv;
    Extents taps, from;
    for (size_t axis = 0; axis < 3; ++axis) {
      const AxisOfPhase own = axis_of_phase(whole.conv, axis, first[axis]);
      from[axis] = own.from;
      taps[axis] = own.taps;
      c.pads[axis] = own.pad;
      c.stride[axis] = 1;
      c.out[axis] = phase.sizes[axis] = own.outputs;
    }
    if (c.out.product() == 0) return;
    product.set_kernel(taps, [&](const Extents& tap) {
      Extents own;
      for (size_t axis = 0; axis < 3; ++axis)
        own[axis] = from[axis] + (taps[axis] - 1 - tap[axis]) * whole.conv.stride[axis];
      return own;
    });
    product.key += cat(" phase ", first[0], " ", first[1], " ", first[2]);
    phase.shape = {static_cast<int64_t>(c.out_pixels()), static_cast<int64_t>(c.out_stride)};
    phase.kernel = compile_integer_product(context, std::move(product));
    phases_.push_back(std::move(phase));
  }

  // Moves the pixels of a phase to their positions in the output.
  void move(EvalContext& context, const Phase& phase, const char* from) const {
    char* const to = context.output(0).mutable_data<char>();
    const size_t width = phase.sizes[2];
    parallel_for(context.parallel(), batch_ * phase.sizes[0] * phase.sizes[1],
                 kGrain / std::max<size_t>(1, width * pixel_bytes_) + 1, [&](size_t begin, size_t end) {
                   for (size_t row = begin; row < end; ++row) {
                     const size_t y = row % phase.sizes[1] * stride_[1] + phase.first[1];
                     const size_t z = row / phase.sizes[1] % phase.sizes[0] * stride_[0] + phase.first[0];
                     const size_t n = row / phase.sizes[1] / phase.sizes[0];
                     const size_t line = ((n * out_[0] + z) * out_[1] + y) * out_[2] + phase.first[2];
                     for (size_t x = 0; x < width; ++x) {
                       std::memcpy(to + (line + x * stride_[2]) * pixel_bytes_,
                                   from + (row * width + x) * pixel_bytes_, pixel_bytes_);
                     }
                   }
                 });
  }

  Extents stride_, out_;
  size_t batch_, pixel_bytes_ = 0, block_bytes_ = 0;
  ElementType type_;
  std::vector<Phase> phases_;
  std::vector<TensorView> views_;  // of the inputs
  std::vector<TensorView*> inputs_;
};

}  // namespace

std::unique_ptr<Kernel> compile_transposed_product(CompileContext& context, const IntegerProduct& product) {
  return std::make_unique<TransposedProduct>(context, product);
}

}  // namespace wasmvino::ops
