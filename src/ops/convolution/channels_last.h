// SPDX-License-Identifier: Apache-2.0
// Computations over channels-last tensors, for nodes whose tensors may be channels first: the work is shared
// among threads, and tensors are transposed at its edges.
#pragma once

#include <algorithm>

#include "core/checked.h"
#include "kernels/conv.h"
#include "model/op.h"

namespace wasmvino::ops {

// What the rows of a part are worth reading the weights for.
inline constexpr size_t kPartPixels = 128;

// One way to compute a convolution or pooling of f32. Its output is cut into units of neighbouring pixels.
class WindowComputation {
 public:
  virtual size_t units(const kernels::Conv& c) const = 0;
  // Units that are best computed together.
  virtual size_t step(const kernels::Conv&) const { return 1; }
  // Units below which a part reads the weights faster than the second-level cache gives them.
  virtual size_t least(const kernels::Conv& c) const = 0;
  // Units that make whole rows of pixels: pixels() is asked for these only.
  virtual size_t row(const kernels::Conv&) const { return 1; }
  virtual kernels::Range pixels(const kernels::Conv& c, kernels::Range units) const = 0;
  // Whether the channels of a group may be cut too, between panels of kernels::kPanelColumns.
  virtual bool takes_channels() const { return false; }
  // That each thread brings.
  virtual CheckedSize scratch_bytes(const kernels::Conv&) const { return {}; }
  // `channels` of each group: all, unless takes_channels().
  virtual void run(const kernels::Conv& c, const float* x, const kernels::PackedConv& packed, float* y,
                   const kernels::Epilogue& epilogue, void* scratch, kernels::Range units,
                   kernels::Range channels) const = 0;

 protected:
  ~WindowComputation() = default;
};

class ComputationByPixels : public WindowComputation {
 public:
  size_t units(const kernels::Conv& c) const override { return c.out_pixels(); }
  size_t step(const kernels::Conv&) const override { return kernels::gemm_tile_rows(); }
  size_t least(const kernels::Conv&) const override { return kPartPixels; }
  kernels::Range pixels(const kernels::Conv&, kernels::Range units) const override { return units; }
};

class ComputationByRows : public WindowComputation {
 public:
  size_t units(const kernels::Conv& c) const override { return c.batch * c.out[0] * c.out[1]; }
  size_t least(const kernels::Conv& c) const override {
    return std::max<size_t>(1, kPartPixels / std::max<size_t>(1, c.out[2]));
  }
  kernels::Range pixels(const kernels::Conv& c, kernels::Range units) const override {
    return {units.begin * c.out[2], units.end * c.out[2]};
  }
};

// A computation of known sizes, cut for the threads of a compilation.
class ChannelsLastRunner {
 public:
  // `operations` of all pixels together decide how many threads are worth it. `how` must outlive this.
  ChannelsLastRunner(const CompileContext& context, const kernels::Conv& conv, Layout in, Layout out,
                     const WindowComputation& how, size_t operations);
  CheckedSize scratch_bytes() const { return thread_offset_ + CheckedSize(threads_) * thread_bytes_; }
  // From the memory of input 0 to that of output 0, with weights as `how` has them. Only a node whose tensors
  // are channels last may have a residual.
  void run(EvalContext& context, const kernels::PackedConv& packed, const kernels::Epilogue& epilogue,
           char* scratch) const;

 private:
  void cut(size_t threads, size_t operations);
  size_t block_pixels() const;
  void compute(size_t part, const float* x, const kernels::PackedConv& packed, float* y,
               const kernels::Epilogue& epilogue, char* scratch) const;

  kernels::Conv conv_;
  const WindowComputation& how_;
  bool planar_in_, planar_out_;
  bool by_channels_ = false;
  size_t units_ = 0, step_ = 1, parts_ = 0;
  size_t threads_ = 0;      // that compute parts
  size_t block_units_ = 1;  // computed together before they become planes
  // In the scratch memory: data as rows of channels, then what each thread has.
  size_t thread_offset_ = 0, kernel_bytes_ = 0, thread_bytes_ = 0;
};

}  // namespace wasmvino::ops
