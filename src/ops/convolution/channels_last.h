// SPDX-License-Identifier: Apache-2.0
// Runs computations over channels-last tensors, for nodes whose own tensors may be channels first. Splits the
// work among threads and transposes tensors at the edges.
#pragma once

#include <algorithm>

#include "core/checked.h"
#include "kernels/conv.h"
#include "model/op.h"

namespace wasmvino::ops {

// Pixels per part that make reading the weights worthwhile.
inline constexpr size_t kPartPixels = 128;

// One way to compute a convolution or pooling in f32. Its output is divided into units of adjacent pixels.
class WindowComputation {
 public:
  // The number of units.
  virtual size_t units(const kernels::Conv& c) const = 0;
  // Number of units that are best computed together.
  virtual size_t step(const kernels::Conv&) const { return 1; }
  // Minimum number of units per part. Fewer units need the weights faster than the second-level cache
  // delivers them.
  virtual size_t least(const kernels::Conv& c) const = 0;
  // Operations in about 10 µs: with fewer per part, a second thread costs more than it saves.
  virtual size_t grain() const { return size_t{1} << 18; }
  // Number of units that form whole rows of pixels. pixels() is called for multiples of it only.
  virtual size_t row(const kernels::Conv&) const { return 1; }
  // The pixels of `units`.
  virtual kernels::Range pixels(const kernels::Conv& c, kernels::Range units) const = 0;
  // Whether the channels of a group may be split too, between panels of kernels::kPanelColumns.
  virtual bool takes_channels() const { return false; }
  // Bytes of scratch memory that each thread provides.
  virtual CheckedSize scratch_bytes(const kernels::Conv&) const { return {}; }
  // `channels` of each group: all of them, unless takes_channels().
  virtual void run(const kernels::Conv& c, const float* x, const kernels::PackedConv& packed, float* y,
                   const kernels::Epilogue& epilogue, void* scratch, kernels::Range units,
                   kernels::Range channels) const = 0;

 protected:
  ~WindowComputation() = default;
};

// Base class of computations whose units are output pixels.
class ComputationByPixels : public WindowComputation {
 public:
  size_t units(const kernels::Conv& c) const override { return c.out_pixels(); }
  size_t step(const kernels::Conv&) const override { return kernels::gemm_tile_rows(); }
  size_t least(const kernels::Conv&) const override { return kPartPixels; }
  kernels::Range pixels(const kernels::Conv&, kernels::Range units) const override { return units; }
};

// Base class of computations whose units are output rows. Their operations take four times as long as those
// of tiles.
class ComputationByRows : public WindowComputation {
 public:
  size_t grain() const override { return size_t{1} << 16; }
  size_t units(const kernels::Conv& c) const override { return c.batch * c.out[0] * c.out[1]; }
  size_t least(const kernels::Conv& c) const override {
    return std::max<size_t>(1, kPartPixels / std::max<size_t>(1, c.out[2]));
  }
  kernels::Range pixels(const kernels::Conv& c, kernels::Range units) const override {
    return {units.begin * c.out[2], units.end * c.out[2]};
  }
};

// A computation of known sizes, divided among the threads of a compilation.
class ChannelsLastRunner {
 public:
  // `operations`, the total for all pixels, decides how many threads are worthwhile. `how` must outlive this
  // object.
  ChannelsLastRunner(const CompileContext& context, const kernels::Conv& conv, Layout in, Layout out,
                     const WindowComputation& how, size_t operations);
  CheckedSize scratch_bytes() const { return thread_offset_ + CheckedSize(threads_) * thread_bytes_; }
  // Computes from input 0's memory to output 0's, with weights in the form that `how` expects. Only a node
  // with channels-last tensors may have a residual.
  void run(EvalContext& context, const kernels::PackedConv& packed, const kernels::Epilogue& epilogue,
           char* scratch) const;

 private:
  void cut(size_t threads, size_t operations);
  size_t block_pixels() const;
  void compute(size_t part, const float* x, const kernels::PackedConv& packed, float* y,
               const kernels::Epilogue& epilogue, char* scratch) const;

  kernels::Conv conv_;
  const WindowComputation& how_;
  bool channels_first_in_, channels_first_out_;
  bool by_channels_ = false;
  size_t units_ = 0, step_ = 1, parts_ = 0;
  size_t threads_ = 0;      // number of threads that compute parts
  size_t block_units_ = 1;  // units computed together before they become NCHW
  // Layout of the scratch memory: the NHWC copy of the data, then each thread's part.
  size_t thread_offset_ = 0, kernel_bytes_ = 0, thread_bytes_ = 0;
};

}  // namespace wasmvino::ops
